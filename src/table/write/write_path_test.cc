#include "table/write/write_path.h"

#include <array>
#include <atomic>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/item_size.h"
#include "model/messages/items.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"
#include "storage/testing/test_engine.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

class WritePathTest : public testing::Test {
 protected:
  std::string Run(std::unique_ptr<TestWrite> write) {
    last_ = std::move(write);
    return RunBlocking(last_->Execute(layer_.writes));
  }
  std::string Read(std::string_view key) { return ReadItem(layer_.reads, *table_, key); }
  std::string Stats() const {
    const storage::RowCount count = table_->CountItems();
    return fmt::format("{} items {} bytes", count.rows, count.bytes);
  }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  ManualClock clock_;
  TableLayer layer_{*engine_, clock_};
  std::shared_ptr<Table> table_ = layer_.CreateTable("T");
  std::unique_ptr<TestWrite> last_;
};

TEST_F(WritePathTest, PutCreatesThenReplaces) {
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1")), "ok");
  EXPECT_EQ(last_->old_item(), "(none)");
  EXPECT_EQ(Read("pk=S:a"), "n=N:1,pk=S:a");
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,other=S:x")), "ok");
  EXPECT_EQ(last_->old_item(), "n=N:1,pk=S:a");
  EXPECT_EQ(last_->new_item(), "other=S:x,pk=S:a");
  EXPECT_EQ(Read("pk=S:a"), "other=S:x,pk=S:a");
  EXPECT_EQ(Read("pk=S:b"), "(none)");
}

TEST_F(WritePathTest, UpdateCreatesChangesAndLeavesTheRest) {
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "SET n = :one", {}, {{":one", "N:1"}})), "ok");
  EXPECT_EQ(Read("pk=S:a"), "n=N:1,pk=S:a");
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "SET n = n + :one, m = :one", {}, {{":one", "N:1"}})), "ok");
  EXPECT_EQ(last_->old_item(), "n=N:1,pk=S:a");
  EXPECT_EQ(last_->new_item(), "m=N:1,n=N:2,pk=S:a");
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "REMOVE n")), "ok");
  EXPECT_EQ(Read("pk=S:a"), "m=N:1,pk=S:a");
}

TEST_F(WritePathTest, RemovingFromAMissingItemCreatesNone) {
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "REMOVE n")), "ok");
  EXPECT_FALSE(last_->write().new_exists);
  EXPECT_EQ(Read("pk=S:a"), "(none)");
  EXPECT_EQ(Stats(), "0 items 0 bytes");
}

TEST_F(WritePathTest, DeleteRemovesAndIsIdempotent) {
  Run(TestWrite::Put(*table_, "pk=S:a,n=N:1"));
  EXPECT_EQ(Run(TestWrite::Delete(*table_, "pk=S:a")), "ok");
  EXPECT_EQ(last_->old_item(), "n=N:1,pk=S:a");
  EXPECT_FALSE(last_->write().new_exists);
  EXPECT_EQ(Read("pk=S:a"), "(none)");
  EXPECT_EQ(Run(TestWrite::Delete(*table_, "pk=S:a")), "ok");
  EXPECT_EQ(last_->old_item(), "(none)");
}

TEST_F(WritePathTest, ConditionsDecide) {
  const std::string only_new = "attribute_not_exists(pk)";
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1", only_new)), "ok");
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:2", only_new)), "condition");
  EXPECT_EQ(last_->old_item(), "n=N:1,pk=S:a");  // for ReturnValuesOnConditionCheckFailure
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "SET n = :two", "n = :two", {{":two", "N:2"}})), "condition");
  EXPECT_EQ(Run(TestWrite::Delete(*table_, "pk=S:a", "n > :two", {{":two", "N:2"}})), "condition");
  EXPECT_EQ(Read("pk=S:a"), "n=N:1,pk=S:a");
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "SET n = :two", "n < :two", {{":two", "N:2"}})), "ok");
  EXPECT_EQ(Run(TestWrite::Delete(*table_, "pk=S:a", "n = :two", {{":two", "N:2"}})), "ok");
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "SET n = :two", "attribute_exists(pk)", {{":two", "N:2"}})),
            "condition");
  EXPECT_EQ(Read("pk=S:a"), "(none)");
  EXPECT_EQ(Stats(), "0 items 0 bytes");
}

TEST_F(WritePathTest, SortKeysAreDifferentItems) {
  table_ = layer_.CreateTable("S", true);
  for (const auto* number : {"1", "10", "-5"})
    EXPECT_EQ(Run(TestWrite::Put(*table_, fmt::format("pk=S:a,sk=N:{}", number))), "ok");
  EXPECT_EQ(Run(TestWrite::Delete(*table_, "pk=S:a,sk=N:10")), "ok");
  EXPECT_EQ(Read("pk=S:a,sk=N:1.0"), "pk=S:a,sk=N:1");  // the same number
  EXPECT_EQ(Read("pk=S:a,sk=N:10"), "(none)");
  EXPECT_EQ(Read("pk=S:a,sk=N:-5"), "pk=S:a,sk=N:-5");
}

TEST_F(WritePathTest, TablesDoNotSeeEachOther) {
  auto other = layer_.CreateTable("U");
  Run(TestWrite::Put(*table_, "pk=S:a,n=N:1"));
  EXPECT_EQ(ReadItem(layer_.reads, *other, "pk=S:a"), "(none)");
  EXPECT_EQ(Run(TestWrite::Put(*other, "pk=S:a,n=N:2", "attribute_not_exists(pk)")), "ok");
  EXPECT_EQ(Read("pk=S:a"), "n=N:1,pk=S:a");
}

TEST_F(WritePathTest, SizesAndStatisticsAreByProducts) {
  Run(TestWrite::Put(*table_, "pk=S:a,x=S:12345"));  // 2+1 + 1+5
  EXPECT_EQ(last_->write().new_size, 9u);
  EXPECT_EQ(last_->write().old_size, 0u);
  EXPECT_EQ(Stats(), "1 items 9 bytes");
  Run(TestWrite::Put(*table_, "pk=S:bb"));
  EXPECT_EQ(Stats(), "2 items 13 bytes");
  Run(TestWrite::Update(*table_, "pk=S:a", "SET x = :x", {}, {{":x", "S:123456789"}}));
  EXPECT_EQ(last_->write().old_size, 9u);
  EXPECT_EQ(last_->write().new_size, 13u);
  EXPECT_EQ(Stats(), "2 items 17 bytes");
  Run(TestWrite::Delete(*table_, "pk=S:a"));
  EXPECT_EQ(last_->write().old_size, 13u);
  EXPECT_EQ(last_->write().new_size, 0u);
  EXPECT_EQ(Stats(), "1 items 4 bytes");
}

TEST_F(WritePathTest, TheOldSizeIsKnownWithoutDecodingTheOldItem) {
  Run(TestWrite::Put(*table_, "pk=S:a,x=S:12345"));
  auto write = TestWrite::Put(*table_, "pk=S:a");
  write->write().wants_old_image = false;
  EXPECT_EQ(Run(std::move(write)), "ok");
  EXPECT_TRUE(last_->write().old_exists);
  EXPECT_TRUE(last_->write().old_item.empty());
  EXPECT_EQ(last_->write().old_size, 9u);
}

TEST_F(WritePathTest, AnUpdateThatDoesNotFitTheItemChangesNothing) {
  Run(TestWrite::Put(*table_, "pk=S:a,n=S:text"));
  EXPECT_EQ(Run(TestWrite::Update(*table_, "pk=S:a", "SET n = n + :one", {}, {{":one", "N:1"}})),
            "ValidationException");
  EXPECT_EQ(Read("pk=S:a"), "n=S:text,pk=S:a");
  EXPECT_EQ(Run(TestWrite::Put(*table_, "pk=S:a,n=N:1")), "ok");  // the latch is free again
}

// What the statement itself amounts to is UpdateItem's affair; here only the finished item counts.
TEST_F(WritePathTest, AnUpdatedItemIsMeasuredToTheByte) {
  const auto update = [&](size_t text, std::string_view expression) {
    const std::string value = "S:" + std::string(text, 'x');
    return Run(TestWrite::Update(*table_, "pk=S:a", expression, {}, {{":x", value}}));
  };
  constexpr size_t kLimit = model::kMaxItemBytes;
  EXPECT_EQ(update(kLimit - 4, "SET x = :x"), "ok");
  EXPECT_EQ(last_->write().new_size, kLimit);
  EXPECT_EQ(update(kLimit - 3, "SET x = :x"), "ValidationException");
  EXPECT_EQ(last_->message(), model::messages::kItemToUpdateTooLarge);
  // Rejected updates left the item alone.
  EXPECT_EQ(Run(TestWrite::Delete(*table_, "pk=S:a")), "ok");
  EXPECT_EQ(last_->write().old_size, kLimit);
}

TEST_F(WritePathTest, AFullSizeItemCanBePutAndDeleted) {
  const std::string item = "pk=S:a,x=S:" + std::string(model::kMaxItemBytes - 4, 'x');
  EXPECT_EQ(Run(TestWrite::Put(*table_, item)), "ok");
  EXPECT_EQ(Stats(), "1 items 409600 bytes");
  EXPECT_EQ(Run(TestWrite::Delete(*table_, "pk=S:a")), "ok");
  EXPECT_EQ(Stats(), "0 items 0 bytes");
}

// --- on disk, over several threads

Task<void> AddOnes(WritePath& writes, Table& table, int rounds, std::atomic<int>& failed) {
  for (int i = 0; i < rounds; ++i) {
    auto write = TestWrite::Update(table, "pk=S:counter", "ADD n :one", "attribute_exists(pk)", {{":one", "N:1"}});
    const std::string outcome = co_await write->Execute(writes);
    if (outcome != "ok") ++failed;
  }
}

TEST(WriteOnDisk, CountersOfSeveralThreadsAddUpAndAreThereAfterReopening) {
  constexpr int kCoroutines = 16, kRounds = 25;
  storage::TemporaryDirectory directory;
  Metrics metrics;
  ManualClock clock;
  storage::RocksDbOptions options;
  options.directory = directory.path() + "/data";
  for (int opened = 1; opened <= 2; ++opened) {
    auto engine = storage::OpenRocksDbEngine(options, metrics);
    ASSERT_TRUE(engine) << engine.error().ToString();
    TableLayer layer(**engine, clock);
    ASSERT_TRUE(RunBlocking(layer.catalog.Load()).ok());
    auto table = opened == 1 ? layer.CreateTable("T") : layer.catalog.Find(kScope, "T");
    ASSERT_TRUE(table);
    if (opened == 1) { EXPECT_EQ(RunBlocking(TestWrite::Put(*table, "pk=S:counter")->Execute(layer.writes)), "ok"); }
    std::atomic<int> failed{0};
    {
      std::array<ThreadExecutor, 3> executors;
      for (size_t i = 0; i < kCoroutines; ++i) executors[i % 3].Spawn(AddOnes(layer.writes, *table, kRounds, failed));
      for (auto& executor : executors) executor.WaitIdle();
    }
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(ReadItem(layer.reads, *table, "pk=S:counter"),
              fmt::format("n=N:{},pk=S:counter", opened * kCoroutines * kRounds));
    ASSERT_TRUE((*engine)->Close().ok());
  }
}

}  // namespace
}  // namespace armature::table
