// For tests of those who follow a journal: lanes that end.
#pragma once

#include <memory>

#include "table/journal/journal.h"

namespace armature::table {

// A lane goes on in one child or, because its partition is split, in two.
inline Status EndLane(Journal& journal, const std::shared_ptr<Table>& table, LaneId lane, bool into_two) {
  const auto state = table->journal().state();
  const Lane* const found = state->FindLane(lane);
  if (!into_two || !found) return RunBlocking(journal.RenewLane(table, lane));
  return RunBlocking(journal.SplitPartition(table, found->partition));
}

}  // namespace armature::table
