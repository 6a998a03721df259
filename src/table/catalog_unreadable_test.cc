// What a damaged record costs: its own table, and nothing else.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/codec/table_def_codec.h"
#include "storage/storage_testing.h"
#include "storage/testing/test_engine.h"
#include "table/catalog.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class UnreadableTableTest : public testing::Test {
 protected:
  UnreadableTableTest() {
    for (const char* name : {"Before", "Lost", "Other"}) EXPECT_EQ(Create(name), "ok");
    lost_id_ = catalog_->Find(kScope, "Lost")->id();
  }
  std::string Create(std::string_view name) {
    auto created = RunBlocking(catalog_->Create(MakeTableDef(name)));
    return created ? "ok" : created.error().name;
  }
  void Store(const std::string& key, std::string_view record) {
    storage::Batch batch;
    batch.Put(key, record);
    ASSERT_TRUE(RunBlocking(WriteSystemRecords(*engine_, batch)).ok());
  }
  std::string Stored(const std::string& key) {
    storage::GetOp get;
    get.partition = &engine_->system();
    get.key = key;
    get.at.view = storage::View::kLatest;
    engine_->Get(get);
    RunBlocking([](storage::GetOp& op) -> Task<void> { co_await op.done; }(get));
    return get.found ? std::string(get.value) : "none";
  }
  void Restart() {
    catalog_ = std::make_unique<Catalog>(*engine_, clock_, 0);
    const Status status = RunBlocking(catalog_->Load());
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::vector<storage::PartitionId> Partitions() {
    std::vector<storage::PartitionId> ids;
    const auto partitions = RunBlocking(engine_->ListPartitions());
    for (const auto& info : *partitions) ids.push_back(info.id);
    return ids;
  }
  std::vector<std::string> Names(std::string_view start = {}, size_t limit = 100) {
    bool has_more = false;
    return catalog_->ListNames(kScope, start, limit, &has_more);
  }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  ManualClock clock_;
  std::unique_ptr<Catalog> catalog_ = std::make_unique<Catalog>(*engine_, clock_, 0);
  const std::string lost_key_ = CatalogKey(kScope.account, kScope.region, "Lost");
  uint64_t lost_id_ = 0;
};

TEST_F(UnreadableTableTest, CostsThatTableAlone) {
  const auto partitions = Partitions();
  const std::string good = Stored(lost_key_);
  const std::string records[] = {"",
                                 "{",
                                 "\xff",
                                 good.substr(0, good.size() / 2),
                                 R"({"version":99})",
                                 "[]",
                                 Stored(CatalogKey(kScope.account, kScope.region, "Other"))};
  for (const std::string& record : records) {
    Store(lost_key_, record);
    Restart();
    EXPECT_EQ(catalog_->Find(kScope, "Lost"), nullptr);
    ASSERT_TRUE(catalog_->WhyUnreadable(kScope, "Lost")) << record;
    EXPECT_EQ(catalog_->WhyUnreadable(kScope, "Lost")->name, "InternalServerError");
    EXPECT_THAT(catalog_->WhyUnreadable(kScope, "Lost")->message, HasSubstr("Table Lost cannot be read"));
    // The others are as they were.
    for (const char* name : {"Before", "Other"}) {
      EXPECT_NE(catalog_->Find(kScope, name), nullptr);
      EXPECT_FALSE(catalog_->WhyUnreadable(kScope, name));
    }
    // It keeps its record, its partition and its name.
    EXPECT_EQ(Stored(lost_key_), record);
    EXPECT_EQ(Partitions(), partitions);
    EXPECT_THAT(Names(), ElementsAre("Before", "Lost", "Other"));
    EXPECT_THAT(Names("Before", 1), ElementsAre("Lost"));
    EXPECT_THAT(Names("Lost", 1), ElementsAre("Other"));
    EXPECT_EQ(Create("Lost"), "ResourceInUseException");
    const auto agree = [](model::TableDef&) -> model::ApiResult<void> { return {}; };
    EXPECT_EQ(RunBlocking(catalog_->Update(kScope, "Lost", agree)).error().name, "InternalServerError");
    EXPECT_EQ(RunBlocking(catalog_->Delete(kScope, "Lost", agree)).error().name, "InternalServerError");
    EXPECT_EQ(Stored(lost_key_), record);
  }
  // With its record back it is as before.
  Store(lost_key_, good);
  Restart();
  ASSERT_NE(catalog_->Find(kScope, "Lost"), nullptr);
  EXPECT_EQ(catalog_->Find(kScope, "Lost")->id(), lost_id_);
  EXPECT_FALSE(catalog_->has_unreadable());
}

TEST_F(UnreadableTableTest, ItsIdIsNotUsedAgainEvenIfTheCounterIsLostToo) {
  Store(lost_key_, "damaged");
  Store(NextTableIdKey(), "x");
  Restart();
  ASSERT_EQ(Create("New"), "ok");
  const uint64_t id = catalog_->Find(kScope, "New")->id();
  EXPECT_GT(id, catalog_->Find(kScope, "Other")->id());
  Restart();
  ASSERT_EQ(Create("Newer"), "ok");
  EXPECT_GT(catalog_->Find(kScope, "Newer")->id(), id);
}

// Written by a program that did not check Regions yet: a NUL in one ended the Region in the key of the record.
TEST_F(UnreadableTableTest, APhantomOfAnotherRegionIsNotListed) {
  model::TableDef def = MakeTableDef("Phantom");
  def.region = std::string(kScope.region) + std::string("\0x", 2);
  def.id = 77;
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({.id = def.id, .keyspace = def.id, .epoch = 1})).ok());
  Store(CatalogKey(def.account, def.region, def.name), model::EncodeTableDef(def));
  Restart();
  EXPECT_THAT(Names(), ElementsAre("Before", "Lost", "Other"));
  EXPECT_THAT(Partitions(), testing::Contains(77));
}

TEST_F(UnreadableTableTest, RandomDamageNeverStopsTheOthers) {
  const std::string good = Stored(lost_key_);
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = good;
    for (unsigned i = 0; i <= random() % 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    Store(lost_key_, damaged);
    Restart();
    EXPECT_NE(catalog_->Find(kScope, "Before"), nullptr);
    EXPECT_NE(catalog_->Find(kScope, "Other"), nullptr);
    EXPECT_EQ(Partitions().size(), 4u);
  }
}

}  // namespace
}  // namespace armature::table
