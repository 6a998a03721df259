#include "storage/engine_calls.h"

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/metrics.h"
#include "storage/faulty/faulty_engine.h"

namespace armature::storage {
namespace {

// Against an engine that answers before it returns, and one that answers from another thread.
class EngineCallsTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { engine_ = OpenFaultyEngine({.is_auto_sync = true, .is_delayed = GetParam()}, metrics_); }
  void TearDown() override { EXPECT_TRUE(engine_->Close().ok()); }

  Task<Status> Put(std::string key, std::string value) {
    Batch batch;
    batch.Put(key, value);
    OpenPartition& system = engine_->system();
    const auto committed = co_await CommitBatch(*engine_, system, batch);
    if (!committed) co_return committed.error();
    co_return co_await AwaitDurable(*engine_, system, committed->mark);
  }
  Task<Result<std::optional<std::string>>> Find(std::string key) {
    co_return co_await GetValue(*engine_, engine_->system(), key);
  }

  Metrics metrics_;
  std::unique_ptr<FaultyEngine> engine_;
};

INSTANTIATE_TEST_SUITE_P(, EngineCallsTest, ::testing::Bool(),
                         [](const auto& is_delayed) { return is_delayed.param ? "AnsweredLater" : "AnsweredAtOnce"; });

TEST_P(EngineCallsTest, AValueIsFoundOrNot) {
  const std::string large(1000, 'v');
  ASSERT_TRUE(RunBlocking(Put("a", large)).ok());
  auto found = RunBlocking(Find("a"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, large);
  auto absent = RunBlocking(Find("b"));
  ASSERT_TRUE(absent.has_value());
  EXPECT_EQ(*absent, std::nullopt);
}

TEST_P(EngineCallsTest, AnOperationOfTheCallersRunsInPlace) {
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(RunBlocking(Put(key, key)).ok());
  auto scan = [&](ScanOp& op) -> Task<Status> { co_return co_await storage::Run(*engine_, op); };
  ScanOp op;
  op.partition = &engine_->system();
  op.begin = "a", op.is_reverse = true, op.limit_rows = 2;
  ASSERT_TRUE(RunBlocking(scan(op)).ok());
  ASSERT_EQ(op.rows.size(), 2u);
  EXPECT_EQ(op.rows[0].key, "c");
  EXPECT_EQ(op.rows[1].key, "b");
  EXPECT_TRUE(op.has_more);
}

TEST_P(EngineCallsTest, PartsAreCommittedTogether) {
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({.id = 1, .keyspace = 1, .epoch = 1})).ok());
  const auto stale = *RunBlocking(engine_->OpenPartitionAt(1, 1));
  const auto owner = *RunBlocking(engine_->OpenPartitionAt(1, 2));
  auto commit = [&](OpenPartition& second) -> Task<Result<Mark>> {
    Batch left, right;
    left.Put("n", "2");
    right.Put("\x90", "1");
    std::vector<CommitManyOp::Part> parts{{&engine_->system(), &left}, {&second, &right}};
    auto mark = co_await CommitParts(*engine_, parts);
    if (!mark) co_return mark;
    EXPECT_TRUE((co_await AwaitDurable(*engine_, second, *mark)).ok());
    co_return mark;
  };
  auto fenced = RunBlocking(commit(*stale));
  ASSERT_FALSE(fenced.has_value());
  EXPECT_EQ(fenced.error().code(), StatusCode::kFenced);
  EXPECT_FALSE(RunBlocking(Find("n"))->has_value());
  auto committed = RunBlocking(commit(*owner));
  ASSERT_TRUE(committed.has_value());
  EXPECT_GT(*committed, 0u);
  EXPECT_EQ(*RunBlocking(Find("n")), "2");
}

TEST_P(EngineCallsTest, ErrorsOfEveryKindOfCallAreHandedOn) {
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({.id = 1, .keyspace = 1, .epoch = 1})).ok());
  const auto dropped = *RunBlocking(engine_->OpenPartitionAt(1, 1));
  ASSERT_TRUE(RunBlocking(engine_->DropPartition(1)).ok());
  auto commit = [&]() -> Task<Result<Committed>> {
    Batch batch;
    batch.Put("\x90", "1");
    co_return co_await CommitBatch(*engine_, *dropped, batch);
  };
  auto committed = RunBlocking(commit());
  ASSERT_FALSE(committed.has_value());
  EXPECT_EQ(committed.error().code(), StatusCode::kNotFound);
  engine_->FailNext(FaultyEngine::Point::kGet, 1, Status::Corruption("bad block"));
  auto found = RunBlocking(Find("a"));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code(), StatusCode::kCorruption);
  engine_->FailNext(FaultyEngine::Point::kSync, 1, Status::IoError("bad disk"));
  EXPECT_EQ(RunBlocking(Put("a", "1")).code(), StatusCode::kIoError);
}

TEST(EngineCalls, WhatAnEngineThrowsReachesTheCaller) {
  Metrics metrics;
  const auto engine = OpenFaultyEngine({}, metrics);
  const std::string key = "a";
  auto find = [&]() -> Task<bool> {
    try {
      static_cast<void>(co_await GetValue(*engine, engine->system(), key));
    } catch (const std::bad_alloc&) { co_return true; }
    co_return false;
  };
  engine->ThrowNext(FaultyEngine::Point::kGet);
  EXPECT_TRUE(RunBlocking(find()));
  EXPECT_FALSE(RunBlocking(find()));
}

}  // namespace
}  // namespace armature::storage
