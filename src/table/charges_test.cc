// What reads and writes cost, and that the meters of the partitions have exactly what the operations say.
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "storage/testing/test_engine.h"
#include "table/keys/key_layout.h"
#include "table/keys/key_range.h"
#include "table/read/page_read.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

// A table with sort key, a global index on g and a local one on l, each in several partitions.
class ChargesTest : public testing::Test {
 protected:
  ChargesTest() {
    model::TableDef def = MakeIndexedTableDef("tbl");
    def.billing_mode = model::BillingMode::kPayPerRequest;
    def.indexes[1].projection.type = model::ProjectionType::kKeysOnly;
    table_ = RunBlocking(layer_.catalog.Create(def)).value();
    schema_ = table_->schema();
    Split(table_->partitions(), 100);
    Split(*Global().partitions, 200);
  }
  void Split(PartitionSet& partitions, storage::PartitionId next) {
    constexpr uint64_t kQuarter = uint64_t{1} << 62;
    const storage::PartitionId id = partitions.Find(0)->id();
    ASSERT_TRUE(RunBlocking(partitions.Split(*engine_, id, 2 * kQuarter, next, next + 1)).ok());
    ASSERT_TRUE(RunBlocking(partitions.Split(*engine_, next, kQuarter, next + 2, next + 3)).ok());
    ASSERT_TRUE(RunBlocking(partitions.Split(*engine_, next + 1, 3 * kQuarter, next + 4, next + 5)).ok());
    ASSERT_EQ(partitions.list()->size(), 4u);
  }

  const IndexSchema& Global() const { return *schema_->FindIndex("by_g"); }
  const IndexSchema& Local() const { return *schema_->FindIndex("by_l"); }
  static std::string Blob(size_t size) { return std::string(size, 'x'); }

  // --- meters

  struct Sums {
    double read = 0;
    double written = 0;
    double background = 0;
    bool operator==(const Sums&) const = default;
  };
  static Sums SumsOf(const Meter& meter) {
    return {meter.read_units(), meter.write_units(), meter.background_write_units()};
  }
  static Sums SumsOf(const PartitionSet& partitions) {
    Sums all;
    for (const auto& partition : *partitions.list()) {
      const Sums one = SumsOf(partition->meter());
      all.read += one.read;
      all.written += one.written;
      all.background += one.background;
    }
    return all;
  }
  // What was counted since the last call: "table r/w/b index r/w/b".
  std::string Counted() {
    const Sums table = SumsOf(table_->partitions()), index = SumsOf(*Global().partitions);
    const auto text = [](const Sums& now, const Sums& before) {
      return fmt::format("{}/{}/{}", now.read - before.read, now.written - before.written,
                         now.background - before.background);
    };
    std::string counted = "table " + text(table, table_before_) + " index " + text(index, index_before_);
    table_before_ = table;
    index_before_ = index;
    return counted;
  }
  // Units written in the partition of the index that has the rows of `g`.
  double WrittenFor(std::string_view g) {
    Arena arena;
    std::string row_key;
    AppendRowKey(Global().keyspace, expr::MakeItem(arena, fmt::format("pk=S:k,sk=N:1,g=S:{}", g)), row_key);
    return Global().partitions->Find(HashOfItemKey(row_key))->meter().write_units();
  }

  // --- writes, and what they say: "outcome table by_g by_l"

  static std::string Told(const ItemWrite& write) {
    std::map<std::string, double> units{{"by_g", 0}, {"by_l", 0}};
    for (const IndexCharge& charge : write.index_charges) units[charge.index->def->name] += charge.write_units;
    return fmt::format("{} {} {}", write.table_units, units["by_g"], units["by_l"]);
  }
  std::string Execute(const std::unique_ptr<TestWrite>& write) {
    const std::string outcome = RunBlocking(write->Execute(layer_.writes));
    return outcome + " " + Told(write->write());
  }
  void Put(std::string_view item) { Execute(TestWrite::Put(*table_, item)); }

  // --- pages

  struct Sink final : RowSink {
    void Row(model::Item) override {}
  };
  PageRead Read(const IndexSchema* index, storage::KeyRange range, bool is_scan, bool is_consistent,
                size_t limit = SIZE_MAX, bool fetches = false) {
    Sink sink;
    PageRead page;
    page.table = table_.get();
    page.keyspace = index ? &index->keyspace : &schema_->items();
    page.partitions = index && index->is_global() ? index->partitions.get() : &table_->partitions();
    page.index = index;
    if (fetches) page.fetch_from = &schema_->items();
    page.range = std::move(range);
    page.limit = limit;
    page.is_consistent = is_consistent;
    page.is_scan = is_scan;
    page.schema = schema_.get();
    page.sink = &sink;
    EXPECT_TRUE(RunBlocking(ReadPage(*engine_, page, arena_)));
    page.sink = nullptr;
    return page;
  }
  static std::string Told(const PageRead& page) { return fmt::format("{} {}", page.table_units, page.index_units); }

  Arena arena_;
  Metrics metrics_;
  ManualClock clock_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  TableLayer layer_{*engine_, clock_};
  std::shared_ptr<Table> table_;
  std::shared_ptr<const TableSchema> schema_;
  Sums table_before_, index_before_;
};

// --- writes

TEST_F(ChargesTest, ASingleWrite) {
  EXPECT_EQ(Execute(TestWrite::Put(*table_, "pk=S:a,sk=N:1")), "ok 1 0 0");
  EXPECT_EQ(Counted(), "table 0/1/0 index 0/0/0");
  EXPECT_EQ(Execute(TestWrite::Put(*table_, "pk=S:a,sk=N:1,b=S:" + Blob(2500))), "ok 3 0 0") << "the larger of the two";
  EXPECT_EQ(Execute(TestWrite::Delete(*table_, "pk=S:a,sk=N:1")), "ok 3 0 0");
  EXPECT_EQ(Execute(TestWrite::Delete(*table_, "pk=S:a,sk=N:1")), "ok 1 0 0") << "nothing there costs one";
  EXPECT_EQ(Counted(), "table 0/7/0 index 0/0/0");
}

TEST_F(ChargesTest, OfTheItemsPartition) {
  Put("pk=S:a,sk=N:1,b=S:" + Blob(2500));
  Arena arena;
  std::string key;
  AppendItemKey(table_->key_schema(), expr::MakeItem(arena, "pk=S:a,sk=N:1"), key);
  EXPECT_EQ(table_->partitions().Find(HashOfItemKey(key))->meter().write_units(), 3);
}

TEST_F(ChargesTest, ALocalIndexIsItsTablesAndAGlobalOneItsOwn) {
  EXPECT_EQ(Execute(TestWrite::Put(*table_, "pk=S:a,sk=N:1,g=S:x,l=S:y,b=S:" + Blob(2500))), "ok 3 3 1");
  EXPECT_EQ(Counted(), "table 0/4/0 index 0/3/0");
  EXPECT_EQ(Execute(TestWrite::Update(*table_, "pk=S:a,sk=N:1", "SET b = :b", {}, {{":b", "S:short"}})), "ok 3 3 0");
  EXPECT_EQ(Counted(), "table 0/3/0 index 0/3/0");
}

TEST_F(ChargesTest, ARowThatMovesIsPaidWhereItWasAndWhereItGoes) {
  // Two that are in different partitions of the index.
  const std::string from = "0";
  std::string to = "1";
  const auto partition_of = [&](const std::string& g) {
    Arena arena;
    std::string row_key;
    AppendRowKey(Global().keyspace, expr::MakeItem(arena, "pk=S:a,sk=N:1,g=S:" + g), row_key);
    return Global().partitions->Find(HashOfItemKey(row_key));
  };
  for (int i = 2; partition_of(to) == partition_of(from); ++i) to = std::to_string(i);
  Put("pk=S:a,sk=N:1,g=S:" + from + ",b=S:" + Blob(1500));
  EXPECT_EQ(WrittenFor(from), 2);
  EXPECT_EQ(Execute(TestWrite::Put(*table_, "pk=S:a,sk=N:1,g=S:" + to)), "ok 2 3 0");
  EXPECT_EQ(WrittenFor(from), 4);
  EXPECT_EQ(WrittenFor(to), 1);
}

TEST_F(ChargesTest, AConditionThatFailsCostsTheItemAndNoIndex) {
  Put("pk=S:a,sk=N:1,g=S:x,b=S:" + Blob(1500));
  Counted();
  EXPECT_EQ(Execute(TestWrite::Put(*table_, "pk=S:a,sk=N:1,g=S:y", "attribute_not_exists(pk)")), "condition 2 0 0");
  EXPECT_EQ(Counted(), "table 0/2/0 index 0/0/0");
  EXPECT_EQ(
      Execute(TestWrite::Update(*table_, "pk=S:none,sk=N:1", "SET n = :n", "attribute_exists(pk)", {{":n", "N:1"}})),
      "condition 1 0 0");
  EXPECT_EQ(Counted(), "table 0/1/0 index 0/0/0");
}

TEST_F(ChargesTest, AConditionThatFailsCostsWhatTheWriteWouldHave) {
  Put("pk=S:a,sk=N:1,b=S:" + Blob(1500));
  EXPECT_EQ(Execute(TestWrite::Put(*table_, "pk=S:a,sk=N:1,b=S:" + Blob(3500), "attribute_not_exists(pk)")),
            "condition 4 0 0");
  EXPECT_EQ(Execute(TestWrite::Update(*table_, "pk=S:a,sk=N:1", "SET c = :c", "attribute_not_exists(pk)",
                                      {{":c", "S:" + Blob(1000)}})),
            "condition 3 0 0");
  EXPECT_EQ(Execute(TestWrite::Update(*table_, "pk=S:a,sk=N:1", "SET c = b + :c", "attribute_not_exists(pk)",
                                      {{":c", "N:1"}})),
            "condition 2 0 0")
      << "an update that could not have been done";
  EXPECT_EQ(Execute(TestWrite::Put(*table_, "pk=S:none,sk=N:1,b=S:" + Blob(3500), "attribute_exists(pk)")),
            "condition 1 0 0")
      << "nothing there to look at";
}

TEST_F(ChargesTest, ABatch) {
  Put("pk=S:a,sk=N:1,g=S:x,b=S:" + Blob(1500));
  Counted();
  TestWrites writes;
  writes.Add(TestWrite::Delete(*table_, "pk=S:a,sk=N:1"));
  writes.Add(TestWrite::Put(*table_, "pk=S:b,sk=N:1,g=S:x"));
  writes.Add(TestWrite::Put(*table_, "pk=S:c,sk=N:1", "attribute_exists(pk)"));
  ASSERT_EQ(RunBlocking(writes.ExecuteBatch(layer_.writes)), "ok");
  EXPECT_EQ(Told(writes.all()[0]), "2 2 0");
  EXPECT_EQ(Told(writes.all()[1]), "1 1 0");
  EXPECT_EQ(Told(writes.all()[2]), "1 0 0");
  EXPECT_EQ(Counted(), "table 0/4/0 index 0/3/0");
}

TEST_F(ChargesTest, ATransactionCostsItsTableTwiceAndItsIndexesOnce) {
  Put("pk=S:checked,sk=N:1,b=S:" + Blob(1500));
  Counted();
  TestWrites writes;
  writes.Add(TestWrite::Put(*table_, "pk=S:a,sk=N:1,g=S:x,l=S:y"));
  writes.AddCheck(*table_, "pk=S:checked,sk=N:1", "attribute_exists(pk)");
  ASSERT_EQ(RunBlocking(writes.ExecuteTransaction(layer_.writes)), "ok");
  EXPECT_EQ(Told(writes.all()[0]), "2 1 1");
  EXPECT_EQ(Told(writes.all()[1]), "4 0 0");
  EXPECT_EQ(Counted(), "table 0/7/0 index 0/1/0");
}

TEST_F(ChargesTest, ACancelledTransactionWritesToNoIndex) {
  TestWrites writes;
  writes.Add(TestWrite::Put(*table_, "pk=S:a,sk=N:1,g=S:x,l=S:y"));
  writes.AddCheck(*table_, "pk=S:none,sk=N:1", "attribute_exists(pk)");
  ASSERT_EQ(RunBlocking(writes.ExecuteTransaction(layer_.writes)), "cancelled");
  EXPECT_EQ(Told(writes.all()[0]), "2 0 0");
  EXPECT_EQ(Counted(), "table 0/4/0 index 0/0/0");
}

TEST_F(ChargesTest, WhatTheServiceDeletesNobodyPays) {
  Put("pk=S:a,sk=N:1,g=S:x,l=S:y,b=S:" + Blob(1500));
  ASSERT_TRUE(RunBlocking(layer_.catalog.Update(kScope, "tbl", [](model::TableDef& def) -> model::ApiResult<void> {
    def.ttl.status = model::TtlStatus::kEnabled;
    def.ttl.attribute = "ttl";
    return {};
  })));
  Counted();
  const auto late = TestWrite::Delete(*table_, "pk=S:a,sk=N:1");
  late->write().by_ttl = true;
  EXPECT_EQ(Execute(late), "ok 0 0 0");
  EXPECT_EQ(Counted(), "table 0/0/3 index 0/0/2") << "the item and its row of the local index, and of the global one";
}

// --- reads

TEST_F(ChargesTest, AnItemRead) {
  Put("pk=S:a,sk=N:1,b=S:" + Blob(5000));
  Counted();
  const auto units = [&](std::string_view key, bool is_consistent, bool is_transacted = false) {
    ItemRead read;
    read.table = table_.get();
    read.key = expr::MakeItem(arena_, key);
    read.is_consistent = is_consistent;
    read.is_transacted = is_transacted;
    EXPECT_TRUE(RunBlocking(layer_.reads.Get(read)));
    return read.read_units;
  };
  EXPECT_EQ(units("pk=S:a,sk=N:1", true), 2);
  EXPECT_EQ(units("pk=S:a,sk=N:1", false), 1);
  EXPECT_EQ(units("pk=S:a,sk=N:1", false, true), 4);
  EXPECT_EQ(units("pk=S:none,sk=N:1", false), 0.5);
  EXPECT_EQ(Counted(), "table 7.5/0/0 index 0/0/0");
}

TEST_F(ChargesTest, ManyItemsAndOnlyThoseThereIsRoomFor) {
  std::vector<model::Item> keys;
  for (int i = 0; i < 12; ++i) {
    keys.push_back(expr::MakeItem(arena_, fmt::format("pk=S:k{},sk=N:1", i)));
    if (i != 3) Put(fmt::format("pk=S:k{},sk=N:1,b=S:{}", i, Blob(5000)));
  }
  Counted();
  ItemsRead all;
  all.table = table_.get();
  all.keys = keys;
  all.is_consistent = true;
  ASSERT_TRUE(RunBlocking(layer_.reads.GetMany(all)));
  EXPECT_EQ(all.taken, 12u);
  EXPECT_EQ(all.read_units, 11 * 2 + 1);
  EXPECT_EQ(Counted(), "table 23/0/0 index 0/0/0");

  ItemsRead some;
  some.table = table_.get();
  some.keys = keys;
  some.room_bytes = 5 * 5000;
  ASSERT_TRUE(RunBlocking(layer_.reads.GetMany(some)));
  EXPECT_EQ(some.taken, 5u) << "four items, and one key that has none";
  EXPECT_LE(some.item_bytes, some.room_bytes);
  EXPECT_EQ(some.read_units, 4 * 1 + 0.5);
  EXPECT_EQ(Counted(), "table 4.5/0/0 index 0/0/0") << "what is read in vain nobody pays for";
}

TEST_F(ChargesTest, ReadTogether) {
  Put("pk=S:a,sk=N:1,b=S:" + Blob(5000));
  Counted();
  TestWrites reads;
  reads.AddCheck(*table_, "pk=S:a,sk=N:1", {});
  reads.AddCheck(*table_, "pk=S:none,sk=N:1", {});
  RunBlocking(reads.ReadTogether(layer_.writes));
  EXPECT_EQ(reads.all()[0].table_units, 4);
  EXPECT_EQ(reads.all()[1].table_units, 2);
  EXPECT_EQ(Counted(), "table 6/0/0 index 0/0/0");
}

// --- pages

TEST_F(ChargesTest, AQueryOfEachKeyspace) {
  for (int i = 0; i < 4; ++i) Put(fmt::format("pk=S:a,sk=N:{},g=S:x,l=S:{},b=S:{}", i, i, Blob(3000)));
  Counted();
  const auto of_one_hash = [&](const Keyspace& keyspace) {
    std::string row_key;
    const model::Item first = expr::MakeItem(arena_, "pk=S:a,sk=N:0,g=S:x,l=S:0");
    AppendRowKey(keyspace, first, row_key);
    storage::KeyRange range;
    range.begin = row_key.substr(0, keyspace.prefix.size() + sizeof(uint64_t));
    range.end = PrefixEnd(range.begin);
    return range;
  };
  EXPECT_EQ(Told(Read(nullptr, of_one_hash(schema_->items()), false, true)), "3 0") << "rounded up once";
  EXPECT_EQ(Counted(), "table 3/0/0 index 0/0/0");
  EXPECT_EQ(Told(Read(&Global(), of_one_hash(Global().keyspace), false, false)), "0 1.5");
  EXPECT_EQ(Counted(), "table 0/0/0 index 1.5/0/0");
  EXPECT_EQ(Told(Read(&Local(), of_one_hash(Local().keyspace), false, true)), "0 1");
  EXPECT_EQ(Counted(), "table 1/0/0 index 0/0/0") << "a local index has no partitions of its own";
  EXPECT_EQ(Told(Read(&Local(), of_one_hash(Local().keyspace), false, true, SIZE_MAX, true)), "4 1")
      << "each item that is fetched by itself";
  EXPECT_EQ(Counted(), "table 5/0/0 index 0/0/0");
  storage::KeyRange nothing = of_one_hash(schema_->items());
  nothing.end = nothing.begin;
  EXPECT_EQ(Told(Read(nullptr, nothing, false, false)), "0.5 0");
  EXPECT_EQ(Counted(), "table 0.5/0/0 index 0/0/0") << "also where no key can be";
}

TEST_F(ChargesTest, AScanOfNothingPaysForThePartitionsThatAwsWouldHave) {
  EXPECT_EQ(Told(Read(nullptr, AllRows(schema_->items()), true, true)), "4 0");
  EXPECT_EQ(Told(Read(nullptr, AllRows(schema_->items()), true, false)), "2 0");
  EXPECT_EQ(Counted(), "table 6/0/0 index 0/0/0");
  EXPECT_EQ(Told(Read(&Global(), AllRows(Global().keyspace), true, false)), "0 2");
  EXPECT_EQ(Counted(), "table 0/0/0 index 2/0/0");
}

TEST_F(ChargesTest, AScanIsCountedWhereItsRowsAre) {
  for (int i = 0; i < 100; ++i) Put(fmt::format("pk=S:k{},sk=N:1,b=S:{}", i, Blob(3000)));
  Counted();
  const PageRead page = Read(nullptr, AllRows(schema_->items()), true, true);
  EXPECT_EQ(page.table_units, (page.row_bytes + 4095) / 4096) << "one sum, rounded up once";
  double counted = 0;
  for (const auto& partition : *table_->partitions().list()) {
    const double units = partition->meter().read_units();
    EXPECT_GT(units, 5);
    counted += units;
  }
  EXPECT_EQ(counted, page.table_units);
  // By pages of some rows, the sum is still what they say.
  Counted();
  storage::KeyRange range = AllRows(schema_->items());
  double told = 0;
  for (bool has_more = true; has_more;) {
    const PageRead some = Read(nullptr, range, true, false, 7);
    told += some.table_units;
    has_more = some.has_more;
    range.begin.clear();
    if (has_more) AppendRowKey(schema_->items(), some.last_key, range.begin);
    range.begin.push_back('\0');
  }
  EXPECT_EQ(Counted(), fmt::format("table {}/0/0 index 0/0/0", told));
}

}  // namespace
}  // namespace armature::table
