// TrimPlan: what of a table's journal nobody can read any more, as a pure function of its state.
//
// Records go when no stream shows them and every follower has passed them, or when they are as old as records may get;
// but never before everybody has passed them who must have them (Retention::kUntilPassed). How old they are is known by
// marks: "all records below this position were written by then". Used by JournalTrimmer, which carries the plan out.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "table/lanes/journal_state.h"

namespace armature::table {

// What the state does not tell.
struct TrimFacts {
  int64_t now_millis = 0;
  int64_t retention_millis = 0;
  std::vector<LanePosition> ends;  // of the open lanes: behind the newest record that is durable
  uint64_t records = 0;            // totals since the journal began
  uint64_t bytes = 0;
  // By lane: where the slowest follower reads on. A lane that is not here was not looked at: nothing goes before its
  // time.
  std::map<LaneId, Position> slowest;
  // The same of those who must have every record: nothing goes that they have not passed, nor what was not looked at.
  std::map<LaneId, Position> needed;
  std::map<LaneId, Position> swept;  // by lane: rows below are deleted
};

struct TrimPlan {
  struct Rows {
    storage::PartitionId partition = 0;
    Position begin = 0;
    Position end = 0;
  };

  bool is_needed = false;  // otherwise all is as it should be
  JournalState announced;  // says what goes, before it goes, so that a reader can tell
  JournalState kept;       // the same without the lanes that are over: to be stored with the deletion, and used then
  std::vector<Rows> rows;  // to be deleted
};

TrimPlan PlanTrim(const JournalState& state, const TrimFacts& facts);

}  // namespace armature::table
