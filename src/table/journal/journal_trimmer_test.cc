// Trimming, ageing and splitting of lanes.
#include "table/journal/journal_testing.h"

namespace armature::table {
namespace {

using Strings = std::vector<std::string>;
constexpr int64_t kHour = int64_t{3600} * 1000;

class JournalUpkeepTest : public JournalTest {
 protected:
  void Keep() { ASSERT_TRUE(RunBlocking(journal_->KeepHouse()).ok()); }
  // A second with so many writes of different items passes.
  void Second(Table& table, int writes) {
    for (int i = 0; i < writes; ++i) Put(table, fmt::format("pk=S:{}", ++written_));
    clock_.AdvanceMillis(1000);
    Keep();
  }
  static size_t OpenLanes(const Table& table) {
    size_t open = 0;
    for (const Lane& lane : table.journal().state()->lanes) open += lane.is_open() ? 1 : 0;
    return open;
  }
  int written_ = 0;
};

// The disk fails.
class OnDiskJournalUpkeepTest : public JournalUpkeepTest {};

TEST_F(JournalUpkeepTest, RecordsGoAfterADay) {
  options_.lane_age_millis = 1000 * kHour;
  Stop();
  Start();
  auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:old");
  Keep();
  const LaneId lane = table->journal().state()->lanes.front().id;
  clock_.AdvanceMillis(kHour);
  Put(*table, "pk=S:young");
  Keep();
  clock_.AdvanceMillis(23 * kHour - 1);
  Keep();
  EXPECT_EQ(ReadAll(*table).size(), 2u);
  clock_.AdvanceMillis(1);
  Keep();
  EXPECT_EQ(ReadAll(*table), (Strings{"INSERT pk=S:young"}));
  EXPECT_EQ(JournalRows(*table), 1u);
  EXPECT_TRUE(ReadLane(*table, lane, 0).was_trimmed);
  EXPECT_FALSE(ReadLane(*table, lane, table->journal().state()->FindLane(lane)->trimmed).was_trimmed);
  const Position used = Latest(*table, lane);

  clock_.AdvanceMillis(2 * kHour);
  Keep();
  EXPECT_EQ(JournalRows(*table), 0u);
  table.reset();
  Restart();
  table = Find("t");
  Put(*table, "pk=S:new");
  const auto lines = ReadLane(*table, lane, table->journal().state()->FindLane(lane)->trimmed);
  ASSERT_EQ(lines.records, (Strings{"INSERT pk=S:new"}));
  EXPECT_GE(lines.positions[0], used) << "a number is never used twice";
}

TEST_F(JournalUpkeepTest, RecordsOfBeforeACrashGoToo) {
  options_.lane_age_millis = 1000 * kHour;
  Stop();
  Start();
  Put(*CreateStream("t", "KEYS_ONLY"), "pk=S:old");
  Restart();  // before anything was noted of their age
  Keep();
  clock_.AdvanceMillis(24 * kHour);
  Keep();
  EXPECT_EQ(JournalRows(*Find("t")), 0u);
}

TEST_F(JournalUpkeepTest, ADisabledStreamGoesADayLater) {
  auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:a");
  SetStream("t", "");
  clock_.AdvanceMillis(24 * kHour - 1);
  Keep();
  EXPECT_EQ(ReadAll(*table).size(), 1u);
  clock_.AdvanceMillis(1);
  Keep();
  EXPECT_TRUE(table->journal().state()->streams.empty());
  EXPECT_TRUE(table->journal().state()->lanes.empty());
  EXPECT_EQ(JournalRows(*table), 0u);
}

TEST_F(OnDiskJournalUpkeepTest, TrimmingThatFailsIsDoneLater) {
  auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:a");
  SetStream("t", "");
  clock_.AdvanceMillis(24 * kHour);
  disk().FailNext(storage::FaultyEngine::Point::kCommit, 1, Status::IoError("test"));
  EXPECT_FALSE(RunBlocking(journal_->KeepHouse()).ok());
  EXPECT_EQ(JournalRows(*table), 1u);
  Keep();
  EXPECT_EQ(JournalRows(*table), 0u);
  EXPECT_TRUE(table->journal().state()->lanes.empty());
}

TEST_F(JournalUpkeepTest, WhatEveryFollowerHasPassedGoesAtOnce) {
  auto table = layer_->CreateTable("t");
  ASSERT_TRUE(RunBlocking(journal_->Follow(table, "fast", model::kBothImages, Retention::kAtMostADay)).ok());
  ASSERT_TRUE(RunBlocking(journal_->Follow(table, "slow", model::kBothImages, Retention::kAtMostADay)).ok());
  const LaneId lane = table->journal().state()->lanes.back().id;
  for (int i = 0; i < 5; ++i) Put(*table, fmt::format("pk=S:{}", i));
  const auto positions = ReadLane(*table, lane, 0).positions;
  const auto pass = [&](const char* reader, Position next) {
    ASSERT_TRUE(RunBlocking(journal_->StoreCursors(*table, reader, {{lane, next}})).ok());
    clock_.AdvanceMillis(60'000);
    Keep();
  };
  pass("fast", positions[4] + 1);
  EXPECT_EQ(JournalRows(*table), 5u) << "the slow one has read nothing";
  pass("slow", positions[1] + 1);
  EXPECT_EQ(JournalRows(*table), 3u);
  pass("slow", positions[4] + 1);
  EXPECT_EQ(JournalRows(*table), 0u);
  Put(*table, "pk=S:new");
  EXPECT_EQ(ReadLane(*table, lane, positions[4] + 1).records.size(), 1u);

  // Nobody is waited for longer than a day.
  clock_.AdvanceMillis(kHour);
  Keep();
  clock_.AdvanceMillis(25 * kHour);
  Keep();
  EXPECT_EQ(JournalRows(*table), 0u);
}

TEST_F(JournalUpkeepTest, WhatSomebodyMustHaveWaitsForHim) {
  auto table = CreateStream("t", "KEYS_ONLY");
  ASSERT_TRUE(RunBlocking(journal_->Follow(table, "replica", model::kBothImages, Retention::kUntilPassed)).ok());
  for (int i = 0; i < 3; ++i) Put(*table, fmt::format("pk=S:{}", i));
  const LaneId lane = table->journal().state()->lanes.back().id;
  for (int hour = 0; hour < 100; ++hour) {
    Keep();
    clock_.AdvanceMillis(kHour);
  }
  EXPECT_EQ(JournalRows(*table), 3u);
  // Known over a restart, too.
  table.reset();
  Restart();
  table = Find("t");
  Keep();
  clock_.AdvanceMillis(kHour);
  Keep();
  const auto lines = ReadLane(*table, lane, 0);
  ASSERT_EQ(lines.records.size(), 3u);
  EXPECT_TRUE(lines.is_done) << "the lane was renewed meanwhile";
  ASSERT_TRUE(RunBlocking(journal_->StoreCursors(*table, "replica", {{lane, lines.positions[1] + 1}})).ok());
  clock_.AdvanceMillis(kHour);
  Keep();
  EXPECT_EQ(JournalRows(*table), 1u);
  ASSERT_TRUE(RunBlocking(journal_->Unfollow(table, "replica")).ok());
  Keep();
  EXPECT_EQ(JournalRows(*table), 0u) << "nobody needs it, and it is old";
}

TEST_F(JournalUpkeepTest, ALaneThatIsOldGoesOnInOneChild) {
  auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:a");
  clock_.AdvanceMillis(4 * kHour - 1);
  Keep();
  EXPECT_EQ(table->journal().state()->lanes.size(), 1u);
  clock_.AdvanceMillis(1);
  Keep();
  Put(*table, "pk=S:b");
  const auto state = table->journal().state();
  ASSERT_EQ(state->lanes.size(), 2u);
  EXPECT_EQ(state->lanes[1].parent, state->lanes[0].id);
  EXPECT_EQ(state->lanes[0].end, state->lanes[1].first);
  EXPECT_TRUE(ReadLane(*table, state->lanes[0].id, 0).is_done);
  EXPECT_EQ(ReadLane(*table, state->lanes[1].id, 0).records, (Strings{"INSERT pk=S:b"}));
  EXPECT_LT(state->lanes[0].shard_id(), state->lanes[1].shard_id());

  // A day after it was closed the parent is gone; the stream goes on.
  for (int i = 0; i < 6; ++i) {
    clock_.AdvanceMillis(4 * kHour);
    Keep();
  }
  EXPECT_EQ(table->journal().state()->FindLane(state->lanes[0].id), nullptr);
  EXPECT_EQ(OpenLanes(*table), 1u);
}

TEST_F(JournalUpkeepTest, APartitionThatStaysBusyIsSplit) {
  options_.split.writes_per_second = 5;
  options_.split.most_for_heat = 3;
  Stop();
  Start();
  auto table = CreateStream("t", "KEYS_ONLY");
  for (int i = 0; i < 9; ++i) Second(*table, 6);
  Second(*table, 1);
  for (int i = 0; i < 9; ++i) Second(*table, 6);
  EXPECT_EQ(OpenLanes(*table), 1u) << "it was never busy for long";
  Second(*table, 6);
  EXPECT_EQ(OpenLanes(*table), 2u);
  const auto state = table->journal().state();
  EXPECT_EQ(state->ChildrenOf(state->lanes[0].id).size(), 2u);
  EXPECT_EQ(state->lanes[1].hashes.first, 0u);
  EXPECT_EQ(state->lanes[1].hashes.last + 1, state->lanes[2].hashes.first);
  EXPECT_EQ(state->lanes[2].hashes.last, UINT64_MAX);
  for (int i = 0; i < 30; ++i) Second(*table, 60);
  EXPECT_EQ(OpenLanes(*table), 3u) << "no more than allowed";
  EXPECT_EQ(ReadAll(*table).size(), static_cast<size_t>(written_));
}

TEST_F(JournalUpkeepTest, MetricsTellWhatIsHeld) {
  auto table = CreateStream("t", "KEYS_ONLY");
  for (int i = 0; i < 3; ++i) Put(*table, fmt::format("pk=S:{}", i));
  Keep();
  EXPECT_NE(metrics_.RenderPrometheus().find("armature_journal_records 3"), std::string::npos);
  ASSERT_TRUE(RunBlocking(journal_->StoreTotals()).ok());
  SetStream("t", "");
  clock_.AdvanceMillis(24 * kHour);
  Keep();
  EXPECT_NE(metrics_.RenderPrometheus().find("armature_journal_records 0"), std::string::npos)
      << metrics_.RenderPrometheus();
  EXPECT_NE(metrics_.RenderPrometheus().find("armature_journal_trimmed_records_total 3"), std::string::npos);
}

}  // namespace
}  // namespace armature::table
