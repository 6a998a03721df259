// Requests that meet a transaction under way: refused where that was asked for, and reads of several items as of one
// moment.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "storage/faulty/faulty_engine.h"
#include "storage/testing/test_engine.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

// The disk is held up, so that transactions stay under way until Sync.
class ConflictsTest : public testing::TestWithParam<TransactionConflicts> {
 protected:
  ConflictsTest() {
    a_ = layer_.CreateTable("A");
    b_ = layer_.CreateTable("B");
    Put(*a_, "pk=S:1,n=N:1");
    Put(*b_, "pk=S:1,n=N:1");
    engine_->SetAutoSync(false);
  }
  ~ConflictsTest() override { Sync(); }

  void Put(Table& table, std::string_view item) {
    ASSERT_EQ(RunBlocking(TestWrite::Put(table, item)->Execute(layer_.writes)), "ok");
  }
  // Both items are to be 2, which is not durable yet.
  void BeginTransaction() {
    for (Table* table : {a_.get(), b_.get()}) under_way_.Add(TestWrite::Put(*table, "pk=S:1,n=N:2"));
    Start(under_way_, outcome_);
    ASSERT_EQ(outcome_, "");
  }
  void Start(TestWrites& writes, std::string& outcome) {
    executor_.Start([](TestWrites& all, WritePath& path, std::string& out) -> Task<void> {
      out = co_await all.ExecuteTransaction(path);
    }(writes, layer_.writes, outcome));
    executor_.RunQueued();
  }
  void Start(TestWrite& write, std::string& outcome) {
    executor_.Start(write.ExecuteInto(layer_.writes, outcome));
    executor_.RunQueued();
  }
  // Whoever waits for the disk, and whoever goes on then and waits for it once more.
  void Sync() {
    while (engine_->unsynced_commits() > 0) {
      ASSERT_TRUE(engine_->Sync().ok());
      executor_.RunQueued();
    }
    engine_->SetAutoSync(true);
  }
  bool is_refused() const { return GetParam() == TransactionConflicts::kFail; }

  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<storage::FaultyEngine> engine_ = storage::OpenFaultyEngine({}, metrics_);
  TableLayer layer_{*engine_, clock_, 0, WriteOptions{.conflicts = GetParam()}};
  StepExecutor executor_;
  std::shared_ptr<Table> a_, b_;
  TestWrites under_way_;
  std::string outcome_;
};

INSTANTIATE_TEST_SUITE_P(Both, ConflictsTest, testing::Values(TransactionConflicts::kWait, TransactionConflicts::kFail),
                         [](const auto& mode) { return mode.param == TransactionConflicts::kFail ? "Fail" : "Wait"; });

TEST_P(ConflictsTest, AWriteOfAnItemOfTheTransaction) {
  BeginTransaction();
  const auto write = TestWrite::Update(*a_, "pk=S:1", "SET n = n + :one", {}, {{":one", "N:1"}});
  std::string outcome;
  Start(*write, outcome);
  EXPECT_EQ(outcome, is_refused() ? "TransactionConflictException" : "");
  Sync();
  EXPECT_EQ(outcome_, "ok");
  if (is_refused()) {
    EXPECT_EQ(write->message(), "Transaction is ongoing for the item");
  } else {
    EXPECT_EQ(outcome, "ok");
  }
  EXPECT_EQ(ReadItem(layer_.reads, *a_, "pk=S:1"), is_refused() ? "n=N:2,pk=S:1" : "n=N:3,pk=S:1");
  // When it has ended nothing is in the way.
  EXPECT_EQ(RunBlocking(TestWrite::Put(*a_, "pk=S:1")->Execute(layer_.writes)), "ok");
}

TEST_P(ConflictsTest, AWriteOfAnotherItem) {
  BeginTransaction();
  const auto write = TestWrite::Put(*a_, "pk=S:2");
  std::string outcome;
  Start(*write, outcome);
  EXPECT_EQ(outcome, "");
  Sync();
  EXPECT_EQ(outcome, "ok");
}

TEST_P(ConflictsTest, ATransactionWithAnItemOfTheTransaction) {
  BeginTransaction();
  TestWrites second;
  second.Add(TestWrite::Put(*a_, "pk=S:2"));
  second.Add(TestWrite::Put(*b_, "pk=S:1,n=N:3"));
  std::string outcome;
  Start(second, outcome);
  EXPECT_EQ(outcome, is_refused() ? "cancelled" : "");
  Sync();
  EXPECT_EQ(second.all()[0].meets_transaction, false);
  EXPECT_EQ(second.all()[1].meets_transaction, is_refused());
  EXPECT_EQ(ReadItem(layer_.reads, *a_, "pk=S:2"), is_refused() ? "(none)" : "pk=S:2");
}

TEST_P(ConflictsTest, ABatchWithAnItemOfTheTransaction) {
  BeginTransaction();
  TestWrites batch;
  batch.Add(TestWrite::Put(*a_, "pk=S:2"));
  batch.Add(TestWrite::Put(*b_, "pk=S:1,n=N:3"));
  std::string outcome;
  executor_.Start([](TestWrites& all, WritePath& path, std::string& out) -> Task<void> {
    out = co_await all.ExecuteBatch(path);
  }(batch, layer_.writes, outcome));
  executor_.RunQueued();
  Sync();
  EXPECT_EQ(outcome_, "ok");
  EXPECT_EQ(outcome, "ok");
  EXPECT_FALSE(batch.all()[0].failure);
  ASSERT_EQ(batch.all()[1].failure.has_value(), is_refused());
  if (is_refused()) { EXPECT_EQ(batch.all()[1].failure->name, "TransactionConflictException"); }
}

TEST_P(ConflictsTest, ReadingTheItemsOfTheTransactionTogether) {
  BeginTransaction();
  TestWrites reads;
  for (Table* table : {a_.get(), b_.get()}) reads.AddCheck(*table, "pk=S:1", {});
  reads.AddCheck(*a_, "pk=S:none", {});
  std::string found;
  executor_.Start([](TestWrites& all, WritePath& path, std::string& out) -> Task<void> {
    out = co_await all.ReadTogether(path);
  }(reads, layer_.writes, found));
  executor_.RunQueued();
  EXPECT_EQ(found, is_refused() ? "conflict" : "") << "what is not durable is not told";
  Sync();
  if (!is_refused()) { EXPECT_EQ(found, "n=N:2,pk=S:1 n=N:2,pk=S:1 (none)"); }
}

// Without a snapshot: readers take the latches of the items as writers do.
TEST(ReadTogetherTest, NeverHalfATransaction) {
  ManualClock clock;
  Metrics metrics;
  const auto engine = storage::MakeTestEngine(metrics);
  TableLayer layer(*engine, clock);
  const auto a = layer.CreateTable("A"), b = layer.CreateTable("B");
  for (int i = 0; i < 50; ++i) {
    StepExecutor executor;
    TestWrites writes, reads;
    for (Table* table : {a.get(), b.get()}) {
      writes.Add(TestWrite::Put(*table, fmt::format("pk=S:1,n=N:{}", i)));
      reads.AddCheck(*table, "pk=S:1", {});
    }
    std::string written, found;
    const auto transact = [](TestWrites& all, WritePath& path, std::string& out) -> Task<void> {
      out = co_await all.ExecuteTransaction(path);
    };
    const auto read = [](TestWrites& all, WritePath& path, std::string& out) -> Task<void> {
      out = co_await all.ReadTogether(path);
    };
    executor.Start(transact(writes, layer.writes, written));
    executor.Start(read(reads, layer.writes, found));
    executor.RunUntil([&] { return !written.empty() && !found.empty(); });
    ASSERT_EQ(written, "ok");
    const std::string now = fmt::format("n=N:{},pk=S:1", i);
    const std::string before = i == 0 ? "(none)" : fmt::format("n=N:{},pk=S:1", i - 1);
    EXPECT_TRUE(found == now + " " + now || found == before + " " + before) << found;
  }
}

}  // namespace
}  // namespace armature::table
