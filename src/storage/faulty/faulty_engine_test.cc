#include "storage/faulty/faulty_engine.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

class FaultyEngineTest : public ::testing::Test {
 protected:
  Mark Commit(std::string_view key, std::string_view value) {
    Batch batch;
    batch.Put(key, value);
    CommitOp op;
    op.partition = &engine_->system(), op.batch = &batch;
    engine_->Commit(op);
    Await(op.done);
    EXPECT_TRUE(op.status.ok());
    return op.mark;
  }
  std::string Durable(std::string_view key) { return GetOr(*engine_, key, "-"); }
  std::string Latest(std::string_view key) { return GetOr(*engine_, key, "-", {View::kLatest}); }

  Metrics metrics_;
  std::unique_ptr<FaultyEngine> engine_ = OpenFaultyEngine({.is_auto_sync = false, .is_delayed = false}, metrics_);
};

TEST_F(FaultyEngineTest, CrashTakesExactlyWhatWasNotSynced) {
  Commit("a", "1");
  ASSERT_TRUE(engine_->Sync().ok());
  Commit("a", "2");
  Commit("b", "2");
  EXPECT_EQ(engine_->unsynced_commits(), 2u);
  EXPECT_EQ(Latest("a"), "2");
  EXPECT_EQ(Durable("a"), "1") << "a reader is shown nothing that a crash takes back";
  engine_->Crash();
  EXPECT_EQ(Latest("a"), "1");
  EXPECT_EQ(Latest("b"), "-");
  EXPECT_EQ(Durable("a"), "1");
}

TEST_F(FaultyEngineTest, WaitingEndsWithTheSyncOrTheCrash) {
  DurableOp synced, lost;
  synced.mark = Commit("a", "1");
  engine_->WhenDurable(synced);
  EXPECT_FALSE(synced.done.finished());
  ASSERT_TRUE(engine_->Sync().ok());
  EXPECT_TRUE(synced.done.finished());
  EXPECT_TRUE(synced.status.ok());
  lost.mark = Commit("a", "2");
  engine_->WhenDurable(lost);
  engine_->Crash();
  EXPECT_TRUE(lost.done.finished());
  EXPECT_EQ(lost.status.code(), StatusCode::kUnavailable);
}

TEST_F(FaultyEngineTest, PartitionsSurviveACrash) {
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({.id = 5, .keyspace = 5, .epoch = 2})).ok());
  const auto partition = *RunBlocking(engine_->OpenPartitionAt(5, 2));
  const auto commit = [&](std::string_view value) {
    Batch batch;
    batch.Put("\x90", value);
    batch.Count(0, 1, 4);
    batch.Count(2, 1, 3);
    CommitOp op;
    op.partition = partition.get(), op.batch = &batch;
    engine_->Commit(op);
    EXPECT_TRUE(op.status.ok());
    return op.sequence;
  };
  EXPECT_EQ(commit("kept"), 1u);
  ASSERT_TRUE(engine_->Sync().ok());
  EXPECT_EQ(commit("lost"), 2u);
  engine_->Crash();
  EXPECT_EQ(RunBlocking(engine_->ListPartitions())->size(), 2u);
  EXPECT_EQ(GetOr(*engine_, "\x90", "-", {View::kLatest}, partition.get()), "kept");
  EXPECT_EQ(partition->count().rows, 1) << "what was lost is not counted";
  EXPECT_EQ(partition->count(2), (RowCount{1, 3}));
  EXPECT_EQ(commit("again"), 2u) << "a number that a crash took back is given again";
  EXPECT_EQ(partition->count(), (RowCount{2, 8}));
  EXPECT_EQ(RunBlocking(engine_->OpenPartitionAt(5, 1)).error().code(), StatusCode::kFenced);
}

TEST_F(FaultyEngineTest, InjectedErrorsChangeNothing) {
  Commit("a", "1");
  ASSERT_TRUE(engine_->Sync().ok());
  engine_->FailNext(FaultyEngine::Point::kCommit, 1, Status::NoSpace("full"));
  Batch batch;
  batch.Put("a", "2");
  CommitOp commit;
  commit.partition = &engine_->system(), commit.batch = &batch;
  engine_->Commit(commit);
  EXPECT_EQ(commit.status.code(), StatusCode::kNoSpace);
  EXPECT_EQ(Latest("a"), "1");

  engine_->FailNext(FaultyEngine::Point::kGet, 2, Status::Corruption("bad block"));
  for (int i = 0; i < 2; ++i) {
    GetOp get;
    get.partition = &engine_->system(), get.key = "a";
    engine_->Get(get);
    EXPECT_EQ(get.status.code(), StatusCode::kCorruption);
  }
  EXPECT_EQ(Durable("a"), "1");

  DurableOp durable;
  durable.mark = Commit("a", "3");
  engine_->WhenDurable(durable);
  engine_->FailNext(FaultyEngine::Point::kSync, 1, Status::IoError("disk gone"));
  EXPECT_FALSE(engine_->Sync().ok());
  EXPECT_EQ(durable.status.code(), StatusCode::kIoError);
  EXPECT_EQ(Durable("a"), "1");
}

TEST_F(FaultyEngineTest, DelayedOperationsFinishOnAnotherThread) {
  Commit("a", "1");
  ASSERT_TRUE(engine_->Sync().ok());
  engine_->SetDelayed(true);
  std::thread::id started, resumed;
  auto read = [&]() -> Task<std::string> {
    GetOp op;
    op.partition = &engine_->system(), op.key = "a";
    started = std::this_thread::get_id();
    engine_->Get(op);
    co_await op.done;
    resumed = std::this_thread::get_id();
    co_return op.value;
  };
  EXPECT_EQ(RunBlocking(read()), "1");
  EXPECT_EQ(started, resumed) << "a coroutine goes on where it was, whoever finished its operation";
}

}  // namespace
}  // namespace armature::storage
