// JournalTrimmer: removes the change records that nobody can read any more.
//
// What goes is planned by PlanTrim; here are the cursors it asks for, and the order in which a plan is carried out: it
// is announced (published and stored), then the rows go, then lanes that are over are forgotten. A crash
// or a failure in between leaves what the next call finds again. Not thread-safe: used by Journal, one call at a time.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/async.h"
#include "base/metrics.h"
#include "base/result.h"
#include "storage/engine.h"
#include "table/journal/journal_reader.h"
#include "table/journal/trim_plan.h"
#include "table/table.h"

namespace armature::table {

class JournalTrimmer {
 public:
  // `reader` outlives this.
  JournalTrimmer(storage::Engine& engine, JournalReader& reader, int64_t retention_millis, Metrics& metrics);

  // REQUIRES: nobody else changes the state of this journal meanwhile.
  Task<Status> Trim(Table& table, int64_t now_millis);

 private:
  Task<Result<TrimFacts>> GatherFacts(Table& table, const JournalState& state, int64_t now_millis);
  // How far followers are: all of them, and those who must have every record.
  Task<Status> FindSlowest(const Table& table, const JournalState& state, TrimFacts& facts);
  Task<Status> CarryOut(Table& table, TrimPlan plan);
  Task<Status> StoreState(const Table& table, const JournalState& state);

  storage::Engine& engine_;
  JournalReader& reader_;
  const int64_t retention_millis_;
  Counter& trimmed_counter_;
  // By table.
  struct Memory {
    int64_t followers_checked_millis = 0;  // when cursors were last looked at
    std::map<LaneId, Position> swept;      // by lane: rows below are deleted
  };
  std::map<uint64_t, Memory> tables_;
};

}  // namespace armature::table
