// The write path over an engine that is slow, fails, loses what was not synced, or loses the partition.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/messages/requests.h"
#include "storage/batch.h"
#include "table/keys/key_layout.h"
#include "table/table_testing.h"
#include "table/write/write_path.h"

namespace armature::table {
namespace {

using storage::FaultyEngine;
using Point = FaultyEngine::Point;

class WriteFaultsTest : public testing::Test {
 protected:
  std::string Run(std::unique_ptr<TestWrite> write) {
    last_ = std::move(write);
    return RunBlocking(last_->Execute(layer_->writes));
  }
  // Starts the write on the step executor; its outcome appears in the returned string when it has one.
  std::string& Start(std::unique_ptr<TestWrite> write) {
    last_ = write.get();
    started_.push_back(std::move(write));
    executor_.Start(
        started_.back()->ExecuteInto(layer_->writes, *outcomes_.emplace_back(std::make_unique<std::string>())));
    return *outcomes_.back();
  }
  std::string Read(std::string_view key) { return ReadItem(layer_->reads, *table_, key); }
  void CrashAndRestart() {
    engine_->Crash();
    executor_.RunQueued();
    engine_->SetAutoSync(true);
    Restart();
  }
  // As after a start: nothing is known but what the engine holds.
  void Restart() {
    layer_ = std::make_unique<TableLayer>(*engine_, clock_);
    ASSERT_TRUE(RunBlocking(layer_->catalog.Load()).ok());
    table_ = layer_->catalog.Find(kScope, "T");
    ASSERT_TRUE(table_);
  }

  // Whichever way the last write was made.
  struct LastWrite {
    std::unique_ptr<TestWrite> owned;
    TestWrite* write = nullptr;
    void operator=(std::unique_ptr<TestWrite> made) { owned = std::move(made), write = owned.get(); }
    void operator=(TestWrite* made) { write = made; }
    TestWrite* operator->() const { return write; }
  };

  Metrics metrics_;
  std::unique_ptr<FaultyEngine> engine_ = storage::OpenFaultyEngine({}, metrics_);
  ManualClock clock_;
  std::unique_ptr<TableLayer> layer_ = std::make_unique<TableLayer>(*engine_, clock_);
  std::shared_ptr<Table> table_ = layer_->CreateTable("T");
  StepExecutor executor_;
  std::vector<std::unique_ptr<TestWrite>> started_;
  std::vector<std::unique_ptr<std::string>> outcomes_;
  LastWrite last_;
};

// --- exhausted memory

// The write ends by an exception, the next one of the item must find what is stored: nothing of the first.
TEST_F(WriteFaultsTest, AnExceptionBeforeTheCommitLeavesNoImageBehind) {
  engine_->ThrowNext(Point::kCommit);
  EXPECT_THROW(Run(TestWrite::Put(*table_, "pk=S:new,n=N:1")), std::bad_alloc);
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:new,n=N:2", "attribute_not_exists(pk)")), "ok");

  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1")), "ok");
  engine_->ThrowNext(Point::kCommit);
  EXPECT_THROW(Run(TestWrite::Update(*table_, "pk=S:a", "ADD n :d", {}, {{":d", "N:10"}})), std::bad_alloc);
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "ADD n :d", {}, {{":d", "N:1"}})), "ok");
  EXPECT_EQ(last_->old_item(), "n=N:1,pk=S:a") << "a write was conditioned on a value that was never written";
  EXPECT_EQ(Read("pk=S:a"), "n=N:2,pk=S:a");

  engine_->ThrowNext(Point::kCommit);
  EXPECT_THROW(Run(TestWrite::Delete(*table_, "pk=S:a")), std::bad_alloc);
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:3", "attribute_not_exists(pk)")), "condition");
  EXPECT_EQ(table_->CountItems().rows, 2);
}

TEST_F(WriteFaultsTest, AnExceptionInATransactionLeavesNoImageBehind) {
  for (const bool is_transaction : {false, true}) {
    std::vector<std::unique_ptr<TestWrite>> puts;
    const auto writes = std::make_unique<ItemWrite[]>(5);
    for (size_t i = 0; i < 5; ++i) {
      puts.push_back(TestWrite::Put(*table_, fmt::format("pk=S:t{},n=N:1", i)));
      writes[i].kind = ItemWrite::Kind::kPut;
      writes[i].table = table_.get();
      writes[i].key = puts[i]->write().key;
      writes[i].put_item = puts[i]->write().put_item;
      writes[i].put_item_size = puts[i]->write().put_item_size;
    }
    const std::span<ItemWrite> all(writes.get(), 5);
    Arena arena;
    engine_->ThrowNext(Point::kCommit);
    if (is_transaction) {
      EXPECT_THROW(static_cast<void>(RunBlocking(layer_->writes.ExecuteTransaction(all, nullptr, arena))),
                   std::bad_alloc);
    } else {
      EXPECT_THROW(static_cast<void>(RunBlocking(layer_->writes.ExecuteBatch(all, arena))), std::bad_alloc);
    }
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(Run(TestWrite::Put(*table_, fmt::format("pk=S:t{},n=N:2", i), "attribute_exists(pk)")), "condition");
  }
}

// --- what is logged

// The engine says itself that the disk is full. Other failures are said, but not with every write.
TEST_F(WriteFaultsTest, RefusedWritesDoNotFloodTheLog) {
  const auto lines_of = [&](Point point, const Status& failure) {
    engine_->FailNext(point, 200, failure);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 200; ++i) EXPECT_NE(Run(TestWrite::Put(*table_, fmt::format("pk=S:{}", i))), "ok");
    const std::string text = testing::internal::GetCapturedStderr();
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines_of(Point::kCommit, Status::NoSpace("the disk is full")), 0);
  EXPECT_EQ(lines_of(Point::kSync, Status::NoSpace("the disk is full")), 0);
  // One in ten seconds, and another test may have had it.
  EXPECT_LE(lines_of(Point::kCommit, Status::IoError("bad sector")), 1);
}

// --- durability

TEST_F(WriteFaultsTest, AReplyIsParkedUntilTheWriteIsDurable) {
  engine_->SetAutoSync(false);
  auto& outcome = Start(TestWrite::Put(*table_, "pk=S:a,n=N:1"));
  executor_.RunQueued();
  EXPECT_EQ(outcome, "");
  EXPECT_EQ(engine_->unsynced_commits(), 1u);
  EXPECT_EQ(Read("pk=S:a"), "(none)") << "a reader saw what a crash could take back";
  ASSERT_TRUE(engine_->Sync().ok());
  executor_.RunQueued();
  EXPECT_EQ(outcome, "ok");
  EXPECT_EQ(Read("pk=S:a"), "n=N:1,pk=S:a");
}

TEST_F(WriteFaultsTest, WhatReturnedIsThereAfterACrashAndWhatDidNotIsNot) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1")), "ok");
  engine_->SetAutoSync(false);
  auto& second = Start(TestWrite::Put(*table_, "pk=S:a,n=N:2"));
  auto& other = Start(TestWrite::Put(*table_, "pk=S:b"));
  auto& gone = Start(TestWrite::Delete(*table_, "pk=S:a"));
  CrashAndRestart();
  EXPECT_EQ(second, "ServiceUnavailableException");
  EXPECT_EQ(other, "ServiceUnavailableException");
  EXPECT_EQ(gone, "ServiceUnavailableException");
  EXPECT_EQ(Read("pk=S:a"), "n=N:1,pk=S:a");
  EXPECT_EQ(Read("pk=S:b"), "(none)");
}

TEST_F(WriteFaultsTest, TheLatchIsNotHeldWhileWaitingForTheSync) {
  engine_->SetAutoSync(false);
  for (int i = 0; i < 5; ++i) Start(TestWrite::Update(*table_, "pk=S:a", "ADD n :one", {}, {{":one", "N:1"}}));
  executor_.RunQueued();
  EXPECT_EQ(engine_->unsynced_commits(), 5u);
  ASSERT_TRUE(engine_->Sync().ok());
  executor_.RunQueued();
  for (const auto& outcome : outcomes_) EXPECT_EQ(*outcome, "ok");
  EXPECT_EQ(Read("pk=S:a"), "n=N:5,pk=S:a");
}

TEST_F(WriteFaultsTest, AFailedConditionWaitsForWhatItReveals) {
  engine_->SetAutoSync(false);
  Start(TestWrite::Put(*table_, "pk=S:a,n=N:1"));
  auto& refused = Start(TestWrite::Put(*table_, "pk=S:a,n=N:2", "attribute_not_exists(pk)"));
  executor_.RunQueued();
  EXPECT_EQ(engine_->unsynced_commits(), 1u);
  EXPECT_EQ(refused, "") << "told a client of an item that is not durable";
  ASSERT_TRUE(engine_->Sync().ok());
  executor_.RunQueued();
  EXPECT_EQ(refused, "condition");
  EXPECT_EQ(last_->old_item(), "n=N:1,pk=S:a");
}

TEST_F(WriteFaultsTest, AFailedConditionIsNotAnsweredWhenACrashTakesItsReasonAway) {
  engine_->SetAutoSync(false);
  Start(TestWrite::Put(*table_, "pk=S:a,n=N:1"));
  auto& refused = Start(TestWrite::Put(*table_, "pk=S:a,n=N:2", "attribute_not_exists(pk)"));
  CrashAndRestart();
  EXPECT_EQ(refused, "ServiceUnavailableException");
  EXPECT_EQ(Read("pk=S:a"), "(none)");
}

TEST_F(WriteFaultsTest, AnUpdateErrorWaitsForWhatItReveals) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1")), "ok");
  engine_->SetAutoSync(false);
  Start(TestWrite::Put(*table_, "pk=S:a,n=S:text"));
  auto& refused = Start(TestWrite::Update(*table_, "pk=S:a", "SET n = n + :one", {}, {{":one", "N:1"}}));
  executor_.RunQueued();
  EXPECT_EQ(refused, "");
  ASSERT_TRUE(engine_->Sync().ok());
  executor_.RunQueued();
  EXPECT_EQ(refused, "ValidationException");
}

TEST_F(WriteFaultsTest, DeletingWhatSomebodyIsDeletingWaitsForThat) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a")), "ok");
  engine_->SetAutoSync(false);
  Start(TestWrite::Delete(*table_, "pk=S:a"));
  auto& again = Start(TestWrite::Delete(*table_, "pk=S:a"));
  executor_.RunQueued();
  EXPECT_EQ(again, "");
  CrashAndRestart();
  EXPECT_EQ(again, "ServiceUnavailableException");
  EXPECT_EQ(Read("pk=S:a"), "pk=S:a");
}

TEST_F(WriteFaultsTest, WithNothingUnsyncedAFailedConditionDoesNotWait) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a")), "ok");
  engine_->SetAutoSync(false);
  EXPECT_EQ(Start(TestWrite::Put(*table_, "pk=S:a", "attribute_not_exists(pk)")), "condition");
  EXPECT_EQ(Start(TestWrite::Delete(*table_, "pk=S:zzz")), "ok");
}

// --- errors of the store

TEST_F(WriteFaultsTest, AFullDiskIsServiceUnavailableAndChangesNothing) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1")), "ok");
  engine_->FailNext(Point::kCommit, 1, Status::NoSpace("disk full"));
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:2")), "ServiceUnavailableException");
  EXPECT_EQ(last_->message(), model::messages::kNoSpace);
  EXPECT_EQ(Read("pk=S:a"), "n=N:1,pk=S:a");
  EXPECT_EQ(table_->CountItems().rows, 1);
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:3", "n = :one", {{":one", "N:1"}})), "ok");
}

TEST_F(WriteFaultsTest, AFailedSyncIsReportedAndTheLatchIsFree) {
  engine_->FailNext(Point::kSync, 1, Status::NoSpace("disk full"));
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1")), "ServiceUnavailableException");
  EXPECT_EQ(Read("pk=S:a"), "(none)");
  // The write is still in the latest state: the next one sees it, and makes it durable together with itself.
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "ADD n :one", {}, {{":one", "N:1"}})), "ok");
  EXPECT_EQ(Read("pk=S:a"), "n=N:2,pk=S:a");
}

TEST_F(WriteFaultsTest, OtherFailuresAreInternalServerErrors) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1")), "ok");
  Restart();
  engine_->FailNext(Point::kGet, 1, Status::IoError("bad sector"));
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:2")), "InternalServerError");
  engine_->FailNext(Point::kGet, 1, Status::Corruption("block checksum"));
  EXPECT_EQ(Read("pk=S:a"), "InternalServerError");
  EXPECT_EQ(Read("pk=S:a"), "n=N:1,pk=S:a");
}

TEST_F(WriteFaultsTest, WhatWasRefusedBecauseOfANewerOwnerIsDoneAgain) {
  for (const size_t times : {1, 3}) {
    engine_->FailNext(Point::kCommit, times, Status::Fenced("a newer owner"));
    EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "ADD n :one", {}, {{":one", "N:1"}})), "ok");
  }
  engine_->FailNext(Point::kGet, 3, Status::Fenced("a newer owner"));
  EXPECT_EQ(Read("pk=S:a"), "n=N:2,pk=S:a") << "each was done once";
}

// The image a write leaves for the next one must not outlive a commit that failed, alone, in a batch or in a
// transaction.
TEST_F(WriteFaultsTest, AFailedCommitLeavesNoImageBehind) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1")), "ok");
  engine_->FailNext(Point::kCommit, 1, Status::IoError("no"));
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:7")), "InternalServerError");
  engine_->FailNext(Point::kCommit, 1, Status::IoError("no"));
  EXPECT_EQ(Run(TestWrite::Delete(*table_, "pk=S:a")), "InternalServerError");
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "ADD n :one", {}, {{":one", "N:1"}})), "ok");
  EXPECT_EQ(Read("pk=S:a"), "n=N:2,pk=S:a");
}

TEST_F(WriteFaultsTest, ADamagedRecordIsReportedAndNeverServed) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1")), "ok");
  Arena arena;
  std::string key;
  AppendItemKey(table_->key_schema(), expr::MakeItem(arena, "pk=S:a"), key);
  storage::GetOp get;
  get.partition = &table_->partitions().Find(0)->handle(), get.key = key;
  engine_->Get(get);
  ASSERT_TRUE(get.found);
  get.value.back() ^= 1;
  storage::Batch batch;
  batch.Put(key, get.value);
  storage::CommitOp commit;
  commit.partition = &table_->partitions().Find(0)->handle(), commit.batch = &batch;
  engine_->Commit(commit);
  ASSERT_TRUE(commit.status.ok());
  ASSERT_TRUE(engine_->Sync().ok());
  Restart();

  EXPECT_EQ(Read("pk=S:a"), StatusCodeName(StatusCode::kCorruption));
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "ADD n :one", {}, {{":one", "N:1"}})), "InternalServerError");
  EXPECT_EQ(Run(TestWrite::Delete(*table_, "pk=S:a", "n = :one", {{":one", "N:1"}})), "InternalServerError");
  auto blind = TestWrite::Put(*table_, "pk=S:a,n=N:5");
  blind->write().wants_old_image = false;
  EXPECT_EQ(Run(std::move(blind)), "InternalServerError");
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:b")), "ok");
}

TEST_F(WriteFaultsTest, AWriteToADroppedPartitionFindsNoTable) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a")), "ok");
  ASSERT_TRUE(RunBlocking(engine_->DropPartition(table_->partitions().Find(0)->id())).ok());
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a")), "ResourceNotFoundException");
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:b", "SET n = :one", {}, {{":one", "N:1"}})),
            "ResourceNotFoundException");
}

TEST_F(WriteFaultsTest, AfterCloseEverythingIsUnavailable) {
  ASSERT_TRUE(engine_->Close().ok());
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a")), "ServiceUnavailableException");
}

// --- several threads, an engine that answers later

Task<void> Increment(WritePath& writes, Table& table, Executor& executor, int rounds, size_t keys,
                     std::atomic<int>& bad) {
  for (int i = 0; i < rounds; ++i) {
    auto write = TestWrite::Update(table, fmt::format("pk=S:k{}", static_cast<size_t>(i) % keys), "ADD n :one", {},
                                   {{":one", "N:1"}});
    const std::string outcome = co_await write->Execute(writes);
    if (outcome != "ok" || Executor::Current() != &executor) ++bad;
  }
}

// Reads the counter at the durable view and adds one on condition that it has not changed meanwhile.
Task<void> CompareAndAdd(TableLayer& layer, Table& table, int successes, std::atomic<int>& bad) {
  while (successes > 0) {
    const std::string seen = co_await ReadItemAsync(layer.reads, table, "pk=S:cas");
    const std::string number = seen.substr(0, seen.find(',')).substr(2);  // "n=N:7,pk=S:cas"
    auto write = TestWrite::Update(table, "pk=S:cas", "ADD n :one", "n = :seen", {{":one", "N:1"}, {":seen", number}});
    const std::string outcome = co_await write->Execute(layer.writes);
    if (outcome == "ok") --successes;
    else if (outcome != "condition") ++bad;
    if (outcome == "condition" && write->old_item() == seen) ++bad;
  }
}

class WriteThreadsTest : public WriteFaultsTest, public testing::WithParamInterface<bool> {};

TEST_P(WriteThreadsTest, ConcurrentCountersAddUp) {
  engine_->SetDelayed(GetParam());
  constexpr int kCoroutines = 12, kRounds = 60;
  constexpr size_t kKeys = 3;
  std::atomic<int> bad{0};
  std::array<ThreadExecutor, 3> executors;
  for (size_t i = 0; i < kCoroutines; ++i) {
    auto& executor = executors[i % executors.size()];
    executor.Spawn(Increment(layer_->writes, *table_, executor, kRounds, kKeys, bad));
  }
  for (auto& executor : executors) executor.WaitIdle();
  EXPECT_EQ(bad, 0);
  for (size_t key = 0; key < kKeys; ++key)
    EXPECT_EQ(Read(fmt::format("pk=S:k{}", key)), fmt::format("n=N:{},pk=S:k{}", kCoroutines * kRounds / kKeys, key));
  EXPECT_EQ(table_->CountItems().rows, static_cast<int64_t>(kKeys));
}

TEST_P(WriteThreadsTest, CompareAndSetLosesNoUpdate) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:cas,n=N:0")), "ok");
  engine_->SetDelayed(GetParam());
  std::atomic<int> bad{0};
  std::array<ThreadExecutor, 3> executors;
  for (size_t i = 0; i < 6; ++i) executors[i % 3].Spawn(CompareAndAdd(*layer_, *table_, 20, bad));
  for (auto& executor : executors) executor.WaitIdle();
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(Read("pk=S:cas"), "n=N:120,pk=S:cas");
}

Task<void> WriteThroughErrors(FaultyEngine& engine, WritePath& writes, Table& table, std::atomic<int>& acknowledged,
                              std::atomic<int>& failed) {
  for (int i = 0; i < 60; ++i) {
    if (i % 10 == 3) engine.FailNext(Point::kGet, 2, Status::IoError("read"));
    if (i % 10 == 7) engine.FailNext(Point::kCommit, 2, Status::NoSpace("full"));
    auto write = TestWrite::Update(table, "pk=S:a", "ADD n :one", {}, {{":one", "N:1"}});
    const std::string outcome = co_await write->Execute(writes);
    ++(outcome == "ok" ? acknowledged : failed);
  }
}

// Every path out of the write, good or bad, must give the latch back, or this hangs.
TEST_P(WriteThreadsTest, ErrorsInBetweenLeaveNoLatchBehind) {
  engine_->SetDelayed(GetParam());
  std::atomic<int> acknowledged{0}, failed{0};
  std::array<ThreadExecutor, 3> executors;
  for (size_t i = 0; i < 6; ++i)
    executors[i % 3].Spawn(WriteThroughErrors(*engine_, layer_->writes, *table_, acknowledged, failed));
  for (auto& executor : executors) executor.WaitIdle();
  EXPECT_GT(failed, 20);
  engine_->FailNext(Point::kGet, 0, {});
  EXPECT_EQ(Read("pk=S:a"), fmt::format("n=N:{},pk=S:a", acknowledged.load()));
}

INSTANTIATE_TEST_SUITE_P(Engine, WriteThreadsTest, testing::Bool(),
                         [](const auto& test) { return test.param ? "AnswersLater" : "AnswersAtOnce"; });

}  // namespace
}  // namespace armature::table
