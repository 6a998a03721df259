#include "iam/store/usage.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iam/store/store_testing.h"
#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"

namespace armature::iam {
namespace {

constexpr int64_t kNow = 1'700'000'000'000;
bool Everybody(std::string_view) { return true; }

class UsageTest : public StoreTest {
 protected:
  std::string Write() { return RunBlocking(usage_->Write()).ToString(); }
  void Load(std::function<bool(std::string_view)> is_known = Everybody) {
    usage_ = std::make_unique<UsageTable>(*engine_);
    ASSERT_TRUE(RunBlocking(usage_->Load(std::move(is_known))).ok());
  }
  std::unique_ptr<UsageTable> usage_ = std::make_unique<UsageTable>(*engine_);
};

TEST_F(UsageTest, TheLastUseIsToldAndStoredWhenItIsWritten) {
  EXPECT_FALSE(usage_->Find("AKIA1"));
  usage_->Note("AKIA1", "dynamodb", "eu-north-1", kNow);
  usage_->Note("AKIA1", "iam", "us-east-1", kNow + 61'000);
  ASSERT_TRUE(usage_->Find("AKIA1"));
  EXPECT_EQ(usage_->Find("AKIA1")->service, "iam");
  Load();
  EXPECT_FALSE(usage_->Find("AKIA1")) << "not written";
  usage_->Note("AKIA1", "dynamodb", "eu-north-1", kNow);
  EXPECT_EQ(Write(), "ok");
  Load();
  EXPECT_EQ(usage_->Find("AKIA1")->at_millis, kNow);
  EXPECT_EQ(usage_->Find("AKIA1")->region, "eu-north-1");
}

// The example of docs/design/formats.md.
TEST_F(UsageTest, BytesAsDocumented) {
  usage_->Note("AKIA1", "dynamodb", "eu-north-1", kNow);
  EXPECT_EQ(Write(), "ok");
  const std::string key = table::IamUsageKey("AKIA1");
  EXPECT_EQ(key, "AlAKIA1");
  const auto stored = RunBlocking([](storage::Engine& engine, const std::string& of) -> Task<std::string> {
    const storage::ReadAt latest{storage::View::kLatest};
    const auto value = co_await storage::GetValue(engine, engine.system(), of, latest);
    co_return value&&* value ? **value : "none";
  }(*engine_, key));
  EXPECT_EQ(stored, R"({"version":1,"at":1700000000000,"service":"dynamodb","region":"eu-north-1"})");
}

TEST_F(UsageTest, NothingIsWrittenTwice) {
  usage_->Note("AKIA1", "dynamodb", "r", kNow);
  EXPECT_EQ(Write(), "ok");
  const uint64_t commits = engine_->stats().commits;
  usage_->Note("AKIA1", "dynamodb", "r", kNow + 1000);  // within the minute
  EXPECT_EQ(Write(), "ok");
  EXPECT_EQ(engine_->stats().commits, commits);
  usage_->Note("AKIA1", "dynamodb", "r", kNow + 61'000);
  EXPECT_EQ(Write(), "ok");
  EXPECT_EQ(engine_->stats().commits, commits + 1);
}

TEST_F(UsageTest, WhatBelongsToNobodyIsForgottenWhileItRuns) {
  usage_->Note("AKIA1", "dynamodb", "r", kNow);
  usage_->Note("AKIA2", "dynamodb", "r", kNow);
  EXPECT_EQ(Write(), "ok");
  const auto forget = [&] {
    return RunBlocking(usage_->Forget([](std::string_view id) { return id == "AKIA2"; })).ToString();
  };
  engine_->FailNext(Point::kCommit, 1, Status::NoSpace("full"));
  EXPECT_NE(forget(), "ok");
  EXPECT_TRUE(usage_->Find("AKIA1")) << "tried again the next time";
  EXPECT_EQ(forget(), "ok");
  EXPECT_FALSE(usage_->Find("AKIA1"));
  EXPECT_TRUE(usage_->Find("AKIA2"));
  const uint64_t commits = engine_->stats().commits;
  EXPECT_EQ(forget(), "ok");
  EXPECT_EQ(engine_->stats().commits, commits) << "nothing is left to do";
  Load();
  EXPECT_FALSE(usage_->Find("AKIA1"));
}

TEST_F(UsageTest, AFailedWriteIsMadeAgain) {
  usage_->Note("AKIA1", "dynamodb", "r", kNow);
  engine_->FailNext(Point::kCommit, 1, Status::NoSpace("full"));
  EXPECT_NE(Write(), "ok");
  EXPECT_EQ(Write(), "ok");
  Load();
  EXPECT_TRUE(usage_->Find("AKIA1"));
}

TEST_F(UsageTest, WhatBelongsToNobodyIsForgottenAndDamageIsNoMatter) {
  usage_->Note("AKIA1", "dynamodb", "r", kNow);
  usage_->Note("AKIA2", "dynamodb", "r", kNow);
  EXPECT_EQ(Write(), "ok");
  WriteRecord(table::IamUsageKey("AKIA3"), "garbage");
  Load([](std::string_view id) { return id != "AKIA2"; });
  EXPECT_TRUE(usage_->Find("AKIA1"));
  EXPECT_FALSE(usage_->Find("AKIA2"));
  EXPECT_FALSE(usage_->Find("AKIA3"));
  EXPECT_EQ(Records().size(), 1u);
  ASSERT_EQ(Restart(), "ok") << "IAM's own records are others";
}

TEST_F(UsageTest, ManyThreadsNoteAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) usage_->Note(fmt::format("AKIA{}", i % 7), "dynamodb", "r", kNow + i * 30'000 + t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 7; ++i) EXPECT_GT(usage_->Find(fmt::format("AKIA{}", i))->at_millis, kNow + 990 * 30'000);
}

}  // namespace
}  // namespace armature::iam
