// Writes over an engine that has no more than a distributed store: commits of one partition, whose outcome may be
// refused, late or never told. Nothing acknowledged is lost, nothing is done twice, no transaction is done by half, and
// every row of an index agrees with its item, whatever dies when.
#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/mutex.h"
#include "base/random.h"
#include "storage/memory/memory_engine.h"
#include "storage/narrow/narrow_engine.h"
#include "table/index/index_follower.h"
#include "table/read/page_read.h"
#include "table/system_records.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

constexpr std::string_view kIndex = "by_g";

// Thrown where the process is said to die.
struct Died {};

class NarrowWritesTest : public testing::Test {
 protected:
  NarrowWritesTest() { Open({}); }

  void Open(const storage::NarrowOptions& options) {
    layer_.reset();
    engine_ = storage::OpenNarrowEngine(storage::OpenMemoryEngine(metrics_), options);
    Start();
    model::TableDef with_index = MakeTableDef("indexed");
    with_index.attribute_definitions.push_back({"g", model::Type::kS});
    model::IndexDef index;
    index.name = kIndex;
    index.id = with_index.next_index_id++;
    index.key_schema = {{{"g", model::Type::kS}}, {}};
    with_index.indexes.push_back(index);
    ASSERT_TRUE(RunBlocking(layer_->catalog.Create(with_index)));
    ASSERT_TRUE(layer_->CreateTable("plain"));
    Find();
  }
  void Find() {
    indexed_ = layer_->catalog.Find(kScope, "indexed");
    plain_ = layer_->catalog.Find(kScope, "plain");
  }
  // A process begins, as after a crash.
  void Start() {
    WriteOptions options;
    options.at_step = [this](std::string_view step) {
      if (step == die_at_) throw Died();
      if (at_step_) at_step_(step);
    };
    layer_ = std::make_unique<TableLayer>(*engine_, clock_, 0, options);
    ASSERT_TRUE(RunBlocking(layer_->catalog.Load()).ok());
    ASSERT_TRUE(RunBlocking(layer_->writes.KeepHouse(layer_->catalog.AllTables())).ok());
    Find();
  }
  void CrashAndStart() {
    die_at_.clear();
    engine_->Crash();
    Start();
  }

  storage::PartitionId IdOf(Table& table) { return table.partitions().Find(0)->id(); }
  storage::PartitionId IdOfIndex() { return indexed_->schema()->FindIndex(kIndex)->partitions->Find(0)->id(); }

  std::string Execute(std::unique_ptr<TestWrite> write) { return RunBlocking(write->Execute(layer_->writes)); }
  std::string Put(Table& table, std::string_view item) { return Execute(TestWrite::Put(table, item)); }
  std::string AddOne(Table& table, std::string_view key) {
    return Execute(TestWrite::Update(table, key, "ADD n :one", {}, {{":one", "N:1"}}));
  }
  std::string Read(Table& table, std::string_view key) { return ReadItem(layer_->reads, table, key); }

  struct Sink final : RowSink {
    void Row(model::Item item) override { items.insert(expr::Show(item)); }
    std::multiset<std::string> items;
  };
  std::multiset<std::string> Rows(Table& table, const Keyspace& keyspace, const PartitionSet& partitions) {
    Sink sink;
    Arena arena;
    PageRead page;
    page.table = &table;
    page.keyspace = &keyspace;
    page.partitions = &partitions;
    page.range = AllRows(keyspace);
    page.sink = &sink;
    EXPECT_TRUE(RunBlocking(ReadPage(*engine_, page, arena)));
    EXPECT_FALSE(page.has_more);
    return sink.items;
  }
  std::multiset<std::string> Items(Table& table) {
    const auto schema = table.schema();
    return Rows(table, schema->items(), table.partitions());
  }
  std::multiset<std::string> IndexRows() {
    const auto schema = indexed_->schema();
    const IndexSchema& index = *schema->FindIndex(kIndex);
    return Rows(*indexed_, index.keyspace, *index.partitions);
  }
  void ExpectIndexAgrees() { EXPECT_EQ(IndexRows(), Items(*indexed_)); }

  Metrics metrics_;
  ManualClock clock_;
  std::string die_at_;
  std::function<void(std::string_view step)> at_step_;
  std::unique_ptr<storage::NarrowEngine> engine_;
  std::unique_ptr<TableLayer> layer_;
  std::shared_ptr<Table> indexed_, plain_;
};

// --- outcomes of one write

TEST_F(NarrowWritesTest, AWriteThatAFenceRefusesIsDoneOnce) {
  ASSERT_EQ(AddOne(*plain_, "pk=S:1"), "ok");
  engine_->FenceNext(IdOf(*plain_));
  EXPECT_EQ(AddOne(*plain_, "pk=S:1"), "ok");
  EXPECT_EQ(Read(*plain_, "pk=S:1"), "n=N:2,pk=S:1");
}

TEST_F(NarrowWritesTest, AWriteWhoseOutcomeIsNotKnownIsDoneOnce) {
  int n = 0;
  for (const bool is_done : {true, false, true}) {
    engine_->UnknownNext(IdOf(*plain_), is_done);
    EXPECT_EQ(AddOne(*plain_, "pk=S:1"), "ok");
    EXPECT_EQ(Read(*plain_, "pk=S:1"), fmt::format("n=N:{},pk=S:1", ++n)) << is_done;
    engine_->DoubtNext(IdOf(*plain_), is_done);
    EXPECT_EQ(AddOne(*plain_, "pk=S:1"), "ok");
    EXPECT_EQ(Read(*plain_, "pk=S:1"), fmt::format("n=N:{},pk=S:1", ++n)) << is_done;
  }
}

TEST_F(NarrowWritesTest, WhatAReplyTellsOfTheLatestStateIsNotTakenBack) {
  // The first write is in doubt and lost; the second has seen it, and must not say so.
  ASSERT_EQ(Put(*plain_, "pk=S:1,n=N:1"), "ok");
  engine_->HoldBack(IdOf(*plain_));
  engine_->DoubtNext(IdOf(*plain_), false);
  std::string first, second;
  const auto put = TestWrite::Put(*plain_, "pk=S:1,n=N:2", "n = :one", {{":one", "N:1"}});
  const auto conditional = TestWrite::Put(*plain_, "pk=S:1,n=N:9", "n = :one", {{":one", "N:1"}});
  std::thread one([&] { first = RunBlocking(put->Execute(layer_->writes)); });
  while (engine_->queued(IdOf(*plain_)) == 0) std::this_thread::yield();
  std::thread two([&] { second = RunBlocking(conditional->Execute(layer_->writes)); });
  engine_->LetGo(IdOf(*plain_));
  one.join();
  two.join();
  // One of them is done, and the other's condition fails of it.
  EXPECT_TRUE((first == "ok" && second == "condition") || (first == "condition" && second == "ok")) << first << second;
  EXPECT_EQ(Read(*plain_, "pk=S:1"), first == "ok" ? "n=N:2,pk=S:1" : "n=N:9,pk=S:1");
}

TEST_F(NarrowWritesTest, AFullQueueIsAwaitedButNotForEver) {
  engine_->BusyNext(IdOf(*plain_), 3);
  EXPECT_EQ(AddOne(*plain_, "pk=S:1"), "ok");
  engine_->BusyNext(IdOf(*plain_), 1000);
  EXPECT_EQ(AddOne(*plain_, "pk=S:1"), "ServiceUnavailableException");
  engine_->BusyNext(IdOf(*plain_), 0);
  EXPECT_EQ(Read(*plain_, "pk=S:1"), "n=N:1,pk=S:1");
}

TEST_F(NarrowWritesTest, ABatchIsOneCommitForEachPartitionAndNoneIsDoneTwice) {
  for (const storage::PartitionId id : {IdOf(*plain_), IdOf(*indexed_)}) engine_->UnknownNext(id, true);
  TestWrites batch;
  for (int i = 0; i < 10; ++i) {
    Table& table = i % 2 == 0 ? *plain_ : *indexed_;
    batch.Add(TestWrite::Update(table, fmt::format("pk=S:{}", i), "ADD n :one", {}, {{":one", "N:1"}}));
  }
  EXPECT_EQ(RunBlocking(batch.ExecuteBatch(layer_->writes)), "ok");
  EXPECT_EQ(Items(*plain_).size(), 5u);
  for (const auto& item : Items(*plain_)) EXPECT_TRUE(item.starts_with("n=N:1,")) << item;
  EXPECT_EQ(Items(*indexed_).size(), 5u);
}

// Runs a batch on an executor of its own, in which `meanwhile` happens: the batch has grouped its writes by then, and
// waits for a latch of the first, which is in table plain.
std::string ExecuteBatchHeldUp(TableLayer& layer, Table& plain, TestWrites& batch,
                               const std::function<void()>& meanwhile) {
  auto latches = RunBlocking(HoldAllLatches(*plain.partitions().Find(0)));
  StepExecutor executor;
  std::string outcome;
  executor.Start([](TestWrites& writes, WritePath& path, std::string& to) -> Task<void> {
    to = co_await writes.ExecuteBatch(path);
  }(batch, layer.writes, outcome));
  meanwhile();
  latches.clear();
  executor.RunUntil([&] { return !outcome.empty(); });
  return outcome;
}

TEST_F(NarrowWritesTest, ABatchWhosePartitionIsSplitMeanwhileIsDoneWhole) {
  TestWrites batch;
  batch.Add(TestWrite::Put(*plain_, "pk=S:1"));
  for (int i = 0; i < 10; ++i) batch.Add(TestWrite::Put(*indexed_, fmt::format("pk=S:{}", i)));
  const auto split = [&] { EXPECT_TRUE(RunBlocking(layer_->catalog.SplitPartition(indexed_, IdOf(*indexed_))).ok()); };
  EXPECT_EQ(ExecuteBatchHeldUp(*layer_, *plain_, batch, split), "ok");
  EXPECT_EQ(Items(*plain_).size(), 1u);
  EXPECT_EQ(Items(*indexed_).size(), 10u);
}

TEST_F(NarrowWritesTest, EachPartitionOfABatchIsAwaitedAsLong) {
  for (Table* table : {plain_.get(), indexed_.get()}) engine_->BusyNext(IdOf(*table), kBusyTries - 2);
  TestWrites batch;
  for (Table* table : {plain_.get(), indexed_.get()}) batch.Add(TestWrite::Put(*table, "pk=S:1"));
  EXPECT_EQ(RunBlocking(batch.ExecuteBatch(layer_->writes)), "ok");
  for (const ItemWrite& write : batch.all()) EXPECT_FALSE(write.failure) << write.failure->name;
}

TEST_F(NarrowWritesTest, IndexesThatCannotFollowFailOnlyWhatIsLeftOfABatch) {
  for (size_t i = 1; i < kMostIndexNotes; ++i) ASSERT_EQ(Put(*indexed_, fmt::format("pk=S:{},g=S:g", i)), "ok");
  TestWrites batch;
  for (Table* table : {plain_.get(), indexed_.get()}) batch.Add(TestWrite::Put(*table, "pk=S:batch,g=S:g"));
  const auto fill = [&] {
    EXPECT_EQ(Put(*indexed_, "pk=S:one more,g=S:g"), "ok");
    engine_->BusyNext(IdOf(*indexed_), 1);
    engine_->BusyNext(IdOfIndex(), 1000);
  };
  EXPECT_EQ(ExecuteBatchHeldUp(*layer_, *plain_, batch, fill), "ok");
  engine_->BusyNext(IdOfIndex(), 0);
  EXPECT_FALSE(batch.all()[0].failure);
  ASSERT_TRUE(batch.all()[1].failure);
  EXPECT_EQ(batch.all()[1].failure->name, "ServiceUnavailableException");
  EXPECT_EQ(Read(*plain_, "pk=S:batch"), "g=S:g,pk=S:batch");
  EXPECT_EQ(Read(*indexed_, "pk=S:batch"), "(none)");
}

TEST_F(NarrowWritesTest, ASplitThatAFenceRefusesIsDone) {
  for (int i = 0; i < 10; ++i) ASSERT_EQ(Put(*plain_, fmt::format("pk=S:{}", i)), "ok");
  engine_->FenceNext(IdOf(*plain_));
  EXPECT_TRUE(RunBlocking(layer_->catalog.SplitPartition(plain_, IdOf(*plain_))).ok());
  EXPECT_EQ(plain_->partitions().list()->size(), 2u);
  EXPECT_EQ(Items(*plain_).size(), 10u);
}

// --- indexes

TEST_F(NarrowWritesTest, RowsOfAnIndexFollowTheirItems) {
  for (int i = 0; i < 100; ++i) ASSERT_EQ(Put(*indexed_, fmt::format("pk=S:{},g=S:g{}", i, i % 7)), "ok");
  ExpectIndexAgrees();
  for (int i = 0; i < 100; i += 2) ASSERT_EQ(Put(*indexed_, fmt::format("pk=S:{},g=S:h{}", i, i % 5)), "ok");
  for (int i = 0; i < 100; i += 3) ASSERT_EQ(Execute(TestWrite::Delete(*indexed_, fmt::format("pk=S:{}", i))), "ok");
  ExpectIndexAgrees();
  EXPECT_EQ(IndexFollower::Lag(*indexed_), 0u);
  EXPECT_EQ(IndexRows().size(), 66u);
}

TEST_F(NarrowWritesTest, TheLagIsSeenAndTooMuchOfItHoldsWritersUp) {
  engine_->HoldBack(IdOfIndex());
  for (size_t i = 0; i < kMostIndexNotes; ++i)
    ASSERT_EQ(Put(*indexed_, fmt::format("pk=S:{},g=S:g", i)), "ok") << "an index that hangs does not keep writes";
  EXPECT_EQ(IndexFollower::Lag(*indexed_), kMostIndexNotes);
  std::atomic<bool> is_done = false;
  std::thread writer([&] {
    EXPECT_EQ(Put(*indexed_, "pk=S:one more,g=S:g"), "ok");
    is_done = true;
  });
  while (engine_->queued(IdOfIndex()) == 0) std::this_thread::yield();  // the writer helps
  EXPECT_FALSE(is_done);
  engine_->LetGo(IdOfIndex());
  writer.join();
  EXPECT_LT(IndexFollower::Lag(*indexed_), 3u);
  ExpectIndexAgrees();
}

TEST_F(NarrowWritesTest, FollowingAnIndexMeetsEveryOutcome) {
  for (int round = 0; round < 4; ++round) {
    const std::function<void(storage::PartitionId)> meet[] = {
        [&](storage::PartitionId id) { engine_->FenceNext(id); },
        [&](storage::PartitionId id) { engine_->UnknownNext(id, true); },
        [&](storage::PartitionId id) { engine_->UnknownNext(id, false); },
        [&](storage::PartitionId id) { engine_->DoubtNext(id, round % 2 == 0); },
    };
    for (size_t i = 0; i < std::size(meet); ++i) {
      ASSERT_EQ(Put(*indexed_, fmt::format("pk=S:{},g=S:{}", i, round)), "ok");
      meet[i](IdOfIndex());
      ExpectIndexAgrees();
      ASSERT_EQ(Put(*indexed_, fmt::format("pk=S:{},g=S:x{}", i, round)), "ok");
      meet[i](IdOf(*indexed_));  // of the commit that takes the note away
      ExpectIndexAgrees();
    }
  }
  // The last deletion of a note may be among what was lost: then it is followed once more.
  EXPECT_TRUE(RunBlocking(layer_->writes.follower().CatchUp(*indexed_)).ok());
  EXPECT_EQ(IndexFollower::Lag(*indexed_), 0u);
}

TEST_F(NarrowWritesTest, WhoFollowsAPartitionThatDiesPutsNoRowBehindItsSuccessors) {
  for (const bool by_split : {false, true}) {
    Open({});
    ASSERT_EQ(Put(*indexed_, "pk=S:1,g=S:a"), "ok");
    const auto partition = indexed_->partitions().Find(0);
    std::thread other;
    std::atomic<bool> has_begun = false, is_done = false;
    // Between comparing and committing: the partition goes, and its successor writes and follows the item.
    at_step_ = [&](std::string_view step) {
      if (step != "index-compared" || has_begun.exchange(true)) return;
      other = std::thread([&] {
        if (by_split) EXPECT_TRUE(RunBlocking(layer_->catalog.SplitPartition(indexed_, partition->id())).ok());
        else engine_->FenceNext(partition->id());
        EXPECT_EQ(Put(*indexed_, "pk=S:1,g=S:b"), "ok");
        EXPECT_TRUE(RunBlocking(layer_->writes.follower().CatchUp(*indexed_)).ok());
        is_done = true;
      });
      while (!is_done && !partition->rows_latch().IsAwaited(0)) std::this_thread::yield();
    };
    EXPECT_TRUE(RunBlocking(layer_->writes.follower().CatchUp(*indexed_)).ok());
    other.join();
    at_step_ = nullptr;
    ExpectIndexAgrees();
    EXPECT_EQ(IndexRows(), std::multiset<std::string>{"g=S:b,pk=S:1"}) << by_split;
  }
}

TEST_F(NarrowWritesTest, ARowThatAWriteHasPaidForIsNoneOfTheBackfills) {
  ASSERT_EQ(Put(*indexed_, "pk=S:old,g=S:a,h=S:a"), "ok");
  ExpectIndexAgrees();
  const auto announce = [](model::TableDef& def) -> model::ApiResult<void> {
    def.attribute_definitions.push_back({"h", model::Type::kS});
    model::IndexDef index;
    index.name = "by_h";
    index.id = def.next_index_id++;
    index.key_schema = {{{"h", model::Type::kS}}, {}};
    index.status = model::ResourceStatus::kCreating;
    def.indexes.push_back(index);
    return {};
  };
  ASSERT_TRUE(RunBlocking(layer_->catalog.Update(kScope, "indexed", announce)));
  const auto schema = indexed_->schema();
  const IndexSchema& index = *schema->FindIndex("by_h");
  const Meter& built = index.partitions->Find(0)->meter();
  ASSERT_EQ(Put(*indexed_, "pk=S:new,g=S:a,h=S:a"), "ok");
  EXPECT_EQ(built.write_units(), 1);
  for (const auto& [key, background] : {std::pair("pk=S:new", 0), std::pair("pk=S:old", 1), std::pair("pk=S:old", 1)}) {
    Arena arena;
    const model::Item item = expr::MakeItem(arena, key);
    EXPECT_TRUE(RunBlocking(layer_->writes.BuildIndexRow(*indexed_, index.def->id, item, arena)));
    EXPECT_EQ(built.background_write_units(), background) << key;
  }
  EXPECT_EQ(schema->FindIndex(kIndex)->partitions->Find(0)->meter().background_write_units(), 0);
  EXPECT_EQ(indexed_->CountRows(index).rows, 2);
}

// --- transactions

TEST_F(NarrowWritesTest, ATransactionOfSeveralPartitionsTakesEffectInAllOrInNone) {
  TestWrites good;
  good.Add(TestWrite::Put(*plain_, "pk=S:1,n=N:1"));
  good.Add(TestWrite::Put(*indexed_, "pk=S:1,g=S:a"));
  good.AddCheck(*plain_, "pk=S:2", "attribute_not_exists(pk)");
  EXPECT_EQ(RunBlocking(good.ExecuteTransaction(layer_->writes)), "ok");
  EXPECT_EQ(Read(*plain_, "pk=S:1"), "n=N:1,pk=S:1");
  ExpectIndexAgrees();
  TestWrites bad;
  bad.Add(TestWrite::Delete(*plain_, "pk=S:1"));
  bad.AddCheck(*indexed_, "pk=S:1", "attribute_not_exists(pk)");
  EXPECT_EQ(RunBlocking(bad.ExecuteTransaction(layer_->writes)), "cancelled");
  EXPECT_EQ(Read(*plain_, "pk=S:1"), "n=N:1,pk=S:1");
  // Nothing of it stays.
  for (const auto& table : layer_->catalog.AllTables()) {
    const auto partitions = table->partitions().list();
    for (const auto& partition : *partitions) EXPECT_TRUE(partition->intents().empty());
  }
}

TEST_F(NarrowWritesTest, ATransactionMeetsEveryOutcomeAtEveryCommit) {
  int n = 0;
  for (int skip = 0; skip < 2; ++skip) {  // at the intents, and at the changes
    for (int outcome = 0; outcome < 6; ++outcome) {
      const auto meet = [&](storage::PartitionId id) {
        if (outcome == 0) engine_->FenceNext(id);
        else if (outcome == 1) engine_->BusyNext(id, 3);
        else if (outcome < 4) engine_->UnknownNext(id, outcome == 2);
        else engine_->DoubtNext(id, outcome == 4);
      };
      bool is_met = false;
      WriteOptions options;
      options.at_step = [&](std::string_view step) {
        if (step == "record" && skip == 1 && !is_met) meet(IdOf(*plain_)), is_met = true;
      };
      TableLayer layer(*engine_, clock_, 0, options);
      ASSERT_TRUE(RunBlocking(layer.catalog.Load()).ok());
      const auto plain = layer.catalog.Find(kScope, "plain"), indexed = layer.catalog.Find(kScope, "indexed");
      if (skip == 0) meet(IdOf(*plain_));
      TestWrites add;
      for (Table* table : {plain.get(), indexed.get()})
        add.Add(TestWrite::Update(*table, "pk=S:1", "ADD n :one", {}, {{":one", "N:1"}}));
      EXPECT_EQ(RunBlocking(add.ExecuteTransaction(layer.writes)), "ok");
      ++n;
      for (Table* table : {plain.get(), indexed.get()})
        EXPECT_EQ(ReadItem(layer.reads, *table, "pk=S:1"), fmt::format("n=N:{},pk=S:1", n)) << skip << outcome;
    }
  }
}

TEST_F(NarrowWritesTest, ATransactionThatIsRecordedIsNotDoneAgain) {
  // Longer than the changes are tried, and longer than anybody is.
  for (const auto& [busy, expected] : {std::pair(16, "ok"), std::pair(1000, "InternalServerError")}) {
    Open({});
    at_step_ = [&, often = busy](std::string_view step) {
      if (step == "record") engine_->BusyNext(IdOf(*plain_), static_cast<size_t>(often));
    };
    TestWrites add;
    for (Table* table : {plain_.get(), indexed_.get()})
      add.Add(TestWrite::Update(*table, "pk=S:1", "ADD n :one", {}, {{":one", "N:1"}}));
    EXPECT_EQ(RunBlocking(add.ExecuteTransaction(layer_->writes)), expected);
    if (busy == 16) { EXPECT_EQ(Read(*plain_, "pk=S:1"), "n=N:1,pk=S:1") << "who was told sees it"; }
    // Whoever comes next carries out what is left, or finds nothing.
    engine_->BusyNext(IdOf(*plain_), 0);
    at_step_ = nullptr;
    for (Table* table : {plain_.get(), indexed_.get()}) {
      EXPECT_EQ(AddOne(*table, "pk=S:1"), "ok");
      EXPECT_EQ(Read(*table, "pk=S:1"), "n=N:2,pk=S:1") << busy;
    }
  }
}

TEST_F(NarrowWritesTest, ARecordWhoseOutcomeIsNotKnownIsLookedFor) {
  const storage::PartitionId system = storage::kSystemPartition;
  struct Case {
    std::function<void()> meet;
    std::string_view expected;
    int done;  // of what the transaction adds, once the store is itself again
  };
  const Case cases[] = {
      {[&] { engine_->BusyNext(system, 3); }, "ok", 1},
      {[&] { engine_->BusyNext(system, 1000); }, "ServiceUnavailableException", 0},
      {[&] { engine_->UnknownNext(system, true); }, "ok", 1},
      {[&] { engine_->UnknownNext(system, false); }, "ok", 1},
      // Nor can it be found out: whoever meets the intents does.
      {[&] { engine_->UnknownNext(system, true), engine_->BusyNext(system, 1000); }, "InternalServerError", 1},
  };
  for (const Case& test : cases) {
    Open({});
    bool is_met = false;
    at_step_ = [&](std::string_view step) {
      if (step == "intents" && !std::exchange(is_met, true)) test.meet();
    };
    TestWrites add;
    for (Table* table : {plain_.get(), indexed_.get()})
      add.Add(TestWrite::Update(*table, "pk=S:1", "ADD n :one", {}, {{":one", "N:1"}}));
    EXPECT_EQ(RunBlocking(add.ExecuteTransaction(layer_->writes)), test.expected);
    engine_->BusyNext(system, 0);
    at_step_ = nullptr;
    for (Table* table : {plain_.get(), indexed_.get()}) {
      EXPECT_EQ(AddOne(*table, "pk=S:1"), "ok");
      EXPECT_EQ(Read(*table, "pk=S:1"), fmt::format("n=N:{},pk=S:1", test.done + 1)) << &test - cases;
    }
  }
}

TEST_F(NarrowWritesTest, AProcessThatDiesAtAnyStepLeavesAllOrNothing) {
  // What was recorded is done, what was not is not.
  const std::pair<const char*, bool> steps[] = {{"intent", false}, {"intents", false}, {"record", true},
                                                {"change", true},  {"changes", true},  {"forgotten", true}};
  for (const auto& [step, is_done] : steps) {
    for (const bool by_writer : {true, false}) {  // finished by who meets it, or by the house
      Open({});
      ASSERT_EQ(Put(*plain_, "pk=S:1,n=N:1"), "ok");
      ASSERT_EQ(Put(*indexed_, "pk=S:1,g=S:a"), "ok");
      ExpectIndexAgrees();
      die_at_ = step;
      TestWrites writes;
      writes.Add(TestWrite::Put(*plain_, "pk=S:1,n=N:2"));
      writes.Add(TestWrite::Put(*indexed_, "pk=S:1,g=S:b"));
      writes.Add(TestWrite::Put(*indexed_, "pk=S:2,g=S:c"));
      EXPECT_THROW((void)RunBlocking(writes.ExecuteTransaction(layer_->writes)), Died) << step;
      if (by_writer) {
        die_at_.clear();
        engine_->Crash();
        layer_ = std::make_unique<TableLayer>(*engine_, clock_);
        ASSERT_TRUE(RunBlocking(layer_->catalog.Load()).ok());
        Find();
        for (Table* table : {plain_.get(), indexed_.get()}) EXPECT_EQ(AddOne(*table, "pk=S:1"), "ok") << step;
        EXPECT_EQ(AddOne(*indexed_, "pk=S:2"), "ok");
        EXPECT_EQ(Read(*plain_, "pk=S:1"), is_done ? "n=N:3,pk=S:1" : "n=N:2,pk=S:1") << step;
        EXPECT_EQ(Read(*indexed_, "pk=S:2"), is_done ? "g=S:c,n=N:1,pk=S:2" : "n=N:1,pk=S:2") << step;
        ASSERT_TRUE(RunBlocking(layer_->writes.KeepHouse(layer_->catalog.AllTables())).ok());
      } else {
        CrashAndStart();
        EXPECT_EQ(Read(*plain_, "pk=S:1"), is_done ? "n=N:2,pk=S:1" : "n=N:1,pk=S:1") << step;
        EXPECT_EQ(Read(*indexed_, "pk=S:1"), is_done ? "g=S:b,pk=S:1" : "g=S:a,pk=S:1") << step;
        EXPECT_EQ(Read(*indexed_, "pk=S:2"), is_done ? "g=S:c,pk=S:2" : "(none)") << step;
        ExpectIndexAgrees();
      }
    }
  }
}

TEST_F(NarrowWritesTest, AProcessThatDiesWhileAnIndexFollowsLeavesNoRowBehind) {
  for (const char* step : {"index-compared", "index-rows", "index-note"}) {
    Open({});
    ASSERT_EQ(Put(*indexed_, "pk=S:1,g=S:a"), "ok");
    ExpectIndexAgrees();
    ASSERT_EQ(Put(*indexed_, "pk=S:1,g=S:b"), "ok");
    ASSERT_EQ(Put(*indexed_, "pk=S:2,g=S:b"), "ok");
    die_at_ = step;
    EXPECT_THROW((void)RunBlocking(layer_->writes.follower().CatchUp(*indexed_)), Died);
    CrashAndStart();
    ExpectIndexAgrees();
    EXPECT_EQ(IndexRows(), (std::multiset<std::string>{"g=S:b,pk=S:1", "g=S:b,pk=S:2"}));
  }
}

TEST_F(NarrowWritesTest, ItemsAreReadTogetherAsOfOneMoment) {
  std::atomic<bool> is_done = false;
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) {
      TestWrites writes;
      for (Table* table : {plain_.get(), indexed_.get()})
        writes.Add(TestWrite::Put(*table, fmt::format("pk=S:1,n=N:{}", i)));
      EXPECT_EQ(RunBlocking(writes.ExecuteTransaction(layer_->writes)), "ok");
    }
    is_done = true;
  });
  while (!is_done) {
    TestWrites reads;
    for (Table* table : {plain_.get(), indexed_.get()}) reads.AddCheck(*table, "pk=S:1", {});
    const std::string found = RunBlocking(reads.ReadTogether(layer_->writes));
    const size_t middle = found.size() / 2;
    EXPECT_EQ(found.substr(0, middle), found.substr(middle + 1)) << found;
  }
  writer.join();
}

// --- money, under faults of every kind

class NarrowMoneyTest : public NarrowWritesTest, public testing::WithParamInterface<int> {
 protected:
  static constexpr int kAccounts = 24;
  static constexpr int kStart = 100;
  static constexpr int kWriters = 3;
  static constexpr int kTransfers = 60;

  std::shared_ptr<Table> TableOf(int account) { return account % 2 == 0 ? plain_ : indexed_; }
  static std::string KeyOf(int account) { return fmt::format("pk=S:a{}", account); }

  // Moves one from one account to another and leaves a receipt. What the receipts say is what the accounts must have.
  std::string Transfer(int from, int to, const std::string& receipt) {
    TestWrites writes;
    writes.Add(TestWrite::Update(*TableOf(from), KeyOf(from), "ADD n :less", "n > :zero",
                                 {{":less", "N:-1"}, {":zero", "N:0"}}));
    writes.Add(TestWrite::Update(*TableOf(to), KeyOf(to), "ADD n :one", {}, {{":one", "N:1"}}));
    writes.Add(TestWrite::Put(*indexed_, fmt::format("pk=S:{},g=S:a{},t=N:{}", receipt, from, to),
                              "attribute_not_exists(pk)"));
    return RunBlocking(writes.ExecuteTransaction(layer_->writes));
  }

  // What clients were told, and what must be found.
  struct Told {
    std::set<std::string> receipts;  // of transfers
    std::set<std::string> batched;   // keys of what batches have put
    // Of each writer's counter, which it alone counts up.
    struct Counter {
      int sent = 0, acknowledged = 0;
    };
    std::map<int, Counter> counters;
  };

  // Tables and partitions in turn, so that every batch is several commits.
  void PutBatch(const std::string& name, Mutex& mutex, Told& told) {
    TestWrites batch;
    std::vector<std::string> keys;
    for (int i = 0; i < 8; ++i) {
      keys.push_back(fmt::format("{}-{}", name, i));
      batch.Add(TestWrite::Put(*TableOf(i), fmt::format("pk=S:{},g=S:b{}", keys.back(), i % 3)));
    }
    const bool is_done = RunBlocking(batch.ExecuteBatch(layer_->writes)) == "ok";
    MutexLock lock(mutex);
    for (size_t i = 0; i < keys.size(); ++i)
      if (is_done && !batch.all()[i].failure) told.batched.insert(keys[i]);
  }

  void RunWriters(int round, uint64_t seed, Told& told) {
    Mutex mutex;
    std::vector<std::thread> writers;
    for (int w = 0; w < kWriters; ++w) {
      Told::Counter& counter = told.counters[w];
      writers.emplace_back([&, w] {
        SeededRandom random(seed * 100 + static_cast<uint64_t>(w));
        for (int i = 0; i < kTransfers; ++i) {
          const int from = static_cast<int>(random.Below(kAccounts));
          const int to = (from + 1 + static_cast<int>(random.Below(kAccounts - 1))) % kAccounts;
          const std::string receipt = fmt::format("r{}-{}-{}", round, w, i);
          const std::string outcome = Transfer(from, to, receipt);
          if (outcome == "ok") {
            MutexLock lock(mutex);
            told.receipts.insert(receipt);
          }
          if (random.Below(3) == 0) {
            ++counter.sent;
            if (AddOne(*TableOf(w), CounterOf(w)) == "ok") ++counter.acknowledged;
          }
          if (random.Below(5) == 0) PutBatch(fmt::format("b{}-{}-{}", round, w, i), mutex, told);
          if (random.Below(20) == 0) engine_->UnknownNext(storage::kSystemPartition, random.Below(2) == 0);
          if (random.Below(20) == 0) engine_->BusyNext(storage::kSystemPartition, random.Below(12));
          if (random.Below(10) == 0) {
            const auto partitions = TableOf(from)->partitions().list();
            const auto& some = (*partitions)[random.Below(partitions->size())];
            if (random.Below(3) == 0) engine_->FenceNext(some->id());
            if (partitions->size() < 6) (void)RunBlocking(layer_->catalog.SplitPartition(TableOf(from), some->id()));
          }
        }
      });
    }
    for (auto& writer : writers) writer.join();
    // What nobody has met the next start shall not.
    engine_->BusyNext(storage::kSystemPartition, 0);
    storage::Batch nothing;
    nothing.Delete("nobody's");
    (void)RunBlocking(WriteSystemRecords(*engine_, nothing));
  }

  static std::string CounterOf(int writer) { return fmt::format("pk=S:c{}", writer); }

  void ExpectSolvent(const Told& told) {
    std::map<int, int> balances;
    for (int i = 0; i < kAccounts; ++i) balances[i] = kStart;
    std::set<std::string> receipts;
    for (const std::string& item : Items(*indexed_)) {
      int from = 0, to = 0;
      char name[64] = {};
      if (std::sscanf(item.c_str(), "g=S:a%d,pk=S:%63[^,],t=N:%d", &from, name, &to) != 3) continue;
      receipts.insert(name);
      --balances[from];
      ++balances[to];
    }
    for (const auto& receipt : told.receipts) EXPECT_TRUE(receipts.contains(receipt)) << receipt << " is lost";
    for (const auto& key : told.batched) {
      const int table = key.back() - '0';
      EXPECT_NE(Read(*TableOf(table), "pk=S:" + key), "(none)") << key << " is lost";
    }
    for (const auto& [writer, counter] : told.counters) {
      int counted = 0;
      (void)std::sscanf(Read(*TableOf(writer), CounterOf(writer)).c_str(), "n=N:%d", &counted);
      EXPECT_GE(counted, counter.acknowledged) << writer;
      EXPECT_LE(counted, counter.sent) << writer;
    }
    for (int i = 0; i < kAccounts; ++i)
      EXPECT_EQ(Read(*TableOf(i), KeyOf(i)), fmt::format("n=N:{},pk=S:a{}", balances[i], i));
    std::multiset<std::string> in_index;
    for (const std::string& item : Items(*indexed_))
      if (item.find("g=S:") != std::string::npos) in_index.insert(item);
    EXPECT_EQ(IndexRows(), in_index);
  }
};

TEST_P(NarrowMoneyTest, NothingIsLostOrMadeWhateverDies) {
  storage::NarrowOptions options;
  options.seed = static_cast<uint64_t>(GetParam());
  options.slowest_micros = 50;
  options.faults = {.fence = 0.01, .unknown = 0.01, .doubt = 0.01, .busy = 0.02};
  Open(options);
  for (int i = 0; i < kAccounts; ++i) ASSERT_EQ(Put(*TableOf(i), fmt::format("{},n=N:{}", KeyOf(i), kStart)), "ok");
  Told told;
  for (int round = 0; round < 3; ++round) {
    // The store loses what is not durable while the writers go on.
    std::atomic<bool> is_done = false;
    std::thread crashes([&] {
      SeededRandom random(options.seed + 7);
      for (int i = 0; i < 5 && !is_done; ++i) {
        for (uint64_t n = random.Below(40); n > 0 && !is_done; --n) std::this_thread::yield();
        engine_->Crash();
      }
    });
    RunWriters(round, options.seed + static_cast<uint64_t>(round), told);
    is_done = true;
    crashes.join();
    CrashAndStart();
    ExpectSolvent(told);
  }
  EXPECT_GT(told.receipts.size(), 100u);
  EXPECT_GT(told.batched.size(), 100u);
  EXPECT_GT(told.counters[0].acknowledged, 10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NarrowMoneyTest, testing::Range(1, 6));

}  // namespace
}  // namespace armature::table
