// Who listens hears of every write, once it is durable and readers see it.
#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/testing/test_engine.h"
#include "table/table_testing.h"
#include "table/write/write_path.h"

namespace armature::table {
namespace {

using storage::FaultyEngine;
using testing::ElementsAre;
using testing::IsEmpty;

class Listener final : public WriteListener {
 public:
  void OnWritten(const Table& table, model::Item key) noexcept override {
    std::string said = table.def()->name + " " + expr::Show(key);
    if (look) said += " " + look(expr::Show(key));
    heard.push_back(std::move(said));
  }

  std::vector<std::string> Heard() { return std::exchange(heard, {}); }

  std::function<std::string(const std::string& key)> look;
  std::vector<std::string> heard;
};

class HeardWritesTest : public testing::Test {
 protected:
  HeardWritesTest() {
    layer_.writes.SetListener(&listener_);
    // What a reader finds at that moment.
    listener_.look = [this](const std::string& key) { return "is " + ReadItem(layer_.reads, *a_, key); };
  }
  std::string Run(std::unique_ptr<TestWrite> write) { return RunBlocking(write->Execute(layer_.writes)); }

  Metrics metrics_;
  std::unique_ptr<FaultyEngine> engine_ = storage::OpenFaultyEngine({}, metrics_);
  ManualClock clock_;
  TableLayer layer_{*engine_, clock_};
  std::shared_ptr<Table> a_ = layer_.CreateTable("A");
  std::shared_ptr<Table> b_ = layer_.CreateTable("B");
  Listener listener_;
};

TEST_F(HeardWritesTest, OfEachWriteWhenReadersSeeIt) {
  EXPECT_EQ(Run(TestWrite::Put(*a_, "pk=S:a,n=N:1")), "ok");
  EXPECT_THAT(listener_.Heard(), ElementsAre("A pk=S:a is n=N:1,pk=S:a"));
  EXPECT_EQ(Run(TestWrite::Update(*a_, "pk=S:a", "SET n = :two", {}, {{":two", "N:2"}})), "ok");
  EXPECT_THAT(listener_.Heard(), ElementsAre("A pk=S:a is n=N:2,pk=S:a"));
  EXPECT_EQ(Run(TestWrite::Delete(*a_, "pk=S:a")), "ok");
  EXPECT_THAT(listener_.Heard(), ElementsAre("A pk=S:a is (none)"));
}

TEST_F(HeardWritesTest, NotBeforeItIsDurable) {
  listener_.look = {};
  engine_->SetAutoSync(false);
  StepExecutor executor;
  std::string outcome;
  auto write = TestWrite::Put(*a_, "pk=S:a");
  executor.Start(write->ExecuteInto(layer_.writes, outcome));
  executor.RunQueued();
  EXPECT_EQ(outcome, "");
  EXPECT_THAT(listener_.Heard(), IsEmpty());
  ASSERT_TRUE(engine_->Sync().ok());
  executor.RunUntil([&] { return !outcome.empty(); });
  EXPECT_EQ(outcome, "ok");
  EXPECT_THAT(listener_.Heard(), ElementsAre("A pk=S:a"));
  engine_->SetAutoSync(true);
}

TEST_F(HeardWritesTest, OfWhatFailed) {
  listener_.look = {};
  EXPECT_EQ(Run(TestWrite::Put(*a_, "pk=S:a", "attribute_exists(pk)")), "condition");
  EXPECT_THAT(listener_.Heard(), ElementsAre("A pk=S:a")) << "who listens need not know the difference";
  engine_->FailNext(FaultyEngine::Point::kCommit, 1, Status::IoError("disk"));
  EXPECT_NE(Run(TestWrite::Put(*a_, "pk=S:b")), "ok");
  EXPECT_THAT(listener_.Heard(), ElementsAre("A pk=S:b")) << "perhaps it is there";
}

TEST_F(HeardWritesTest, OfEveryMemberOfABatch) {
  listener_.look = {};
  TestWrites batch;
  batch.Add(TestWrite::Put(*a_, "pk=S:a"));
  batch.Add(TestWrite::Delete(*b_, "pk=S:b"));
  EXPECT_EQ(RunBlocking(batch.ExecuteBatch(layer_.writes)), "ok");
  EXPECT_THAT(listener_.Heard(), ElementsAre("A pk=S:a", "B pk=S:b"));
}

TEST_F(HeardWritesTest, OfATransactionButNotOfItsChecks) {
  listener_.look = {};
  TestWrites good;
  good.Add(TestWrite::Put(*a_, "pk=S:a"));
  good.AddCheck(*b_, "pk=S:no", "attribute_not_exists(pk)");
  good.Add(TestWrite::Put(*b_, "pk=S:b"));
  EXPECT_EQ(RunBlocking(good.ExecuteTransaction(layer_.writes)), "ok");
  EXPECT_THAT(listener_.Heard(), ElementsAre("A pk=S:a", "B pk=S:b"));
  TestWrites bad;
  bad.Add(TestWrite::Put(*a_, "pk=S:c"));
  bad.AddCheck(*b_, "pk=S:b", "attribute_not_exists(pk)");
  EXPECT_EQ(RunBlocking(bad.ExecuteTransaction(layer_.writes)), "cancelled");
  EXPECT_THAT(listener_.Heard(), ElementsAre("A pk=S:c"));
}

TEST_F(HeardWritesTest, NotOfReads) {
  TestWrites reads;
  reads.AddCheck(*a_, "pk=S:a", {});
  RunBlocking(reads.ReadTogether(layer_.writes));
  ReadItem(layer_.reads, *a_, "pk=S:a");
  EXPECT_THAT(listener_.Heard(), IsEmpty());
}

}  // namespace
}  // namespace armature::table
