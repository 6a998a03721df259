// Changes of a journal's lanes, as pure functions on its state.
//
// A lane closes at a position and goes on in children that begin there. Used by Journal, under its latch.
#pragma once

#include <functional>
#include <span>

#include "table/lanes/journal_state.h"

namespace armature::table {

// A partition as lanes see it: where its next record will be.
struct LanePlace {
  storage::PartitionInfo partition;
  Position next = 0;
};

// Makes the lanes fit the partitions, which are all that the table has and those that had an open lane and have ended.
// If nobody follows, open lanes are closed; else every partition has one afterwards: lanes that `renews` names, and
// those of partitions that have ended, are closed and go on in children. False: nothing was to be changed.
bool AlignLanes(JournalState& state, std::span<const LanePlace> places, const std::function<bool(const Lane&)>& renews,
                int64_t now_millis);

}  // namespace armature::table
