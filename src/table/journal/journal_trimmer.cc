#include "table/journal/journal_trimmer.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::table {

namespace {

constexpr int64_t kFollowerCheckMillis = 10'000;

void LowerTo(Position& position, Position other) { position = std::min(position, other); }

}  // namespace

JournalTrimmer::JournalTrimmer(storage::Engine& engine, JournalReader& reader, int64_t retention_millis,
                               Metrics& metrics)
    : engine_(engine),
      reader_(reader),
      retention_millis_(retention_millis),
      trimmed_counter_(metrics.GetCounter("armature_journal_trimmed_records_total",
                                          "Change records removed because nobody can read them any more.")) {}

Task<Status> JournalTrimmer::FindSlowest(const Table& table, const JournalState& state, TrimFacts& facts) {
  for (const Lane& lane : state.lanes) facts.slowest[lane.id] = facts.needed[lane.id] = UINT64_MAX;
  for (const Follower& follower : state.followers) {
    auto cursors = co_await reader_.LoadCursors(table, follower.name);
    if (!cursors) co_return cursors.error();
    for (const Lane& lane : state.lanes) {
      if (!follower.Follows(lane)) continue;
      Position next = lane.first;
      for (const JournalReader::Cursor& cursor : *cursors)
        if (cursor.lane == lane.id) next = std::max(next, cursor.next);
      LowerTo(facts.slowest[lane.id], next);
      if (follower.retention == Retention::kUntilPassed) LowerTo(facts.needed[lane.id], next);
    }
  }
  co_return Status::Ok();
}

Task<Result<TrimFacts>> JournalTrimmer::GatherFacts(Table& table, const JournalState& state, int64_t now_millis) {
  const TableJournal& journal = table.journal();
  TrimFacts facts;
  facts.now_millis = now_millis;
  facts.retention_millis = retention_millis_;
  facts.records = journal.records();
  facts.bytes = journal.bytes();
  auto ends = co_await reader_.LatestOfAll(table);
  if (!ends) co_return ends.error();
  facts.ends = std::move(*ends);
  Memory& memory = tables_[table.id()];
  facts.swept = memory.swept;
  if (now_millis - memory.followers_checked_millis < kFollowerCheckMillis) co_return facts;
  memory.followers_checked_millis = now_millis;
  if (Status status = co_await FindSlowest(table, state, facts); !status.ok()) co_return status;
  co_return facts;
}

Task<Status> JournalTrimmer::Trim(Table& table, int64_t now_millis) {
  const auto state = table.journal().state();
  const auto facts = co_await GatherFacts(table, *state, now_millis);
  if (!facts) co_return facts.error();
  TrimPlan plan = PlanTrim(*state, *facts);
  if (!plan.is_needed) co_return Status::Ok();
  const uint64_t trimmed_before = state->trimmed_records, trimmed = plan.kept.trimmed_records;
  Status status = co_await CarryOut(table, std::move(plan));
  if (status.ok()) trimmed_counter_.Add(trimmed - std::min(trimmed, trimmed_before));
  co_return status;
}

Task<Status> JournalTrimmer::StoreState(const Table& table, const JournalState& state) {
  storage::Batch batch;
  batch.Put(JournalStateKey(table.id()), EncodeJournalState(state));
  co_return co_await WriteSystemRecordsDurably(engine_, batch);
}

Task<Status> JournalTrimmer::CarryOut(Table& table, TrimPlan plan) {
  // What is remembered once it is done, made ready now.
  const bool forgets_lanes = plan.kept.lanes.size() != plan.announced.lanes.size();
  auto announced = std::make_shared<const JournalState>(std::move(plan.announced));
  auto kept = std::make_shared<const JournalState>(std::move(plan.kept));
  std::map<LaneId, Position> swept;
  for (const Lane& lane : kept->lanes) swept[lane.id] = lane.trimmed;

  table.journal().Publish(announced);
  if (Status status = co_await StoreState(table, *announced); !status.ok()) co_return status;
  for (const TrimPlan::Rows& rows : plan.rows) {
    const storage::KeyRange range{JournalRowKey(rows.begin), JournalRowKey(rows.end)};
    Status status = co_await reader_.DeleteFromPartition(table, rows.partition, range);
    if (!status.ok()) co_return status;
  }
  // A lane is listed until its rows are gone: if this fails, the next call finds it again.
  if (forgets_lanes) {
    if (Status status = co_await StoreState(table, *kept); !status.ok()) co_return status;
    table.journal().Publish(std::move(kept));
  }
  tables_[table.id()].swept.swap(swept);
  co_return Status::Ok();
}

}  // namespace armature::table
