// Transactions and batches: all or nothing, one after the other as it were, whatever fails and whoever else writes.
#include <array>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/item_size.h"
#include "storage/testing/test_engine.h"
#include "table/table_testing.h"
#include "table/write/write_path.h"

namespace armature::table {
namespace {

using storage::FaultyEngine;

// A table with sort key and a local index on w, which every item of these tests has.
model::TableDef MakeCollectionTableDef(std::string_view name) {
  model::TableDef def = MakeTableDef(name, /*has_sort_key=*/true);
  def.attribute_definitions.push_back({"w", model::Type::kN});
  model::IndexDef index;
  index.kind = model::IndexKind::kLocal;
  index.name = "byW";
  index.id = def.next_index_id++;
  index.key_schema = {{{"pk", model::Type::kS}}, {{"w", model::Type::kN}}};
  index.projection.type = model::ProjectionType::kKeysOnly;
  def.indexes.push_back(std::move(index));
  return def;
}

class TransactionTest : public testing::Test {
 protected:
  std::string Transact(TestWrites& writes) { return RunBlocking(writes.ExecuteTransaction(layer_->writes)); }
  std::string Batch(TestWrites& writes) { return RunBlocking(writes.ExecuteBatch(layer_->writes)); }
  std::string Read(Table& table, std::string_view key) { return ReadItem(layer_->reads, table, key); }
  void Put(Table& table, std::string_view item) {
    ASSERT_EQ(RunBlocking(TestWrite::Put(table, item)->Execute(layer_->writes)), "ok");
  }

  using OpenEngine = std::unique_ptr<storage::Engine> (*)(Metrics&);
  explicit TransactionTest(OpenEngine open = storage::MakeTestEngine) : engine_(open(metrics_)) {}

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_;
  ManualClock clock_;
  std::unique_ptr<TableLayer> layer_ = std::make_unique<TableLayer>(*engine_, clock_);
  std::shared_ptr<Table> a_ = layer_->CreateTable("A");
  std::shared_ptr<Table> b_ = layer_->CreateTable("B");
  std::shared_ptr<Table> c_ = *RunBlocking(layer_->catalog.Create(MakeCollectionTableDef("C")));
};

// Over a disk that fails when it is told to.
class TransactionFaultsTest : public TransactionTest {
 protected:
  TransactionFaultsTest() : TransactionTest(OpenFaulty) {}
  static std::unique_ptr<storage::Engine> OpenFaulty(Metrics& metrics) {
    return storage::OpenFaultyEngine({}, metrics);
  }
  FaultyEngine& disk() { return static_cast<FaultyEngine&>(*engine_); }
};

TEST_F(TransactionTest, TakesEffectInAllTablesOrInNone) {
  TestWrites good;
  good.Add(TestWrite::Put(*a_, "pk=S:1,n=N:1"));
  good.Add(TestWrite::Put(*b_, "pk=S:1,n=N:2"));
  good.AddCheck(*b_, "pk=S:2", "attribute_not_exists(pk)");
  EXPECT_EQ(Transact(good), "ok");
  EXPECT_EQ(Read(*a_, "pk=S:1"), "n=N:1,pk=S:1");
  EXPECT_EQ(Read(*b_, "pk=S:1"), "n=N:2,pk=S:1");
  EXPECT_EQ(Read(*b_, "pk=S:2"), "(none)");
  EXPECT_EQ(a_->CountItems().rows, 1);
  EXPECT_EQ(b_->CountItems().rows, 1);

  TestWrites bad;
  bad.Add(TestWrite::Delete(*a_, "pk=S:1"));
  bad.Add(TestWrite::Update(*b_, "pk=S:1", "SET n = :v", "n = :seven", {{":v", "N:3"}, {":seven", "N:7"}}));
  bad.AddCheck(*a_, "pk=S:9", "attribute_exists(pk)");
  EXPECT_EQ(Transact(bad), "cancelled");
  EXPECT_TRUE(bad.all()[0].condition_held);
  EXPECT_FALSE(bad.all()[1].condition_held);
  EXPECT_FALSE(bad.all()[2].condition_held) << "every condition is evaluated";
  EXPECT_EQ(bad.old_item(1), "n=N:2,pk=S:1");
  EXPECT_EQ(Read(*a_, "pk=S:1"), "n=N:1,pk=S:1");
  EXPECT_EQ(Read(*b_, "pk=S:1"), "n=N:2,pk=S:1");
  EXPECT_EQ(a_->CountItems().rows, 1);
}

TEST_F(TransactionTest, AnUpdateThatDoesNotFitItsItemCancels) {
  Put(*b_, "pk=S:1,s=S:text");
  TestWrites writes;
  writes.Add(TestWrite::Put(*a_, "pk=S:1"));
  writes.Add(TestWrite::Update(*b_, "pk=S:1", "SET s = s + :one", {}, {{":one", "N:1"}}));
  EXPECT_EQ(Transact(writes), "cancelled");
  EXPECT_FALSE(writes.all()[0].failure.has_value());
  ASSERT_TRUE(writes.all()[1].failure.has_value());
  EXPECT_EQ(writes.all()[1].failure->name, "ValidationException");
  EXPECT_EQ(Read(*a_, "pk=S:1"), "(none)");
}

TEST_F(TransactionTest, SeveralItemsOfOneCollectionAddUp) {
  TestWrites writes;
  for (int i = 0; i < 5; ++i) writes.Add(TestWrite::Put(*c_, fmt::format("pk=S:c,sk=N:{},w=N:7", i + 1)));
  writes.Add(TestWrite::Put(*c_, "pk=S:other,sk=N:1"));
  EXPECT_EQ(Transact(writes), "ok");
  // pk 3, sk 4, w 3; the entry in the index is as large.
  for (uint64_t i = 0; i < 5; ++i) EXPECT_EQ(writes.all()[i].collection_bytes, 20 * (i + 1));
  EXPECT_EQ(writes.all()[5].collection_bytes, 7u + 4u);

  TestWrites fewer;
  fewer.Add(TestWrite::Delete(*c_, "pk=S:c,sk=N:1"));
  fewer.Add(TestWrite::Update(*c_, "pk=S:c,sk=N:2", "REMOVE w"));
  fewer.Add(TestWrite::Delete(*c_, "pk=S:c,sk=N:9"));
  EXPECT_EQ(Transact(fewer), "ok");
  EXPECT_EQ(fewer.all()[2].collection_bytes, 100u - 20 - 13);
  const auto schema = c_->schema();
  EXPECT_EQ(c_->CountRows(schema->indexes().front()).rows, 3);
  EXPECT_EQ(c_->CountItems().rows, 5);
}

TEST_F(TransactionTest, ACollectionOverItsLimitCancels) {
  WritePath writes(*engine_, clock_, WriteOptions{.max_collection_bytes = 50});
  TestWrites many;
  for (int i = 0; i < 3; ++i) many.Add(TestWrite::Put(*c_, fmt::format("pk=S:c,sk=N:{},w=N:7", i + 1)));
  EXPECT_EQ(RunBlocking(many.ExecuteTransaction(writes)), "cancelled");
  ASSERT_TRUE(many.all()[2].failure.has_value());
  EXPECT_EQ(many.all()[2].failure->name, "ItemCollectionSizeLimitExceededException");
  EXPECT_EQ(Read(*c_, "pk=S:c,sk=N:1"), "(none)");
  // The sizes that were counted on the way are forgotten with the rest.
  TestWrites one;
  one.Add(TestWrite::Put(*c_, "pk=S:c,sk=N:1,w=N:7"));
  EXPECT_EQ(RunBlocking(one.ExecuteTransaction(writes)), "ok");
  EXPECT_EQ(one.all()[0].collection_bytes, 20u);
}

TEST_F(TransactionFaultsTest, AFailedCommitChangesNothing) {
  TestWrites writes;
  writes.Add(TestWrite::Put(*a_, "pk=S:1"));
  writes.Add(TestWrite::Put(*b_, "pk=S:1"));
  disk().FailNext(FaultyEngine::Point::kCommit, 1, Status::IoError("test"));
  EXPECT_EQ(Transact(writes), "InternalServerError");
  EXPECT_EQ(Read(*a_, "pk=S:1"), "(none)");
  EXPECT_EQ(a_->CountItems().rows, 0);
  Put(*a_, "pk=S:1");  // the latches are free again
  Put(*b_, "pk=S:1");
}

TEST_F(TransactionFaultsTest, ACrashBeforeTheSyncTakesAllOfIt) {
  disk().SetAutoSync(false);
  StepExecutor executor;
  TestWrites writes;
  writes.Add(TestWrite::Put(*a_, "pk=S:1"));
  writes.Add(TestWrite::Put(*b_, "pk=S:1"));
  std::string outcome;
  executor.Start([](TestWrites& all, WritePath& path, std::string& out) -> Task<void> {
    out = co_await all.ExecuteTransaction(path);
  }(writes, layer_->writes, outcome));
  executor.RunQueued();
  EXPECT_EQ(outcome, "");
  disk().Crash();
  executor.RunQueued();
  EXPECT_EQ(outcome, "ServiceUnavailableException");
  disk().SetAutoSync(true);
  TableLayer reborn(*engine_, clock_);
  ASSERT_TRUE(RunBlocking(reborn.catalog.Load()).ok());
  EXPECT_EQ(ReadItem(reborn.reads, *reborn.catalog.Find(kScope, "A"), "pk=S:1"), "(none)");
  EXPECT_EQ(ReadItem(reborn.reads, *reborn.catalog.Find(kScope, "B"), "pk=S:1"), "(none)");
}

// --- batches

TEST_F(TransactionFaultsTest, ABatchWritesWhatItCan) {
  TestWrites writes;
  writes.Add(TestWrite::Put(*a_, "pk=S:1"));
  writes.Add(TestWrite::Put(*b_, "pk=S:1"));
  writes.Add(TestWrite::Put(*a_, "pk=S:2"));
  disk().FailNext(FaultyEngine::Point::kGet, 1, Status::IoError("test"));
  EXPECT_EQ(Batch(writes), "ok");
  EXPECT_TRUE(writes.all()[0].failure.has_value()) << "its item cannot be read";
  EXPECT_FALSE(writes.all()[1].failure.has_value());
  EXPECT_FALSE(writes.all()[2].failure.has_value());
  EXPECT_EQ(Read(*a_, "pk=S:1"), "(none)");
  EXPECT_EQ(Read(*b_, "pk=S:1"), "pk=S:1");
  EXPECT_EQ(Read(*a_, "pk=S:2"), "pk=S:2");
}

TEST_F(TransactionFaultsTest, ABatchOfWhichNothingCouldBeDoneFails) {
  TestWrites writes;
  writes.Add(TestWrite::Put(*a_, "pk=S:1"));
  writes.Add(TestWrite::Put(*b_, "pk=S:1"));
  disk().FailNext(FaultyEngine::Point::kCommit, 1, Status::NoSpace("test"));
  EXPECT_EQ(Batch(writes), "ServiceUnavailableException");
  EXPECT_EQ(Read(*a_, "pk=S:1"), "(none)");
}

TEST_F(TransactionTest, ABatchKeepsIndexesAndCollections) {
  Put(*c_, "pk=S:c,sk=N:1,w=N:7");
  TestWrites writes;
  writes.Add(TestWrite::Delete(*c_, "pk=S:c,sk=N:1"));
  writes.Add(TestWrite::Put(*c_, "pk=S:c,sk=N:2,w=N:7"));
  writes.Add(TestWrite::Put(*c_, "pk=S:c,sk=N:3"));
  EXPECT_EQ(Batch(writes), "ok");
  EXPECT_EQ(writes.all()[2].collection_bytes, 20u + 7u);
  EXPECT_EQ(writes.all()[0].index_charges.size(), 1u);
  EXPECT_EQ(c_->CountRows(c_->schema()->indexes().front()).rows, 1);
}

// --- many at once

// Every successful write stamps its item with w, the id of its transaction, so the images seen tell who came after
// whom. They must be those of some order of all transactions, one after the other.
struct Seen {
  Table* table = nullptr;
  std::string key;
  int64_t stamp = 0;  // 0: no item
  bool writes = false;
};
struct Done {
  int64_t id = 0;
  std::vector<Seen> items;
};

int64_t StampOf(const ItemWrite& write) {
  if (!write.old_exists) return 0;
  const model::Value* stamp = model::FindAttribute(write.old_item, "w");
  return stamp ? std::stoll(stamp->number().ToString()) : -1;
}

class SerialOrderTest : public testing::TestWithParam<bool> {
 protected:
  static constexpr int kThreads = 3;
  static constexpr int kWriters = 12;
  static constexpr int kTransactionsEach = 150;

  Task<void> Write(uint32_t seed, std::vector<Done>& log) {
    std::mt19937 random(seed);
    const auto pick = [&](size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); };
    for (int i = 0; i < kTransactionsEach; ++i) {
      const int64_t id = static_cast<int64_t>(seed) * 1'000'000 + i + 1;
      const std::string stamp = fmt::format("N:{}", id);
      const bool only_reads = pick(6) == 0;
      TestWrites writes;
      Done done{id, {}};
      std::set<std::pair<Table*, std::string>> chosen;
      for (size_t n = 1 + pick(4); chosen.size() < n;) {
        Table& table = pick(2) ? *plain_ : *collections_;
        const std::string key =
            &table == plain_.get() ? fmt::format("pk=S:{}", pick(6)) : fmt::format("pk=S:{},sk=N:{}", pick(2), pick(4));
        if (!chosen.emplace(&table, key).second) continue;
        const size_t kind = only_reads ? 0 : pick(10);
        done.items.push_back({&table, key, 0, kind > 1});
        if (only_reads) writes.AddCheck(table, key, {});
        else if (kind <= 1)
          writes.AddCheck(table, key, kind ? "attribute_exists(pk)" : "attribute_not_exists(nothing)");
        else if (kind <= 5) writes.Add(TestWrite::Put(table, fmt::format("{},w={}", key, stamp)));
        else if (kind <= 8)
          writes.Add(TestWrite::Update(table, key, "SET w = :w ADD n :one", {}, {{":w", stamp}, {":one", "N:1"}}));
        else writes.Add(TestWrite::Update(table, key, "SET w = :w", "attribute_exists(pk)", {{":w", stamp}}));
      }
      std::string outcome;
      if (only_reads) {
        outcome = co_await writes.ReadTogether(layer_->writes);
        EXPECT_EQ(outcome.find("Exception"), std::string::npos) << outcome;
      } else {
        outcome = co_await writes.ExecuteTransaction(layer_->writes);
        EXPECT_TRUE(outcome == "ok" || outcome == "cancelled") << outcome;
      }
      for (size_t n = 0; n < done.items.size(); ++n) {
        done.items[n].stamp = StampOf(writes.all()[n]);
        done.items[n].writes = done.items[n].writes && outcome == "ok";
      }
      log.push_back(std::move(done));
    }
  }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_ =
      GetParam() ? storage::OpenFaultyEngine({.is_auto_sync = true, .is_delayed = true}, metrics_)
                 : storage::MakeTestEngine(metrics_);
  ManualClock clock_;
  std::unique_ptr<TableLayer> layer_ = std::make_unique<TableLayer>(*engine_, clock_);
  std::shared_ptr<Table> plain_ = layer_->CreateTable("P");
  std::shared_ptr<Table> collections_ = *RunBlocking(layer_->catalog.Create(MakeCollectionTableDef("C")));
};

// The order, or an empty list if there is a cycle.
std::vector<size_t> TopologicalOrder(const std::vector<std::set<size_t>>& after) {
  std::vector<size_t> waits(after.size()), order;
  for (const auto& successors : after)
    for (const size_t next : successors) ++waits[next];
  for (size_t i = 0; i < after.size(); ++i)
    if (waits[i] == 0) order.push_back(i);
  for (size_t i = 0; i < order.size(); ++i)
    for (const size_t next : after[order[i]])
      if (--waits[next] == 0) order.push_back(next);
  if (order.size() != after.size()) order.clear();
  return order;
}

TEST_P(SerialOrderTest, ManyWritersLookLikeOneAfterTheOther) {
  std::vector<std::vector<Done>> logs(kWriters);
  {
    std::array<ThreadExecutor, kThreads> executors;
    for (uint32_t i = 0; i < kWriters; ++i) executors[i % kThreads].Spawn(Write(i + 1, logs[i]));
    for (auto& executor : executors) executor.WaitIdle();
  }
  std::vector<Done> all;
  for (auto& log : logs)
    for (auto& done : log) all.push_back(std::move(done));
  ASSERT_EQ(all.size(), static_cast<size_t>(kWriters * kTransactionsEach));

  // Who wrote, and who overwrote, each state of each item.
  using ItemState = std::tuple<Table*, std::string, int64_t>;
  std::map<ItemState, size_t> writer, overwriter;
  for (size_t i = 0; i < all.size(); ++i) {
    for (const auto& item : all[i].items) {
      if (!item.writes) continue;
      writer[{item.table, item.key, all[i].id}] = i;
      EXPECT_TRUE(overwriter.emplace(ItemState{item.table, item.key, item.stamp}, i).second) << "a lost update";
    }
  }
  std::vector<std::set<size_t>> after(all.size());
  size_t written = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    for (const auto& item : all[i].items) {
      written += item.writes;
      const ItemState state{item.table, item.key, item.stamp};
      if (item.stamp != 0) {
        const auto it = writer.find(state);
        ASSERT_NE(it, writer.end()) << "an image nobody committed";
        after[it->second].insert(i);
      }
      const auto next = overwriter.find(state);
      if (next != overwriter.end() && next->second != i) after[i].insert(next->second);
    }
  }
  const auto order = TopologicalOrder(after);
  ASSERT_EQ(order.size(), all.size()) << "no serial order explains what the transactions saw";
  EXPECT_GT(written, 500u);

  // One after the other in that order, they see what they saw and leave what is there.
  std::map<std::pair<Table*, std::string>, int64_t> model;
  for (const size_t i : order) {
    for (const auto& item : all[i].items) EXPECT_EQ((model[{item.table, item.key}]), item.stamp);
    for (const auto& item : all[i].items)
      if (item.writes) model[{item.table, item.key}] = all[i].id;
  }
  for (const auto& [item, stamp] : model) {
    const std::string found = ReadItem(layer_->reads, *item.first, item.second);
    if (stamp == 0) EXPECT_EQ(found, "(none)");
    else EXPECT_NE((found + ",").find(fmt::format("w=N:{},", stamp)), std::string::npos) << found;
  }

  // The sizes of the collections went along.
  for (const auto* pk : {"0", "1"}) {
    TestWrites clear;
    uint64_t left = 1;
    for (int sk = 0; sk < 4; ++sk) clear.Add(TestWrite::Delete(*collections_, fmt::format("pk=S:{},sk=N:{}", pk, sk)));
    EXPECT_EQ(RunBlocking(clear.ExecuteTransaction(layer_->writes)), "ok");
    left = clear.all()[3].collection_bytes;
    EXPECT_EQ(left, 0u);
  }
  EXPECT_EQ(collections_->CountItems().rows, 0);
  EXPECT_EQ(collections_->CountRows(collections_->schema()->indexes().front()).rows, 0);
}

INSTANTIATE_TEST_SUITE_P(Engine, SerialOrderTest, testing::Bool(),
                         [](const auto& test) { return test.param ? "Delayed" : "Memory"; });

}  // namespace
}  // namespace armature::table
