// The read and write paths where capacity is limited: who is refused, what it costs who is not, and what is left of
// both.
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "storage/testing/test_engine.h"
#include "table/keys/key_range.h"
#include "table/read/page_read.h"
#include "table/table_testing.h"
#include "table/throttle/throttle_error.h"

namespace armature::table {
namespace {

constexpr std::string_view kRefused = "ProvisionedThroughputExceededException";

// A provisioned table of 10 read and 10 write units, its global index by_g of as many, and a local one.
class ThrottlingTest : public testing::Test {
 protected:
  ThrottlingTest() {
    model::TableDef def = MakeIndexedTableDef("tbl");
    def.throughput = def.indexes[0].throughput = {.read_units = 10, .write_units = 10};
    def.indexes[0].projection.type = model::ProjectionType::kKeysOnly;
    table_ = RunBlocking(layer_.catalog.Create(def)).value();
  }

  void Change(const std::function<void(model::TableDef&)>& change) {
    ASSERT_TRUE(RunBlocking(layer_.catalog.Update(kScope, "tbl", [&](model::TableDef& def) -> model::ApiResult<void> {
      change(def);
      return {};
    })));
  }
  void SetIndexUnits(int64_t units) {
    Change([&](model::TableDef& def) { def.indexes[0].throughput = {.read_units = units, .write_units = units}; });
  }
  void GoOnDemand(model::OnDemandThroughput of_table, model::OnDemandThroughput of_index) {
    Change([&](model::TableDef& def) {
      def.billing_mode = model::BillingMode::kPayPerRequest;
      def.throughput = def.indexes[0].throughput = {};
      def.on_demand = of_table;
      def.indexes[0].on_demand = of_index;
    });
  }

  double Left(Use use) { return LeftOf(table_->partitions(), use); }
  double LeftOfIndex(Use use) {
    const auto schema = table_->schema();
    return LeftOf(*schema->FindIndex("by_g")->partitions, use);
  }
  static double LeftOf(const PartitionSet& partitions, Use use) {
    return partitions.throttle().Balance(use, *partitions.Find(0)->ceilings());
  }
  // Nothing is left, to the unit.
  void Exhaust(Use use) { Exhaust(table_->partitions(), use); }
  void ExhaustIndex(Use use) {
    const auto schema = table_->schema();
    Exhaust(*schema->FindIndex("by_g")->partitions, use);
  }
  static void Exhaust(const PartitionSet& partitions, Use use) {
    const auto partition = partitions.Find(0);
    const double left = partitions.throttle().Balance(use, *partition->ceilings());
    partitions.throttle().Pay(use, left, partition->ceilings()).Keep();
  }
  void Pass(double seconds) { clock_.AdvanceMillis(static_cast<int64_t>(seconds * 1000)); }

  static std::string Blob(size_t size) { return std::string(size, 'x'); }
  std::string Put(std::string_view item, std::string_view condition = {}) {
    return RunBlocking(TestWrite::Put(*table_, item, condition)->Execute(layer_.writes));
  }
  std::string Read(std::string_view key) { return ReadItem(layer_.reads, *table_, key); }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  ManualClock clock_;
  RunningClock running_{clock_};
  TableLayer layer_{*engine_, clock_, 0, {}, {&running_, false}};
  std::shared_ptr<Table> table_;
  Arena arena_;
};

// --- writes

TEST_F(ThrottlingTest, WritesUpToTheBurstAndThenAtTheRate) {
  int done = 0;
  while (Put(fmt::format("pk=S:k{},sk=N:1", done)) == "ok") ++done;
  EXPECT_EQ(done, 3000);
  EXPECT_EQ(Put("pk=S:late,sk=N:1"), kRefused);
  Pass(0.5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Put(fmt::format("pk=S:l{},sk=N:1", i)), "ok");
  EXPECT_EQ(Put("pk=S:late,sk=N:1"), kRefused);
  EXPECT_EQ(Read("pk=S:late,sk=N:1"), "(none)") << "nothing is done of what is refused";
  double metered = 0;
  for (const auto& partition : *table_->partitions().list()) metered += partition->meter().write_units();
  EXPECT_EQ(metered, 3005) << "nor paid";
}

TEST_F(ThrottlingTest, WhatAWriteHasCostIsPaidOnceItIsKnown) {
  EXPECT_EQ(Put("pk=S:a,sk=N:1,b=S:" + Blob(5000)), "ok");
  EXPECT_EQ(Left(Use::kWrite), 3000 - 5);
  EXPECT_EQ(Put("pk=S:a,sk=N:1"), "ok");
  EXPECT_EQ(Left(Use::kWrite), 3000 - 10) << "what it replaces counts";
  EXPECT_EQ(Put("pk=S:a,sk=N:1,b=S:" + Blob(3000), "attribute_not_exists(pk)"), "condition");
  EXPECT_EQ(Left(Use::kWrite), 3000 - 13) << "and so does a condition that fails";
  EXPECT_EQ(Put("pk=S:a,sk=N:1,l=S:x,b=S:" + Blob(1500)), "ok");
  EXPECT_EQ(Left(Use::kWrite), 3000 - 13 - 4) << "and what a local index has of it";
  EXPECT_EQ(LeftOfIndex(Use::kWrite), 3000);
}

TEST_F(ThrottlingTest, ALargeItemIsLetInAndOwed) {
  Exhaust(Use::kWrite);
  Pass(0.1);
  EXPECT_EQ(Put("pk=S:a,sk=N:1,b=S:" + Blob(99 * 1024)), "ok");
  EXPECT_EQ(Left(Use::kWrite), -99);
  Pass(9.9);
  EXPECT_EQ(Put("pk=S:b,sk=N:1"), kRefused);
  Pass(0.1);
  EXPECT_EQ(Put("pk=S:b,sk=N:1"), "ok");
}

TEST_F(ThrottlingTest, ThroughputThatIsRaisedCountsAtOnce) {
  Exhaust(Use::kWrite);
  EXPECT_EQ(Put("pk=S:a,sk=N:1"), kRefused);
  Change([](model::TableDef& def) { def.throughput.write_units = 1000; });
  Pass(0.1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Put(fmt::format("pk=S:{},sk=N:1", i)), "ok");
  EXPECT_EQ(Put("pk=S:a,sk=N:1"), kRefused);
  GoOnDemand({}, {});
  for (int i = 0; i < 200; ++i) EXPECT_EQ(Put(fmt::format("pk=S:{},sk=N:1", i)), "ok");
}

TEST_F(ThrottlingTest, WhatTheServiceDoesIsNeverRefused) {
  ASSERT_EQ(Put("pk=S:a,sk=N:1,g=S:x"), "ok");
  Change([](model::TableDef& def) {
    def.ttl.status = model::TtlStatus::kEnabled;
    def.ttl.attribute = "ttl";
  });
  Exhaust(Use::kWrite);
  ExhaustIndex(Use::kWrite);
  const auto expired = TestWrite::Delete(*table_, "pk=S:a,sk=N:1");
  expired->write().by_ttl = true;
  EXPECT_EQ(RunBlocking(expired->Execute(layer_.writes)), "ok");
  EXPECT_EQ(Left(Use::kWrite), 0);
  EXPECT_EQ(LeftOfIndex(Use::kWrite), 0);
}

// --- global indexes

TEST_F(ThrottlingTest, AnIndexWithoutCapacityStopsTheWritesOfItsTable) {
  ASSERT_EQ(Put("pk=S:a,sk=N:1,g=S:x"), "ok");
  EXPECT_EQ(LeftOfIndex(Use::kWrite), 2999);
  ExhaustIndex(Use::kWrite);
  const double left = Left(Use::kWrite);
  const auto write = TestWrite::Put(*table_, "pk=S:b,sk=N:1,g=S:y");
  EXPECT_EQ(RunBlocking(write->Execute(layer_.writes)), kRefused);
  EXPECT_NE(write->message().find("global secondary indexes"), std::string::npos);
  EXPECT_EQ(Read("pk=S:b,sk=N:1"), "(none)");
  EXPECT_EQ(Put("pk=S:a,sk=N:1,g=S:x,other=S:1"), kRefused) << "also where its row stays as it is";
  EXPECT_EQ(Put("pk=S:a,sk=N:1"), kRefused) << "or goes";
  EXPECT_EQ(Left(Use::kWrite), left) << "the table is not paid for that";
  EXPECT_EQ(Put("pk=S:c,sk=N:1"), "ok") << "an item that it does not have is none of its business";
  Pass(0.1);
  EXPECT_EQ(Put("pk=S:a,sk=N:1,g=S:z"), "ok");
  EXPECT_EQ(LeftOfIndex(Use::kWrite), -1) << "a row that moves is paid twice";
}

TEST_F(ThrottlingTest, AnIndexOfTooFewUnitsSlowsItsTableDown) {
  SetIndexUnits(1);
  ExhaustIndex(Use::kWrite);
  int done = 0;
  for (int i = 0; i < 100; ++i) {
    Pass(0.1);
    done += Put(fmt::format("pk=S:k{},sk=N:1,g=S:x", i)) == "ok";
  }
  EXPECT_EQ(done, 10) << "one a second, though the table has ten";
}

TEST_F(ThrottlingTest, AMaximumOfAnIndexOnDemand) {
  GoOnDemand({}, {.max_read_units = {}, .max_write_units = 1});
  ExhaustIndex(Use::kWrite);
  EXPECT_EQ(Put("pk=S:a,sk=N:1,g=S:x"), kRefused);
  TestWrites together;
  together.Add(TestWrite::Put(*table_, "pk=S:a,sk=N:1,g=S:x"));
  ASSERT_EQ(RunBlocking(together.ExecuteTransaction(layer_.writes)), "cancelled");
  EXPECT_EQ(together.all()[0].failure->name, "ThrottlingException");
}

// --- batches and transactions

TEST_F(ThrottlingTest, OfABatchAsManyAreDoneAsThereIsCapacityFor) {
  Exhaust(Use::kWrite);
  Pass(0.3);
  TestWrites batch;
  for (int i = 0; i < 10; ++i) batch.Add(TestWrite::Put(*table_, fmt::format("pk=S:k{},sk=N:1", i)));
  EXPECT_EQ(RunBlocking(batch.ExecuteBatch(layer_.writes)), "ok");
  int done = 0;
  for (const ItemWrite& write : batch.all()) {
    done += !write.failure;
    if (write.failure) { EXPECT_TRUE(IsThrottleError(*write.failure)); }
  }
  EXPECT_EQ(done, 3);
  TestWrites none;
  for (int i = 0; i < 3; ++i) none.Add(TestWrite::Put(*table_, fmt::format("pk=S:k{},sk=N:1", i)));
  EXPECT_EQ(RunBlocking(none.ExecuteBatch(layer_.writes)), kRefused);
}

TEST_F(ThrottlingTest, OfABatchAsManyAsItsIndexHasCapacityFor) {
  ExhaustIndex(Use::kWrite);
  Pass(0.2);
  const double left = Left(Use::kWrite);
  TestWrites batch;
  for (int i = 0; i < 5; ++i) batch.Add(TestWrite::Put(*table_, fmt::format("pk=S:k{},sk=N:1,g=S:x", i)));
  batch.Add(TestWrite::Put(*table_, "pk=S:k9,sk=N:1"));
  EXPECT_EQ(RunBlocking(batch.ExecuteBatch(layer_.writes)), "ok");
  int done = 0;
  for (const ItemWrite& write : batch.all()) done += !write.failure;
  EXPECT_EQ(done, 3) << "two, and one that is not in the index";
  // The writes go with the batch, and with them what those that failed have paid.
  EXPECT_EQ(LeftOfIndex(Use::kWrite), 0);
  EXPECT_LE(Left(Use::kWrite), left - 3);
}

TEST_F(ThrottlingTest, ATransactionIsLetInAsAWhole) {
  Exhaust(Use::kWrite);
  Pass(0.5);
  {
    TestWrites writes;
    for (int i = 0; i < 4; ++i) writes.Add(TestWrite::Put(*table_, fmt::format("pk=S:k{},sk=N:1", i)));
    EXPECT_EQ(RunBlocking(writes.ExecuteTransaction(layer_.writes)), kRefused) << "four cost eight";
  }
  EXPECT_EQ(Left(Use::kWrite), 5) << "nothing is paid";
  {
    TestWrites writes;
    for (int i = 0; i < 3; ++i) writes.Add(TestWrite::Put(*table_, fmt::format("pk=S:k{},sk=N:1", i)));
    EXPECT_EQ(RunBlocking(writes.ExecuteTransaction(layer_.writes)), "ok") << "while anything is left one is let in";
  }
  EXPECT_EQ(Left(Use::kWrite), -1);
}

TEST_F(ThrottlingTest, ATransactionThatIsCancelledPaysNoIndex) {
  {
    TestWrites writes;
    writes.Add(TestWrite::Put(*table_, "pk=S:a,sk=N:1,g=S:x"));
    writes.AddCheck(*table_, "pk=S:none,sk=N:1", "attribute_exists(pk)");
    ASSERT_EQ(RunBlocking(writes.ExecuteTransaction(layer_.writes)), "cancelled");
    EXPECT_EQ(Left(Use::kWrite), 3000 - 4);
    EXPECT_EQ(writes.all()[0].index_charges.size(), 1u);
  }
  EXPECT_EQ(LeftOfIndex(Use::kWrite), 3000);
}

TEST_F(ThrottlingTest, ItemsReadTogether) {
  ASSERT_EQ(Put("pk=S:a,sk=N:1,b=S:" + Blob(5000)), "ok");
  TestWrites reads;
  reads.AddCheck(*table_, "pk=S:a,sk=N:1", {});
  reads.AddCheck(*table_, "pk=S:none,sk=N:1", {});
  RunBlocking(reads.ReadTogether(layer_.writes));
  EXPECT_EQ(Left(Use::kRead), 3000 - 6);
  Exhaust(Use::kRead);
  TestWrites late;
  late.AddCheck(*table_, "pk=S:a,sk=N:1", {});
  EXPECT_EQ(RunBlocking(late.ReadTogether(layer_.writes)), kRefused);
}

// --- reads

TEST_F(ThrottlingTest, ReadsUpToTheBurstAndThenAtTheRate) {
  int done = 0;
  while (Read("pk=S:a,sk=N:1") == "(none)") ++done;  // eventually consistent: half a unit
  EXPECT_EQ(done, 6000);
  Pass(1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Read("pk=S:a,sk=N:1"), "(none)");
  EXPECT_EQ(Read("pk=S:a,sk=N:1"), kRefused);
}

TEST_F(ThrottlingTest, ManyItemsOneByOne) {
  std::vector<model::Item> keys;
  for (int i = 0; i < 8; ++i) {
    keys.push_back(expr::MakeItem(arena_, fmt::format("pk=S:k{},sk=N:1", i)));
    if (i == 3) continue;
    ASSERT_EQ(Put(fmt::format("pk=S:k{},sk=N:1,b=S:{}", i, Blob(5000))), "ok");
  }
  Exhaust(Use::kRead);
  Pass(0.3);
  {
    ItemsRead read;
    read.table = table_.get();
    read.keys = keys;
    read.is_consistent = true;
    ASSERT_TRUE(RunBlocking(layer_.reads.GetMany(read)));
    EXPECT_EQ(read.taken, 8u);
    for (size_t i = 0; i < 8; ++i) EXPECT_EQ(read.is_refused(i), i >= 3) << i;
    EXPECT_EQ(read.read_units, 6) << "three, of two units each";
    EXPECT_EQ(read.refusal->name, kRefused);
  }
  EXPECT_EQ(Left(Use::kRead), -3);
}

// --- pages

struct Sink final : RowSink {
  void Row(model::Item) override { ++rows; }
  int rows = 0;
};

class ThrottledPageTest : public ThrottlingTest {
 protected:
  struct Page {
    std::string outcome;
    int rows = 0;
    double units = 0;
    bool has_more = false;
  };
  Page Scan(const IndexSchema* index, storage::KeyRange& range) {
    const auto schema = table_->schema();
    Sink sink;
    PageRead page;
    page.table = table_.get();
    page.keyspace = index ? &index->keyspace : &schema->items();
    page.partitions = index && index->is_global() ? index->partitions.get() : &table_->partitions();
    page.index = index;
    page.range = range;
    page.is_consistent = !index;
    page.is_scan = true;
    page.schema = schema.get();
    page.sink = &sink;
    const auto done = RunBlocking(ReadPage(*engine_, page, arena_));
    if (page.has_more) {
      range.begin.clear();
      AppendRowKey(*page.keyspace, page.last_key, range.begin);
      range.begin.push_back('\0');
    }
    return {done ? "ok" : done.error().name, sink.rows, page.table_units + page.index_units, page.has_more};
  }
};

TEST_F(ThrottledPageTest, EndsWhereCapacityDoesAndGoesOnBehindThat) {
  GoOnDemand({}, {});
  for (int i = 0; i < 100; ++i) ASSERT_EQ(Put(fmt::format("pk=S:k{},sk=N:1,b=S:{}", i, Blob(4000))), "ok");
  Change([](model::TableDef& def) {
    def.billing_mode = model::BillingMode::kProvisioned;
    def.throughput = def.indexes[0].throughput = {.read_units = 10, .write_units = 10};
  });
  Exhaust(Use::kRead);
  storage::KeyRange range = AllRows(table_->schema()->items());
  EXPECT_EQ(Scan(nullptr, range).outcome, kRefused) << "there is nothing to begin with";
  int rows = 0;
  int pages = 0;
  double units = 0;
  for (bool has_more = true; has_more; ++pages) {
    Pass(1);
    const Page page = Scan(nullptr, range);
    ASSERT_EQ(page.outcome, "ok") << pages;
    if (page.has_more) { EXPECT_GE(page.rows, 9); }
    EXPECT_LE(page.rows, 13) << "ten units a second, and one row too many";
    rows += page.rows;
    units += page.units;
    has_more = page.has_more;
    ASSERT_LT(pages, 20);
  }
  EXPECT_EQ(rows, 100) << "each row once";
  EXPECT_GE(pages, 8);
  EXPECT_NEAR(Left(Use::kRead), pages * 10 - units, 0.01);
}

TEST_F(ThrottledPageTest, OfAnIndexIsTheIndexsOwn) {
  for (int i = 0; i < 5; ++i) ASSERT_EQ(Put(fmt::format("pk=S:k{},sk=N:1,g=S:x{}", i, i)), "ok");
  Exhaust(Use::kRead);
  const auto schema = table_->schema();
  const IndexSchema* const index = schema->FindIndex("by_g");
  storage::KeyRange range = AllRows(index->keyspace);
  const Page page = Scan(index, range);
  EXPECT_EQ(page.outcome, "ok");
  EXPECT_EQ(page.rows, 5);
  EXPECT_EQ(LeftOfIndex(Use::kRead), 3000 - page.units);
  ExhaustIndex(Use::kRead);
  range = AllRows(index->keyspace);
  EXPECT_EQ(Scan(index, range).outcome, kRefused);
  const IndexSchema* const local = schema->FindIndex("by_l");
  storage::KeyRange local_range = AllRows(local->keyspace);
  EXPECT_EQ(Scan(local, local_range).outcome, kRefused) << "a local one has no capacity of its own";
}

TEST_F(ThrottledPageTest, ThatIsEmptyIsPaidForToo) {
  storage::KeyRange range = AllRows(table_->schema()->items());
  EXPECT_EQ(Scan(nullptr, range).units, 1);
  EXPECT_EQ(Left(Use::kRead), 3000 - 1);
}

}  // namespace
}  // namespace armature::table
