#include "storage/faulty/faulty_engine.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

class FaultyEngineTest : public ::testing::Test {
 protected:
  Sequence Commit(std::string_view key, std::string_view value) {
    Batch batch;
    batch.Put(key, value);
    CommitOp op;
    op.batch = &batch;
    engine_->Commit(op);
    Await(op.done);
    EXPECT_TRUE(op.status.ok());
    return op.sequence;
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
  synced.sequence = Commit("a", "1");
  engine_->WhenDurable(synced);
  EXPECT_FALSE(synced.done.finished());
  ASSERT_TRUE(engine_->Sync().ok());
  EXPECT_TRUE(synced.done.finished());
  EXPECT_TRUE(synced.status.ok());
  lost.sequence = Commit("a", "2");
  engine_->WhenDurable(lost);
  engine_->Crash();
  EXPECT_TRUE(lost.done.finished());
  EXPECT_EQ(lost.status.code(), StatusCode::kUnavailable);
}

TEST_F(FaultyEngineTest, PartitionsSurviveACrash) {
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({5, 2, {"a", "z"}})).ok());
  ASSERT_TRUE(RunBlocking(engine_->FencePartition(kSystemPartition, 3)).ok());
  Batch batch;
  batch.Put("k", "v");
  CommitOp op;
  op.partition = 5, op.epoch = 2, op.batch = &batch;
  engine_->Commit(op);
  ASSERT_TRUE(op.status.ok());
  ASSERT_TRUE(engine_->Sync().ok());
  engine_->Crash();
  EXPECT_EQ(RunBlocking(engine_->ListPartitions())->size(), 2u);
  EXPECT_EQ(Latest("k"), "v");
  EXPECT_EQ(CommitAndWait(*engine_, batch, 5, 1).code(), StatusCode::kFenced);
}

TEST_F(FaultyEngineTest, InjectedErrorsChangeNothing) {
  Commit("a", "1");
  ASSERT_TRUE(engine_->Sync().ok());
  engine_->FailNext(FaultyEngine::Point::kCommit, 1, Status::NoSpace("full"));
  Batch batch;
  batch.Put("a", "2");
  CommitOp commit;
  commit.batch = &batch;
  engine_->Commit(commit);
  EXPECT_EQ(commit.status.code(), StatusCode::kNoSpace);
  EXPECT_EQ(Latest("a"), "1");

  engine_->FailNext(FaultyEngine::Point::kGet, 2, Status::Corruption("bad block"));
  for (int i = 0; i < 2; ++i) {
    GetOp get;
    get.key = "a";
    engine_->Get(get);
    EXPECT_EQ(get.status.code(), StatusCode::kCorruption);
  }
  EXPECT_EQ(Durable("a"), "1");

  DurableOp durable;
  durable.sequence = Commit("a", "3");
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
    op.key = "a";
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
