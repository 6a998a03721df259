// A table whose items, and whose index's rows, lie in several partitions, and partitions that die while they are used.
#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "model/item_size.h"
#include "storage/storage_testing.h"
#include "storage/testing/test_engine.h"
#include "table/keys/key_layout.h"
#include "table/partition/row_scan.h"
#include "table/read/page_read.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

constexpr int kItems = 200;
constexpr std::string_view kIndex = "by_g";

class ManyPartitionsTest : public testing::Test {
 protected:
  ManyPartitionsTest() : engine_(storage::MakeTestEngine(metrics_)) {
    Start();
    model::TableDef def = MakeTableDef("tbl");
    def.attribute_definitions.push_back({"g", model::Type::kS});
    model::IndexDef index;
    index.name = kIndex;
    index.id = def.next_index_id++;
    index.key_schema = {{{"g", model::Type::kS}}, {}};
    def.indexes.push_back(index);
    table_ = RunBlocking(layer_->catalog.Create(def)).value();
  }
  void Start() {
    layer_ = std::make_unique<TableLayer>(*engine_, clock_);
    ASSERT_TRUE(RunBlocking(layer_->catalog.Load()).ok());
    table_ = layer_->catalog.Find(kScope, "tbl");
  }

  const IndexSchema& Index() {
    schema_ = table_->schema();
    return *schema_->FindIndex(kIndex);
  }

  // As another owner would, at a hash that is none of the items'.
  void SplitInStore(const PartitionSet& partitions) {
    const auto whole = partitions.Find(0);
    const uint64_t quarter = UINT64_MAX / 4;
    const storage::PartitionId id = whole->id();
    ASSERT_TRUE(RunBlocking(engine_->SplitPartition(id, 2 * quarter, 10 * id, 10 * id + 1)).ok());
    ASSERT_TRUE(RunBlocking(engine_->SplitPartition(10 * id, quarter, 10 * id + 2, 10 * id + 3)).ok());
    ASSERT_TRUE(RunBlocking(engine_->SplitPartition(10 * id + 1, 3 * quarter, 10 * id + 4, 10 * id + 5)).ok());
    for (const storage::PartitionId ended : {id, 10 * id, 10 * id + 1})
      ASSERT_TRUE(RunBlocking(engine_->DropPartition(ended)).ok());
  }
  void BecomeMany() {
    SplitInStore(table_->partitions());
    SplitInStore(*Index().partitions);
    Start();
    ASSERT_EQ(table_->partitions().list()->size(), 4u);
    ASSERT_EQ(Index().partitions->list()->size(), 4u);
  }

  static std::string KeyOf(int i) { return fmt::format("pk=S:k{}", i); }
  std::string Put(int i, int n) {
    const std::string item = fmt::format("g=S:g{},n=N:{},pk=S:k{}", n % 7, n, i);
    std::string outcome = RunBlocking(TestWrite::Put(*table_, item)->Execute(layer_->writes));
    if (outcome == "ok") expected_[KeyOf(i)] = item;
    return outcome;
  }
  void Fill() {
    for (int i = 0; i < kItems; ++i) ASSERT_EQ(Put(i, i), "ok");
  }
  void KillHandles(const PartitionSet& partitions) {
    const auto list = partitions.list();
    for (const auto& partition : *list)
      ASSERT_TRUE(RunBlocking(engine_->OpenPartitionAt(partition->id(), partition->epoch() + 1)));
  }

  struct Sink final : RowSink {
    void Row(model::Item item) override { items.push_back(expr::Show(item)); }
    std::vector<std::string> items;
  };
  // The rows of a keyspace, in pages of `limit`.
  std::vector<std::string> Scan(const Keyspace& keyspace, const PartitionSet& partitions, size_t limit) {
    Sink sink;
    Arena arena;
    storage::KeyRange range = AllRows(keyspace);
    for (bool has_more = true; has_more;) {
      PageRead page;
      page.table = table_.get();
      page.keyspace = &keyspace;
      page.partitions = &partitions;
      page.range = range;
      page.limit = limit;
      page.sink = &sink;
      const auto read = RunBlocking(ReadPage(*engine_, page, arena));
      EXPECT_TRUE(read);
      has_more = read && page.has_more;
      if (has_more) {
        range.begin.clear();
        AppendRowKey(keyspace, page.last_key, range.begin);
        range.begin.push_back('\0');
      }
    }
    return sink.items;
  }
  void ExpectAll() {
    for (const auto& [key, item] : expected_) EXPECT_EQ(ReadItem(layer_->reads, *table_, key), item);
    std::multiset<std::string> wanted;
    storage::RowCount counted;
    Arena arena;
    for (const auto& [key, item] : expected_) {
      wanted.insert(item);
      counted += {1, static_cast<int64_t>(model::ItemSize(expr::MakeItem(arena, item)))};
    }
    EXPECT_TRUE(RunBlocking(layer_->writes.follower().CatchUp(*table_)).ok());
    EXPECT_EQ(table_->CountItems(), counted);
    EXPECT_EQ(table_->CountRows(Index()), counted);
    const auto schema = table_->schema();
    for (const size_t limit : {size_t{1}, size_t{7}, SIZE_MAX}) {
      const auto items = Scan(schema->items(), table_->partitions(), limit);
      EXPECT_EQ(std::multiset<std::string>(items.begin(), items.end()), wanted);
      const auto rows = Scan(Index().keyspace, *Index().partitions, limit);
      EXPECT_EQ(std::multiset<std::string>(rows.begin(), rows.end()), wanted);
    }
  }

  Metrics metrics_;
  ManualClock clock_;
  std::unique_ptr<storage::Engine> engine_;
  std::unique_ptr<TableLayer> layer_;
  std::shared_ptr<Table> table_;
  std::shared_ptr<const TableSchema> schema_;
  std::map<std::string, std::string> expected_;
};

TEST_F(ManyPartitionsTest, ItemsAndRowsAreFoundWhereverTheyLie) {
  Fill();
  BecomeMany();
  ExpectAll();
  for (int i = 0; i < kItems; i += 2) ASSERT_EQ(Put(i, i + 1), "ok");
  for (int i = 1; i < kItems; i += 4) {
    EXPECT_EQ(RunBlocking(TestWrite::Delete(*table_, KeyOf(i))->Execute(layer_->writes)), "ok");
    expected_.erase(KeyOf(i));
  }
  ExpectAll();
  Start();
  ExpectAll();
}

TEST_F(ManyPartitionsTest, AScanHasOneOrderHoweverManyThereAre) {
  Fill();
  const auto before = Scan(table_->schema()->items(), table_->partitions(), 9);
  BecomeMany();
  EXPECT_EQ(Scan(table_->schema()->items(), table_->partitions(), 9), before);
  // Segments of a parallel scan are parts of it, whatever the partitions are.
  std::vector<std::string> segments;
  const auto schema = table_->schema();
  for (uint64_t i = 0; i < 3; ++i) {
    RowScan rows(table_->partitions(), SegmentRows(schema->items(), i, 3), {});
    while (!rows.at_end()) {
      storage::ScanOp& scan = rows.Prepare(5, SIZE_MAX);
      storage::RunScan(*engine_, scan);
      ASSERT_TRUE(scan.status.ok());
      for (const auto& row : scan.rows) segments.emplace_back(row.key);
      rows.Advance();
    }
  }
  EXPECT_EQ(segments.size(), static_cast<size_t>(kItems));
  EXPECT_TRUE(std::is_sorted(segments.begin(), segments.end()));
}

TEST_F(ManyPartitionsTest, ManyKeysAreReadInTheirOrder) {
  Fill();
  BecomeMany();
  Arena arena;
  std::vector<model::Item> keys;
  for (int i = kItems + 1; i >= 0; i -= 3) keys.push_back(expr::MakeItem(arena, KeyOf(i)));
  ItemsRead read;
  read.table = table_.get();
  read.keys = keys;
  ASSERT_TRUE(RunBlocking(layer_->reads.GetMany(read)));
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto expected = expected_.find(expr::Show(keys[i]));
    ASSERT_EQ(read.found(i), expected != expected_.end());
    EXPECT_EQ(read.record(i).empty(), !read.found(i));
  }
}

TEST_F(ManyPartitionsTest, ATransactionIsOneHoweverManyItTouches) {
  Fill();
  BecomeMany();
  // Every partition of table and index, and one condition that does not hold.
  for (const bool holds : {true, false}) {
    Arena arena;
    std::vector<std::unique_ptr<TestWrite>> writes;
    const auto parts = std::make_unique<ItemWrite[]>(20);
    std::map<std::string, std::string> changed = expected_;
    for (int i = 0; i < 20; ++i) {
      const std::string item = fmt::format("g=S:t{},pk=S:k{}", i, i);
      const std::string_view condition = !holds && i == 13 ? "attribute_not_exists(pk)" : "attribute_exists(pk)";
      writes.push_back(TestWrite::Put(*table_, item, condition));
      const ItemWrite& made = writes.back()->write();
      parts[i].kind = made.kind;
      parts[i].table = made.table;
      parts[i].key = made.key;
      parts[i].put_item = made.put_item;
      parts[i].put_item_size = made.put_item_size;
      parts[i].condition = made.condition;
      changed[KeyOf(i)] = item;
    }
    const auto done = RunBlocking(layer_->writes.ExecuteTransaction({parts.get(), 20}, nullptr, arena));
    ASSERT_TRUE(done);
    EXPECT_EQ(*done, holds);
    if (holds) expected_ = changed;
    ExpectAll();
  }
}

TEST_F(ManyPartitionsTest, DeadHandlesAreReplacedAndNobodyNotices) {
  Fill();
  BecomeMany();
  SeededRandom random(11);
  for (int i = 0; i < 300; ++i) {
    if (random.Below(3) == 0) KillHandles(random.Below(2) ? table_->partitions() : *Index().partitions);
    switch (random.Below(4)) {
      case 0: ASSERT_EQ(Put(static_cast<int>(random.Below(kItems)), i), "ok"); break;
      case 1: {
        const int key = static_cast<int>(random.Below(kItems));
        EXPECT_EQ(ReadItem(layer_->reads, *table_, KeyOf(key)), expected_[KeyOf(key)]);
        break;
      }
      case 2: {
        // Decided on what is stored, not on what a dead partition remembers.
        const std::string key = KeyOf(static_cast<int>(random.Below(kItems)));
        auto write = TestWrite::Update(*table_, key, "SET n = :n", "attribute_not_exists(pk)", {{":n", "N:1"}});
        EXPECT_EQ(RunBlocking(write->Execute(layer_->writes)), "condition");
        break;
      }
      default: EXPECT_EQ(Scan(Index().keyspace, *Index().partitions, 50).size(), static_cast<size_t>(kItems)); break;
    }
  }
  KillHandles(table_->partitions());
  KillHandles(*Index().partitions);
  ExpectAll();
}

TEST_F(ManyPartitionsTest, SplitsOfTableAndIndexAreNotNoticedByWriters) {
  Fill();
  constexpr int kThreads = 3;
  std::atomic<bool> is_over{false};
  std::vector<std::map<std::string, std::string>> written(kThreads);
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&, t] {
      for (int n = 0; !is_over; ++n) {
        const int key = t + kThreads * (n % 60);
        const std::string item = fmt::format("g=S:g{},n=N:{},pk=S:k{}", n % 11, n, key);
        ASSERT_EQ(RunBlocking(TestWrite::Put(*table_, item)->Execute(layer_->writes)), "ok");
        written[static_cast<size_t>(t)][KeyOf(key)] = item;
      }
    });
  }
  const auto split_all = [&](const PartitionSet& partitions) {
    const auto list = partitions.list();
    for (const auto& partition : *list)
      ASSERT_TRUE(RunBlocking(layer_->catalog.SplitPartition(table_, partition->id())).ok());
  };
  for (int i = 0; i < 3; ++i) {
    split_all(table_->partitions());
    split_all(*Index().partitions);
  }
  is_over = true;
  for (std::thread& writer : writers) writer.join();
  for (const auto& of_thread : written)
    for (const auto& [key, item] : of_thread) expected_[key] = item;
  EXPECT_EQ(table_->partitions().list()->size(), 8u);
  EXPECT_EQ(Index().partitions->list()->size(), 8u);
  ExpectAll();
  Start();
  EXPECT_EQ(table_->partitions().list()->size(), 8u);
  EXPECT_EQ(table_->partitions().ended()->size(), 7u);
  ExpectAll();
}

TEST_F(ManyPartitionsTest, WhatIsNotThereIsNotSplit) {
  const storage::PartitionId id = table_->partitions().Find(0)->id();
  const auto split = [&](storage::PartitionId of) {
    return RunBlocking(layer_->catalog.SplitPartition(table_, of)).code();
  };
  EXPECT_EQ(split(99), StatusCode::kNotFound);
  EXPECT_EQ(split(storage::kSystemPartition), StatusCode::kNotFound);
  ASSERT_EQ(split(id), StatusCode::kOk);
  EXPECT_EQ(split(id), StatusCode::kNotFound) << "it has ended";
  const storage::PartitionId child = table_->partitions().Find(0)->id();
  const auto anything = [](model::TableDef&) { return model::ApiResult<void>{}; };
  ASSERT_TRUE(RunBlocking(layer_->catalog.Delete(kScope, "tbl", anything)));
  EXPECT_EQ(split(child), StatusCode::kNotFound) << "its table is gone";
  EXPECT_EQ(RunBlocking(engine_->ListPartitions())->size(), 1u) << "and so are all its partitions";
}

TEST_F(ManyPartitionsTest, AnIndexWithoutItsPartitionIsNotTriedForEver) {
  Fill();
  ASSERT_TRUE(RunBlocking(engine_->DropPartition(Index().partitions->Find(0)->id())).ok());
  // Where rows follow, a table is not kept from writing by what is wrong with an index.
  EXPECT_EQ(Put(1, 2), storage::IsTestEngineNarrow() ? "ok" : "InternalServerError");
  EXPECT_EQ(ReadItem(layer_->reads, *table_, KeyOf(1)), expected_[KeyOf(1)]);
}

TEST_F(ManyPartitionsTest, WhatWasDroppedIsGoneForGood) {
  Fill();
  for (const storage::PartitionId id : {table_->partitions().Find(0)->id(), Index().partitions->Find(0)->id()})
    ASSERT_TRUE(RunBlocking(engine_->DropPartition(id)).ok());
  EXPECT_EQ(Put(1, 1), "ResourceNotFoundException");
  EXPECT_EQ(ReadItem(layer_->reads, *table_, KeyOf(1)), "ResourceNotFoundException");
}

TEST_F(ManyPartitionsTest, PartitionsThatDoNotFitTogetherCostTheirTableAlone) {
  ASSERT_NE(layer_->CreateTable("other"), nullptr);
  const storage::PartitionId id = table_->partitions().Find(0)->id();
  ASSERT_TRUE(RunBlocking(engine_->SplitPartition(id, uint64_t{1} << 63, 90, 91)).ok());
  ASSERT_TRUE(RunBlocking(engine_->DropPartition(90)).ok());
  Start();
  EXPECT_EQ(table_, nullptr);
  EXPECT_TRUE(layer_->catalog.WhyUnreadable(kScope, "tbl"));
  EXPECT_NE(layer_->catalog.Find(kScope, "other"), nullptr);
}

// Writes have read the definition, and wait for their item, when its index goes.
class IndexThatGoesTest : public testing::TestWithParam<std::string> {
 protected:
  Task<void> Write(std::string key, std::string& outcome) {
    Arena arena;
    const auto put = TestWrite::Put(*table_, "g=S:a," + key);
    if (GetParam() == "single") {
      outcome = co_await put->Execute(layer_.writes);
      co_return;
    }
    const std::span<ItemWrite> writes(&put->write(), 1);
    if (GetParam() == "batch") {
      const auto done = co_await layer_.writes.ExecuteBatch(writes, arena);
      outcome = done ? "ok" : done.error().name;
    } else {
      const auto done = co_await layer_.writes.ExecuteTransaction(writes, nullptr, arena);
      outcome = done ? "ok" : done.error().name;
    }
  }

  Metrics metrics_;
  ManualClock clock_;
  std::unique_ptr<storage::FaultyEngine> engine_ = storage::OpenFaultyEngine({}, metrics_);
  TableLayer layer_{*engine_, clock_};
  std::shared_ptr<Table> table_;
};

TEST_P(IndexThatGoesTest, IsNotMissedByWriters) {
  ASSERT_TRUE(RunBlocking(layer_.catalog.Load()).ok());
  table_ = RunBlocking(layer_.catalog.Create(MakeTableDef("tbl"))).value();
  const auto change = [&](auto how) {
    const auto apply = [&](model::TableDef& def) -> model::ApiResult<void> {
      how(def);
      return {};
    };
    ASSERT_TRUE(RunBlocking(layer_.catalog.Update(kScope, "tbl", apply)).has_value());
  };
  // How far a write gets before the index goes is chance; mostly it waits for the old item.
  for (int round = 0; round < 30; ++round) {
    change([](model::TableDef& def) {
      model::IndexDef index;
      index.name = kIndex;
      index.id = def.next_index_id++;
      index.key_schema = {{{"g", model::Type::kS}}, {}};
      def.indexes.push_back(index);
    });
    const std::string key = fmt::format("pk=S:{}", round);
    StepExecutor executor;
    std::string outcome;
    engine_->SetDelayed(true);
    executor.Start(Write(key, outcome));
    engine_->SetDelayed(false);
    change([](model::TableDef& def) { def.indexes.clear(); });
    executor.RunUntil([&] { return !outcome.empty(); });
    EXPECT_EQ(outcome, "ok");
    EXPECT_EQ(ReadItem(layer_.reads, *table_, key), "g=S:a," + key);
  }
  EXPECT_EQ(RunBlocking(engine_->ListPartitions())->size(), 2u) << "the system's and the table's";
}

INSTANTIATE_TEST_SUITE_P(Ways, IndexThatGoesTest, testing::Values("single", "batch", "transaction"),
                         [](const auto& way) { return way.param; });

TEST(LazyArray, TakesMemoryOnceOneIsAskedFor) {
  LazyArray<int> array(100);
  EXPECT_EQ(array.size(), 100u);
  EXPECT_EQ(array.Find(7), nullptr);
  array[7] = 1;
  ASSERT_NE(array.Find(7), nullptr);
  EXPECT_EQ(*array.Find(7), 1);
  EXPECT_EQ(*array.Find(8), 0);
}

}  // namespace
}  // namespace armature::table
