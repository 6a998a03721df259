#include "table/catalog.h"

#include <array>
#include <atomic>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/engine_calls.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"
#include "storage/testing/test_engine.h"
#include "table/keys/key_layout.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

using model::ApiResult;
using model::ResourceStatus;
using model::TableDef;
using testing::ElementsAre;
using testing::IsEmpty;

ApiResult<void> Agree(TableDef&) { return {}; }

class CatalogTest : public testing::Test {
 protected:
  std::string Create(TableDef def) {
    auto created = RunBlocking(catalog_->Create(std::move(def)));
    return created ? "ok" : created.error().name;
  }
  std::string Create(std::string_view name) { return Create(MakeTableDef(name)); }
  std::string Update(std::string_view name, Catalog::Change change) {
    auto updated = RunBlocking(catalog_->Update(kScope, name, std::move(change)));
    return updated ? "ok" : updated.error().name;
  }
  std::string Delete(std::string_view name, Catalog::Change check = Agree) {
    auto deleted = RunBlocking(catalog_->Delete(kScope, name, std::move(check)));
    return deleted ? "ok" : deleted.error().name;
  }
  std::vector<std::string> Names(TableScope scope = kScope, std::string_view start = {}, size_t limit = 100) {
    return catalog_->ListNames(scope, start, limit, &has_more_);
  }
  std::vector<storage::PartitionId> Partitions() {
    std::vector<storage::PartitionId> ids;
    const auto partitions = RunBlocking(engine_->ListPartitions());
    for (const auto& info : *partitions) ids.push_back(info.id);
    return ids;
  }
  // What a dropped partition has left in the store, as the next of that name would see it.
  size_t RowsLeftOf(storage::PartitionId id) {
    EXPECT_TRUE(RunBlocking(engine_->CreatePartition({.id = id, .keyspace = id})).ok());
    const auto partition = RunBlocking(engine_->OpenPartitionAt(id, 0));
    size_t rows = 0;
    for (const std::string begin : {"\x10", "\x80"}) {
      storage::ScanOp scan;
      scan.partition = partition->get(), scan.at.view = storage::View::kLatest;
      const std::string end = begin == "\x10" ? "\x7f" : "\xff";
      scan.begin = begin, scan.end = end;
      rows += storage::RunScan(*engine_, scan).rows.size();
    }
    EXPECT_TRUE(RunBlocking(engine_->DropPartition(id)).ok());
    return rows;
  }
  ResourceStatus StatusOf(std::string_view name) {
    return catalog_->Find(kScope, name)->def()->StatusAt(clock_.NowMillis());
  }
  void UseDelay(int64_t millis) {
    catalog_ = std::make_unique<Catalog>(*engine_, clock_, millis);
    ASSERT_TRUE(RunBlocking(catalog_->Load()).ok());
  }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  ManualClock clock_;
  std::unique_ptr<Catalog> catalog_ = std::make_unique<Catalog>(*engine_, clock_, 0);
  bool has_more_ = false;
};

TEST_F(CatalogTest, CreatesFindsAndRefusesASecondOne) {
  EXPECT_EQ(catalog_->Find(kScope, "T"), nullptr);
  EXPECT_EQ(Create("T"), "ok");
  const auto table = catalog_->Find(kScope, "T");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->def()->name, "T");
  EXPECT_EQ(table->def()->created_millis, clock_.NowMillis());
  EXPECT_EQ(table->def()->status, ResourceStatus::kCreating);  // what the reply shows
  EXPECT_EQ(StatusOf("T"), ResourceStatus::kActive);           // what the next call sees
  EXPECT_TRUE(table->AcceptsData(clock_.NowMillis()));
  EXPECT_EQ(Create("T"), "ResourceInUseException");
  EXPECT_THAT(Partitions(), ElementsAre(0, table->id()));
}

// The example of docs/design/formats.md.
TEST_F(CatalogTest, TheNextIdIsStoredAsDocumented) {
  EXPECT_EQ(Create("T"), "ok");
  const std::string key = NextTableIdKey();
  const auto next = RunBlocking([](storage::Engine& engine, const std::string& of) -> Task<std::string> {
    const auto value = co_await storage::GetValue(engine, engine.system(), of);
    co_return value&&* value ? **value : "none";
  }(*engine_, key));
  EXPECT_EQ(next, std::string("\0\0\0\0\0\0\0\x02", 8));
}

TEST_F(CatalogTest, ANewTableStaysThereWhenTheClockIsSetBack) {
  EXPECT_EQ(Create("T"), "ok");
  clock_.AdvanceMillis(-int64_t{3600} * 1000);
  EXPECT_EQ(StatusOf("T"), ResourceStatus::kActive);
  EXPECT_TRUE(catalog_->Find(kScope, "T")->AcceptsData(clock_.NowMillis()));
  UseDelay(0);  // and another process finds it so
  EXPECT_EQ(StatusOf("T"), ResourceStatus::kActive);
  EXPECT_TRUE(catalog_->Find(kScope, "T")->AcceptsData(clock_.NowMillis()));
}

TEST_F(CatalogTest, NamesComeInByteOrderAPageAtATime) {
  for (const auto* name : {"b", "a.b", "Z", "a-b", "ab", "a", "a_b"}) EXPECT_EQ(Create(name), "ok");
  EXPECT_THAT(Names(), ElementsAre("Z", "a", "a-b", "a.b", "a_b", "ab", "b"));
  EXPECT_FALSE(has_more_);
  EXPECT_THAT(Names(kScope, "a", 2), ElementsAre("a-b", "a.b"));
  EXPECT_TRUE(has_more_);
  EXPECT_THAT(Names(kScope, "a.b", 3), ElementsAre("a_b", "ab", "b"));
  EXPECT_FALSE(has_more_);
  EXPECT_THAT(Names(kScope, "aa", 1), ElementsAre("ab"));  // a start that is no table
  EXPECT_THAT(Names(kScope, "zz"), IsEmpty());
  EXPECT_EQ(catalog_->CountTables(kScope), 7u);
}

TEST_F(CatalogTest, AccountsAndRegionsAreApart) {
  for (const auto& [account, region] : {std::pair{"1", "r"}, {"1", "r2"}, {"12", "r"}, {"2", "r"}}) {
    TableDef def = MakeTableDef("T");
    def.account = account;
    def.region = region;
    EXPECT_EQ(Create(std::move(def)), "ok");
  }
  EXPECT_EQ(Create("U"), "ok");
  EXPECT_THAT(Names({"1", "r"}), ElementsAre("T", "U"));
  EXPECT_THAT(Names({"1", "r2"}), ElementsAre("T"));
  EXPECT_THAT(Names({"12", "r"}), ElementsAre("T"));
  EXPECT_THAT(Names({"3", "r"}), IsEmpty());
  EXPECT_EQ(catalog_->Find({"1", "r2"}, "U"), nullptr);
  EXPECT_NE(catalog_->Find({"1", "r"}, "T")->id(), catalog_->Find({"2", "r"}, "T")->id());
  EXPECT_EQ(Delete("T"), "ok");
  EXPECT_THAT(Names({"1", "r2"}), ElementsAre("T"));
}

TEST_F(CatalogTest, ItKnowsWhetherAnybodyMayHaveAPolicy) {
  const auto put = [](std::string_view stream_label, std::string document) {
    return [stream_label, document = std::move(document)](TableDef& def) -> ApiResult<void> {
      def.PolicyOf(stream_label) = {document, 1, {}};
      return {};
    };
  };
  Create("T");
  EXPECT_FALSE(catalog_->has_policies());
  ASSERT_EQ(Update("T", put("2026", "{}")), "ok");
  EXPECT_TRUE(catalog_->has_policies()) << "that of a stream";
  UseDelay(0);
  EXPECT_TRUE(catalog_->has_policies()) << "loaded";
  ASSERT_EQ(Update("T", put("2026", "")), "ok");
  UseDelay(0);
  EXPECT_FALSE(catalog_->has_policies()) << "taken back before the start";
  TableDef with_policy = MakeTableDef("U");
  with_policy.policy = {"{}", 1, {}};
  ASSERT_EQ(Create(with_policy), "ok");
  EXPECT_TRUE(catalog_->has_policies()) << "from the beginning";
}

TEST_F(CatalogTest, UpdatesArePublishedWholeOrNotAtAll) {
  Create("T");
  const auto table = catalog_->Find(kScope, "T");
  const auto before = table->def();
  EXPECT_EQ(Update("T",
                   [](TableDef& def) -> ApiResult<void> {
                     def.deletion_protection = true;
                     def.status = ResourceStatus::kUpdating;
                     return {};
                   }),
            "ok");
  EXPECT_FALSE(before->deletion_protection);  // whoever holds the old one keeps it
  EXPECT_TRUE(table->def()->deletion_protection);
  EXPECT_EQ(table->def()->status, ResourceStatus::kUpdating);
  EXPECT_EQ(StatusOf("T"), ResourceStatus::kActive);
  EXPECT_EQ(Update("T",
                   [](TableDef& def) -> ApiResult<void> {
                     def.deletion_protection = false;
                     return model::ValidationException("no");
                   }),
            "ValidationException");
  EXPECT_TRUE(table->def()->deletion_protection);
  EXPECT_EQ(Update("U", Agree), "ResourceNotFoundException");
}

TEST_F(CatalogTest, DeletionTakesTheTableItsDataAndItsCounts) {
  Create("T");
  auto table = catalog_->Find(kScope, "T");
  WritePath writes(*engine_, clock_);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(RunBlocking(TestWrite::Put(*table, fmt::format("pk=S:{}", i))->Execute(writes)), "ok");

  EXPECT_EQ(Delete("T", [](TableDef&) -> ApiResult<void> { return model::ValidationException("protected"); }),
            "ValidationException");
  EXPECT_TRUE(table->AcceptsData(clock_.NowMillis()));
  EXPECT_EQ(Delete("T"), "ok");
  EXPECT_FALSE(table->AcceptsData(clock_.NowMillis()));
  EXPECT_EQ(catalog_->Find(kScope, "T"), nullptr);
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_THAT(Partitions(), ElementsAre(0));
  EXPECT_EQ(RowsLeftOf(table->id()), 0u);
  EXPECT_EQ(Delete("T"), "ResourceNotFoundException");

  EXPECT_EQ(Create("T"), "ok");
  EXPECT_GT(catalog_->Find(kScope, "T")->id(), table->id());
  EXPECT_EQ(catalog_->Find(kScope, "T")->CountItems().rows, 0);
  // A request that still holds the old table writes nowhere.
  EXPECT_EQ(RunBlocking(TestWrite::Put(*table, "pk=S:late")->Execute(writes)), "ResourceNotFoundException");
}

TEST_F(CatalogTest, StatesLastAsLongAsTheControlPlaneTakes) {
  UseDelay(1000);
  Create("T");
  const auto table = catalog_->Find(kScope, "T");
  EXPECT_EQ(StatusOf("T"), ResourceStatus::kCreating);
  EXPECT_FALSE(table->AcceptsData(clock_.NowMillis()));
  clock_.AdvanceMillis(999);
  EXPECT_EQ(StatusOf("T"), ResourceStatus::kCreating);
  clock_.AdvanceMillis(1);
  EXPECT_EQ(StatusOf("T"), ResourceStatus::kActive);
  EXPECT_TRUE(table->AcceptsData(clock_.NowMillis()));
  ASSERT_TRUE(RunBlocking(catalog_->RunDueTransitions()).ok());
  EXPECT_EQ(table->def()->status, ResourceStatus::kActive);

  Update("T", [](TableDef& def) -> ApiResult<void> {
    def.status = ResourceStatus::kUpdating;
    return {};
  });
  EXPECT_EQ(StatusOf("T"), ResourceStatus::kUpdating);
  EXPECT_TRUE(table->AcceptsData(clock_.NowMillis()));
  clock_.AdvanceMillis(500);
  Update("T", [](TableDef& def) -> ApiResult<void> {  // a change that passes no state does not prolong it
    def.tags["k"] = "v";
    return {};
  });
  clock_.AdvanceMillis(500);
  EXPECT_EQ(StatusOf("T"), ResourceStatus::kActive);

  EXPECT_EQ(Delete("T"), "ok");
  EXPECT_EQ(StatusOf("T"), ResourceStatus::kDeleting);
  EXPECT_FALSE(table->AcceptsData(clock_.NowMillis()));
  EXPECT_THAT(Names(), ElementsAre("T"));
  EXPECT_EQ(Create("T"), "ResourceInUseException");
  ASSERT_TRUE(RunBlocking(catalog_->RunDueTransitions()).ok());
  EXPECT_THAT(Partitions(), ElementsAre(0, table->id()));
  clock_.AdvanceMillis(1000);
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_EQ(Update("T", Agree), "ResourceNotFoundException");
  ASSERT_TRUE(RunBlocking(catalog_->RunDueTransitions()).ok());
  EXPECT_EQ(catalog_->Find(kScope, "T"), nullptr);
  EXPECT_THAT(Partitions(), ElementsAre(0));
}

TEST_F(CatalogTest, ANameIsFreeAgainWhenItsDeletionIsDue) {
  UseDelay(1000);
  Create("T");
  const uint64_t first = catalog_->Find(kScope, "T")->id();
  clock_.AdvanceMillis(1000);
  Delete("T");
  clock_.AdvanceMillis(1000);
  EXPECT_EQ(Create("T"), "ok");  // no worker came by in between
  const uint64_t second = catalog_->Find(kScope, "T")->id();
  EXPECT_NE(first, second);
  EXPECT_THAT(Partitions(), ElementsAre(0, second));
}

TEST_F(CatalogTest, LoadFinishesWhatIsDue) {
  UseDelay(1000);
  Create("stays");
  Create("goes");
  clock_.AdvanceMillis(1000);
  Delete("goes");
  clock_.AdvanceMillis(1000);
  UseDelay(1000);
  EXPECT_THAT(Names(), ElementsAre("stays"));
  EXPECT_EQ(catalog_->Find(kScope, "stays")->def()->status, ResourceStatus::kActive);
  EXPECT_THAT(Partitions(), ElementsAre(0, catalog_->Find(kScope, "stays")->id()));
}

// It is not worth a start: ids go on far above all that can have been given out.
TEST_F(CatalogTest, ADamagedNextIdCostsNoStart) {
  Create("T");
  const uint64_t id = catalog_->Find(kScope, "T")->id();
  ASSERT_TRUE(storage::PutAndWait(*engine_, NextTableIdKey(), "abc").ok());
  UseDelay(0);
  EXPECT_EQ(Create("U"), "ok");
  EXPECT_GT(catalog_->Find(kScope, "U")->id(), id + 1'000'000);
  EXPECT_THAT(Names(), ElementsAre("T", "U"));
}

// --- persistence

TEST(CatalogOnDisk, TablesItemsAndCountsSurviveReopening) {
  storage::TemporaryDirectory directory;
  Metrics metrics;
  ManualClock clock;
  storage::RocksDbOptions options;
  options.directory = directory.path() + "/data";
  uint64_t id = 0;
  {
    auto engine = storage::OpenRocksDbEngine(options, metrics);
    ASSERT_TRUE(engine) << engine.error().ToString();
    TableLayer layer(**engine, clock);
    ASSERT_TRUE(RunBlocking(layer.catalog.Load()).ok());
    auto table = layer.CreateTable("T", true);
    ASSERT_TRUE(table);
    ASSERT_TRUE(layer.CreateTable("gone"));
    id = table->id();
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(RunBlocking(TestWrite::Put(*table, fmt::format("pk=S:a,sk=N:{}", i))->Execute(layer.writes)), "ok");
    ASSERT_TRUE(RunBlocking(layer.catalog.Update(kScope, "T", [](TableDef& def) -> ApiResult<void> {
      def.tags["colour"] = "red";
      return {};
    })));
    ASSERT_TRUE(RunBlocking(layer.catalog.Delete(kScope, "gone", Agree)));
    ASSERT_TRUE((*engine)->Close().ok());
  }
  auto engine = storage::OpenRocksDbEngine(options, metrics);
  ASSERT_TRUE(engine) << engine.error().ToString();
  TableLayer layer(**engine, clock);
  ASSERT_TRUE(RunBlocking(layer.catalog.Load()).ok());
  bool has_more = false;
  EXPECT_THAT(layer.catalog.ListNames(kScope, {}, 10, &has_more), ElementsAre("T"));
  auto table = layer.catalog.Find(kScope, "T");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->id(), id);
  EXPECT_EQ(table->def()->tags.at("colour"), "red");
  EXPECT_EQ(table->CountItems().rows, 20);
  EXPECT_GT(table->CountItems().bytes, 0);
  EXPECT_EQ(ReadItem(layer.reads, *table, "pk=S:a,sk=N:19"), "pk=S:a,sk=N:19");
  EXPECT_EQ(RunBlocking(TestWrite::Delete(*table, "pk=S:a,sk=N:19")->Execute(layer.writes)), "ok");
  auto next = layer.CreateTable("U");
  ASSERT_TRUE(next);
  EXPECT_GT(next->id(), id + 1);  // ids are not reused
  ASSERT_TRUE((*engine)->Close().ok());
}

// --- many at once

Task<void> CreateOne(Catalog& catalog, std::string name, std::atomic<int>& created, std::atomic<int>& refused) {
  auto table = co_await catalog.Create(MakeTableDef(name));
  if (table) ++created;
  else if (table.error().name == "ResourceInUseException") ++refused;
}

TEST_F(CatalogTest, OfManyCreatorsOfANameOneWins) {
  std::atomic<int> created{0}, refused{0};
  std::array<ThreadExecutor, 3> executors;
  for (int i = 0; i < 30; ++i)
    executors[static_cast<size_t>(i) % 3].Spawn(CreateOne(*catalog_, fmt::format("T{}", i / 6), created, refused));
  for (auto& executor : executors) executor.WaitIdle();
  EXPECT_EQ(created, 5);
  EXPECT_EQ(refused, 25);
  EXPECT_EQ(Partitions().size(), 6u);
}

Task<void> UpdateMany(Catalog& catalog, int rounds, std::atomic<int>& updated, std::atomic<int>& bad) {
  for (int i = 0; i < rounds; ++i) {
    auto def = co_await catalog.Update(kScope, "T", [](TableDef& changed) -> ApiResult<void> {
      if (changed.status == ResourceStatus::kDeleting) return model::ResourceInUseException("deleting");
      ++changed.throughput.read_units;
      return {};
    });
    if (def) ++updated;
    else if (def.error().name != "ResourceNotFoundException") ++bad;
  }
}

Task<void> DeleteOnce(Catalog& catalog, std::atomic<int>& deleted) {
  const auto done = co_await catalog.Delete(kScope, "T", Agree);
  if (done) ++deleted;
}

TEST_F(CatalogTest, UpdatesAndDeletionsRaceInOrder) {
  std::atomic<int> updated{0}, deleted{0}, bad{0};
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(Create("T"), "ok");
    const auto table = catalog_->Find(kScope, "T");
    updated = 0, deleted = 0;
    std::array<ThreadExecutor, 3> executors;
    for (size_t i = 0; i < 3; ++i) {
      executors[i].Spawn(UpdateMany(*catalog_, 10, updated, bad));
      executors[i].Spawn(DeleteOnce(*catalog_, deleted));
    }
    for (auto& executor : executors) executor.WaitIdle();
    EXPECT_EQ(deleted, 1);
    EXPECT_EQ(table->def()->throughput.read_units, updated);
    EXPECT_EQ(catalog_->Find(kScope, "T"), nullptr);
    EXPECT_THAT(Partitions(), ElementsAre(0));
  }
  EXPECT_EQ(bad, 0);
}

Task<void> WriteUntilGone(WritePath& writes, std::shared_ptr<Table> table, int writer, std::atomic<int>& written,
                          std::atomic<int>& bad) {
  for (int i = 0;; ++i) {
    auto write = TestWrite::Put(*table, fmt::format("pk=S:{}-{}", writer, i));
    const std::string outcome = co_await write->Execute(writes);
    if (outcome == "ok") ++written;
    else if (outcome != "ResourceNotFoundException") ++bad;
    if (outcome != "ok") co_return;
  }
}

TEST_F(CatalogTest, DeletionUnderWritesLeavesNothingBehind) {
  Create("T");
  auto table = catalog_->Find(kScope, "T");
  WritePath writes(*engine_, clock_);
  std::atomic<int> written{0}, bad{0};
  {
    std::array<ThreadExecutor, 2> executors;
    for (int i = 0; i < 6; ++i)
      executors[static_cast<size_t>(i) % 2].Spawn(WriteUntilGone(writes, table, i, written, bad));
    while (written < 100) std::this_thread::yield();
    EXPECT_EQ(Delete("T"), "ok");
    for (auto& executor : executors) executor.WaitIdle();
  }
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(RowsLeftOf(table->id()), 0u);
}

}  // namespace
}  // namespace armature::table
