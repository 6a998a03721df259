// A snapshot and the records from its point on are the table, whoever writes and whatever is split meanwhile.
#include "followers/snapshot_point.h"

#include <atomic>
#include <random>

#include <gmock/gmock.h>

#include "followers/followers_testing.h"
#include "model/codec/item_codec.h"
#include "storage/engine_calls.h"
#include "table/partition/row_scan.h"

namespace armature::followers {
namespace {

using Items = std::map<std::string, std::string>;

Task<Status> ReadItems(storage::Engine& engine, const table::Table& table, storage::ReadAt at, Items& items) {
  Arena arena;
  table::RowScan rows(table.partitions(), table::AllRows(table::ItemsKeyspace(*table.def())), at);
  while (!rows.at_end()) {
    storage::ScanOp& scan = rows.Prepare(100, SIZE_MAX);
    Status status = co_await storage::Run(engine, scan);
    if (status.code() == StatusCode::kFenced) {
      status = co_await rows.LookAgain(engine);
      if (!status.ok()) co_return status;
      continue;
    }
    if (!status.ok()) co_return status;
    for (const auto& row : scan.rows) {
      const auto decoded = model::DecodeItem(row.value, arena);
      if (!decoded) co_return decoded.error();
      for (const auto& entry : decoded->item)
        if (entry.name == "pk") items["pk=" + expr::Show(entry.value)] = expr::Show(decoded->item);
    }
    rows.Advance();
  }
  co_return Status::Ok();
}

class SnapshotPointTest : public FollowersTest {
 protected:
  using FollowersTest::FollowersTest;

  Result<SnapshotPoint> Take(const std::shared_ptr<table::Table>& table) {
    return RunBlocking(TakeSnapshotPoint(*engine_, table));
  }
  Items ItemsAt(const table::Table& table, storage::ReadAt at) {
    Items items;
    const Status status = RunBlocking(ReadItems(*engine_, table, at, items));
    EXPECT_TRUE(status.ok()) << status.ToString();
    return items;
  }
  // A replica: every record must fit on what it has.
  static void Apply(const model::ChangeRecord& record, Items& items) {
    const std::string key = expr::Show(record.keys);
    EXPECT_EQ(record.has_old ? expr::Show(record.old_image) : "", items.contains(key) ? items[key] : "")
        << "at " << record.position << " of " << key;
    if (record.has_new) items[key] = expr::Show(record.new_image);
    else items.erase(key);
  }
  void CatchUp(const std::shared_ptr<table::Table>& table, const SnapshotPoint& point, const std::string& name,
               Items& items) {
    ASSERT_TRUE(RunBlocking(journal_->StoreCursors(*table, name, point.cursors)).ok());
    TestFollower follower;
    follower.on_record = [&](const model::ChangeRecord& record) { Apply(record, items); };
    WalkAll(*Open(table, name), follower, 50);
  }
};

TEST_F(SnapshotPointTest, HasWhatIsBelowItAndNothingFromItOn) {
  const auto table = layer_->CreateTable("t");
  PutNumber(*table, 0, "before");
  EXPECT_EQ(Take(table).error().code(), StatusCode::kInvalidArgument) << "there is no journal";
  ASSERT_TRUE(RunBlocking(journal_->Follow(table, "replica", model::kBothImages, table::Retention::kUntilPassed)).ok());
  const auto empty = Take(table);
  ASSERT_TRUE(empty.has_value());
  PutNumber(*table, 1);
  EndAll(table, true);
  PutNumber(*table, 2);
  const auto point = Take(table);
  ASSERT_TRUE(point.has_value());
  EXPECT_EQ(point->places.size(), 2u);
  EXPECT_EQ(point->cursors.size(), 3u) << "the parent's end, and two children";
  PutNumber(*table, 3);

  Items items = ItemsAt(*table, {.snapshot = empty->snapshot.get()});
  EXPECT_EQ(items, (Items{{"pk=S:before", "n=N:0,pk=S:before"}}));
  CatchUp(table, *empty, "replica", items);
  EXPECT_EQ(items, ItemsAt(*table, {}));

  items = ItemsAt(*table, {.snapshot = point->snapshot.get()});
  EXPECT_EQ(items["pk=S:a"], "n=N:2,pk=S:a");
  ASSERT_TRUE(RunBlocking(journal_->Follow(table, "other", model::kBothImages, table::Retention::kUntilPassed)).ok());
  CatchUp(table, *point, "replica", items);
  EXPECT_EQ(items, ItemsAt(*table, {}));
}

TEST_F(SnapshotPointTest, WhatIsNotDurableIsBehindIt) {
  const auto table = CreateFollowed("replica");
  PutNumber(*table, 1);
  disk().SetAutoSync(false);
  std::string outcome;
  StepExecutor executor;
  const auto write = table::TestWrite::Put(*table, "pk=S:a,n=N:2");
  executor.Start(write->ExecuteInto(layer_->writes, outcome));
  const auto point = Take(table);
  ASSERT_TRUE(point.has_value());
  disk().SetAutoSync(true);
  ASSERT_TRUE(disk().Sync().ok());
  executor.RunQueued();
  EXPECT_EQ(outcome, "ok");
  Items items = ItemsAt(*table, {.snapshot = point->snapshot.get()});
  EXPECT_EQ(items["pk=S:a"], "n=N:1,pk=S:a");
  CatchUp(table, *point, "replica", items);
  EXPECT_EQ(items["pk=S:a"], "n=N:2,pk=S:a");
}

TEST_F(SnapshotPointTest, WhereTheNewestIsTrimmedItIsBehindThat) {
  const auto table = CreateFollowed("replica");
  PutNumber(*table, 1);
  TestFollower follower;
  const auto walker = Open(table, "replica");
  WalkAll(*walker, follower);
  ASSERT_TRUE(RunBlocking(walker->Checkpoint()).ok());
  clock_.AdvanceMillis(60'000);
  ASSERT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
  ASSERT_EQ(JournalRows(*table), 0u);
  const auto point = Take(table);
  ASSERT_TRUE(point.has_value());
  ASSERT_EQ(point->cursors.size(), 1u);
  EXPECT_FALSE(ReadLane(*table, point->cursors[0].lane, point->cursors[0].next).was_trimmed);
  Items items = ItemsAt(*table, {.snapshot = point->snapshot.get()});
  PutNumber(*table, 2);
  CatchUp(table, *point, "replica", items);
  EXPECT_EQ(items["pk=S:a"], "n=N:2,pk=S:a");
}

// The engine answers at once, or late and from another thread.
class SnapshotPointRaceTest : public SnapshotPointTest, public testing::WithParamInterface<bool> {
 protected:
  SnapshotPointRaceTest() : SnapshotPointTest({true, GetParam()}) {}
};

TEST_P(SnapshotPointRaceTest, WithManyWritersAndSplits) {
  constexpr int kWriters = 3, kWrites = 300, kReplicas = 8, kSplits = 10;
  const auto table = layer_->CreateTable("t");
  for (int i = 0; i < kReplicas; ++i)
    ASSERT_TRUE(
        RunBlocking(journal_->Follow(table, fmt::format("r{}", i), model::kBothImages, table::Retention::kUntilPassed))
            .ok());
  std::atomic<int> running{kWriters};
  std::atomic<int> written{0};
  const auto write_many = [&](uint32_t seed) -> Task<void> {
    std::mt19937 random(seed);
    for (int i = 0; i < kWrites; ++i) {
      const std::string key = fmt::format("pk=S:k{}", random() % 7);
      auto write = random() % 4 == 0 ? table::TestWrite::Delete(*table, key)
                                     : table::TestWrite::Put(*table, fmt::format("{},n=N:{}", key, random() % 1000));
      const std::string outcome = co_await write->Execute(layer_->writes);
      EXPECT_EQ(outcome, "ok");
      ++written;
    }
    --running;
  };
  std::vector<std::unique_ptr<ThreadExecutor>> executors;
  for (uint32_t i = 0; i < kWriters; ++i) {
    executors.push_back(std::make_unique<ThreadExecutor>());
    executors.back()->Spawn(write_many(i + 1));
  }
  // Somebody else ends lanes and splits partitions under all of them.
  ThreadExecutor splitter;
  const auto split_some = [&]() -> Task<void> {
    for (int i = 0; i < kSplits; ++i) {
      while (written < i * kWriters * kWrites / kSplits) std::this_thread::yield();
      const auto state = table->journal().state();
      const auto open = std::find_if(state->lanes.begin(), state->lanes.end(),
                                     [](const table::Lane& lane) { return lane.is_open(); });
      const table::LaneId lane = open->id;
      const storage::PartitionId partition = open->partition;
      Status status;
      if (i % 2 == 0) status = co_await journal_->SplitPartition(table, partition);
      else status = co_await journal_->RenewLane(table, lane);
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
  };
  splitter.Spawn(split_some());

  std::vector<SnapshotPoint> points;
  std::vector<Items> replicas;
  for (int i = 0; i < kReplicas; ++i) {
    while (written < i * kWriters * kWrites / kReplicas) std::this_thread::yield();
    auto point = Take(table);
    while (!point && point.error().code() == StatusCode::kBusy) point = Take(table);
    ASSERT_TRUE(point.has_value()) << point.error().ToString();
    replicas.push_back(ItemsAt(*table, {.snapshot = point->snapshot.get()}));
    points.push_back(std::move(*point));
  }
  for (auto& executor : executors) executor->WaitIdle();
  splitter.WaitIdle();
  const Items items = ItemsAt(*table, {});
  for (int i = 0; i < kReplicas; ++i) {
    CatchUp(table, points[i], fmt::format("r{}", i), replicas[i]);
    EXPECT_EQ(replicas[i], items) << "replica " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, SnapshotPointRaceTest, testing::Bool());

}  // namespace
}  // namespace armature::followers
