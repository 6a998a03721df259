#include "workers/stats_recount.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "model/item_size.h"
#include "storage/memory/memory_engine.h"
#include "table/write/write_path.h"

namespace armature::workers {
namespace {

class StatsRecountTest : public testing::Test {
 protected:
  StatsRecountTest()
      : engine_(storage::OpenMemoryEngine(metrics_)), catalog_(*engine_, clock_, 0), writes_(*engine_, clock_) {
    EXPECT_TRUE(RunBlocking(catalog_.Load()).ok());
    model::TableDef def;
    def.account = "123456789012";
    def.region = "us-east-1";
    def.name = "Tbl";
    def.attribute_definitions = {{"pk", model::Type::kS}, {"gk", model::Type::kS}};
    def.key_schema.hash = {{"pk", model::Type::kS}};
    model::IndexDef index;
    index.name = "byGk";
    index.id = 1;
    index.key_schema.hash = {{"gk", model::Type::kS}};
    def.indexes = {index};
    auto created = RunBlocking(catalog_.Create(def));
    EXPECT_TRUE(created.has_value());
    table_ = *created;
  }

  void Put(const std::string& key, bool in_index) {
    Arena arena;
    std::vector<model::MapEntry> entries{{"pk", model::Value::String(key)}};
    if (in_index) entries.insert(entries.begin(), {"gk", model::Value::String("g")});
    const model::MapEntry key_entry{"pk", model::Value::String(key)};
    table::ItemWrite write;
    write.table = table_.get();
    write.key = model::Item(&key_entry, 1);
    write.put_item = entries;
    write.put_item_size = model::ItemSize(entries);
    EXPECT_TRUE(RunBlocking(writes_.Execute(write, arena)).has_value());
  }

  int64_t Items() { return table_->stats().item_count.load(); }
  int64_t IndexRows() { return table_->schema()->indexes().front().stats->item_count.load(); }

  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_;
  table::Catalog catalog_;
  table::WritePath writes_;
  std::shared_ptr<table::Table> table_;
};

TEST_F(StatsRecountTest, CorrectsWhatACrashLeftWrong) {
  for (int i = 0; i < 10; ++i) Put("k" + std::to_string(i), i % 2 == 0);
  const int64_t bytes = table_->stats().size_bytes.load();
  // As if the last writes had never been stored in the statistics.
  table_->stats().item_count = 3;
  table_->stats().size_bytes = 7;
  table_->schema()->indexes().front().stats->item_count = 0;

  StatsRecount recount(*engine_, catalog_);
  EXPECT_TRUE(recount.Run({}).ok());
  EXPECT_EQ(Items(), 10);
  EXPECT_EQ(table_->stats().size_bytes.load(), bytes);
  EXPECT_EQ(IndexRows(), 5);
}

TEST_F(StatsRecountTest, WritesDuringTheCountAddUp) {
  for (int i = 0; i < 10; ++i) Put("k" + std::to_string(i), true);
  table_->stats().item_count = 0;
  StatsRecount recount(*engine_, catalog_);
  Put("new", true);  // after the view was taken
  Put("k0", false);  // replaces, leaves the index
  EXPECT_TRUE(recount.Run({}).ok());
  EXPECT_EQ(Items(), 11);
  EXPECT_EQ(IndexRows(), 10);
}

TEST_F(StatsRecountTest, ACleanStopIsNoticedOnce) {
  EXPECT_FALSE(*RunBlocking(catalog_.TakeCleanStop()));
  EXPECT_TRUE(RunBlocking(catalog_.MarkCleanStop()).ok());
  EXPECT_TRUE(*RunBlocking(catalog_.TakeCleanStop()));
  EXPECT_FALSE(*RunBlocking(catalog_.TakeCleanStop()));
}

}  // namespace
}  // namespace armature::workers
