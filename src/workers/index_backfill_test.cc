// Indexes built and removed under a live table: states, portions, concurrent writers, crashes.
#include "workers/index_backfill.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/codec/hex.h"
#include "model/codec/item_codec.h"
#include "model/item_size.h"
#include "table/keys/key_layout.h"
#include "workers/workers_testing.h"

namespace armature::workers {
namespace {

using model::IndexDef;
using model::ResourceStatus;
using model::TableDef;
using table::TestWrite;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kIndex = "by-g";

IndexDef MakeIndex() {
  IndexDef index;
  index.name = kIndex;
  index.key_schema.hash = {{"g", model::Type::kS}};
  index.key_schema.range = {{"n", model::Type::kN}};
  index.status = ResourceStatus::kCreating;
  return index;
}

class IndexBackfillTest : public WorkerFixture {
 protected:
  static constexpr size_t kRowsPerPortion = 4;

  explicit IndexBackfillTest(int64_t control_plane_delay_millis = 0) : WorkerFixture(control_plane_delay_millis) {
    Start();
    table_ = layer_->CreateTable("tbl");
    clock_.AdvanceMillis(control_plane_delay_);
  }

  void Start() override {
    backfill_.reset();
    StartHouse();
    backfill_ =
        std::make_unique<IndexBackfill>(*engine_, clock_, layer_->catalog, layer_->writes, *metrics_, kRowsPerPortion);
    ASSERT_TRUE(RunBlocking(backfill_->Load()).ok());
  }

  void PutNumbered(int count) {
    for (int i = 0; i < count; ++i) Put(fmt::format("pk=S:k{},g=S:g{},n=N:{}", i, i % 3, i));
  }

  void Change(std::function<void(TableDef&)> change) {
    const auto changed =
        RunBlocking(layer_->catalog.Update(table::kScope, "tbl", [&](TableDef& def) -> model::ApiResult<void> {
          change(def);
          def.status = ResourceStatus::kUpdating;
          return {};
        }));
    ASSERT_TRUE(changed.has_value()) << changed.error().message;
  }
  // What UpdateTable does to the definition.
  void AddIndex() {
    Change([&](TableDef& def) {
      IndexDef index = MakeIndex();
      index.id = index_id_ = def.next_index_id++;
      def.indexes.push_back(index);
      def.attribute_definitions.push_back({"g", model::Type::kS});
      def.attribute_definitions.push_back({"n", model::Type::kN});
    });
  }
  void DeleteIndex() {
    Change([&](TableDef& def) {
      def.FindIndex(index_id_)->status = ResourceStatus::kDeleting;
      def.FindIndex(index_id_)->is_backfilling = false;
    });
  }
  void Announce() { RunBlocking(backfill_->Announce(table_)); }
  std::optional<std::chrono::milliseconds> Step() { return RunBlocking(backfill_->Step()); }
  int StepsToEnd() { return StepsToEndOf(*backfill_); }

  // An index leaves the definition, but its partition cannot be dropped.
  void RemoveWithoutRows() {
    PutNumbered(3);
    AddIndex();
    Announce();
    EXPECT_EQ(Rows().size(), 3u);
    DeleteIndex();
    engine_->FailNext(storage::FaultyEngine::Point::kPartition, 1, Status::IoError("dead"));
    Announce();
    EXPECT_EQ(State(), "none");
    EXPECT_EQ(IndexPartitions(), 1u);
  }
  // Besides the system's and the table's.
  size_t IndexPartitions() { return RunBlocking(engine_->ListPartitions())->size() - 2; }

  std::string State() const {
    const auto def = table_->def();
    const IndexDef* index = def->FindIndex(kIndex);
    if (!index) return "none";
    return std::string(model::ResourceStatusName(index->status)) + (index->is_backfilling ? " backfilling" : "");
  }

  // The items in `rows`, in order; all of them, or those that have a row in a keyspace.
  std::vector<std::string> Show(const std::vector<std::pair<std::string, std::string>>& rows,
                                const table::Keyspace* only_of) {
    std::vector<std::string> shown;
    Arena arena;
    for (const auto& [key, record] : rows) {
      const auto decoded = model::DecodeItem(record, arena);
      EXPECT_TRUE(decoded.has_value());
      if (!only_of || table::HasRow(*only_of, decoded->item)) shown.push_back(expr::Show(decoded->item));
    }
    std::sort(shown.begin(), shown.end());
    return shown;
  }
  table::Keyspace Entries() {
    IndexDef index = MakeIndex();
    index.id = index_id_;
    return table::IndexKeyspace(*table_->def(), index);
  }
  std::vector<std::string> Rows() {
    const auto schema = table_->schema();
    const auto partition = schema->FindIndex(kIndex)->partitions->Find(0);
    return Show(Scan(table::AllRows(Entries()), partition->handle()), nullptr);
  }
  std::vector<std::string> ExpectedRows() {
    const table::Keyspace entries = Entries();
    return Show(Scan(table::AllRows(table_->schema()->items()), table_->partitions().Find(0)->handle()), &entries);
  }
  size_t Records() { return Scan(table::IndexBuildRange(), engine_->system()).size(); }

  void ExpectFinished() {
    EXPECT_EQ(State(), "ACTIVE");
    EXPECT_EQ(Rows(), ExpectedRows());
    EXPECT_EQ(Records(), 0u);
    const auto schema = table_->schema();
    EXPECT_EQ(table_->CountRows(*schema->FindIndex(kIndex)).rows, static_cast<int64_t>(Rows().size()));
  }

  std::unique_ptr<IndexBackfill> backfill_;
  uint32_t index_id_ = 0;
};

// The example of docs/design/formats.md.
TEST_F(IndexBackfillTest, BytesAsDocumented) {
  PutNumbered(6);
  AddIndex();
  Announce();  // the first portion
  const auto records = Scan(table::IndexBuildRange(), engine_->system());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(ToHex(records.front().first),
            "42"
            "0000000000000001"
            "00000001");
  EXPECT_EQ(ToHex(records.front().second),
            "01"
            "0000000000000004"
            "10c7064b7e18f0a2eb6b31000100");
}

TEST_F(IndexBackfillTest, BuildingIsCountedForTheIndexButNobodyPaysForIt) {
  Put("pk=S:large,g=S:x,n=N:1,b=S:" + std::string(1500, 'x'));
  Put("pk=S:small,g=S:x,n=N:2");
  Put("pk=S:left-out");
  const table::Meter& of_table = table_->partitions().Find(0)->meter();
  const double written = of_table.write_units();
  AddIndex();
  Announce();
  StepsToEnd();
  ExpectFinished();
  const auto schema = table_->schema();
  const table::Meter& of_index = schema->FindIndex(kIndex)->partitions->Find(0)->meter();
  EXPECT_EQ(of_index.background_write_units(), 3);
  EXPECT_EQ(of_index.write_units(), 0);
  EXPECT_EQ(of_table.write_units(), written);
  EXPECT_EQ(of_table.background_write_units(), 0);
  EXPECT_EQ(of_table.read_units(), 0);
  Put("pk=S:new,g=S:x,n=N:3");
  EXPECT_EQ(of_index.write_units(), 1) << "what is written since is paid for";
}

TEST_F(IndexBackfillTest, ASmallTableIsDoneByTheAnnouncement) {
  PutNumbered(3);
  AddIndex();
  EXPECT_EQ(State(), "CREATING");
  Announce();
  ExpectFinished();
  EXPECT_EQ(Rows().size(), 3u);
  EXPECT_FALSE(Step());
}

TEST_F(IndexBackfillTest, ItemsThatCannotBeInTheIndexAreLeftOut) {
  Put("pk=S:in,g=S:a,n=N:1");
  Put("pk=S:no-range,g=S:a");
  Put("pk=S:wrong-type,g=N:1,n=N:1");
  Put("pk=S:empty,g=S:,n=N:1");
  Put(fmt::format("pk=S:long,g=S:{},n=N:1", std::string(2049, 'x')));
  AddIndex();
  Announce();
  StepsToEnd();
  EXPECT_THAT(Rows(), ElementsAre("g=S:a,n=N:1,pk=S:in"));
  ExpectFinished();
}

TEST_F(IndexBackfillTest, LargerTablesGoInPortionsAndShowTheirProgress) {
  PutNumbered(10);
  AddIndex();
  Announce();
  EXPECT_EQ(State(), "CREATING backfilling");
  EXPECT_EQ(Rows().size(), kRowsPerPortion);
  EXPECT_THAT(metrics_->RenderPrometheus(), HasSubstr("armature_index_backfill_percent 40"));
  EXPECT_EQ(StepsToEnd(), 2);
  ExpectFinished();
  EXPECT_THAT(metrics_->RenderPrometheus(), HasSubstr("armature_index_backfill_percent 100"));
  EXPECT_THAT(metrics_->RenderPrometheus(), HasSubstr("armature_index_backfill_items_total 10"));
}

TEST_F(IndexBackfillTest, WritesDuringABackfillAreCountedOnce) {
  PutNumbered(9);
  AddIndex();
  Announce();
  // Some of these items are in the index already, some are not; each is changed, moved or removed.
  for (int i = 0; i < 3; ++i) Put(fmt::format("pk=S:k{},g=S:g{},n=N:{},more=S:x", i, i % 3, i));
  for (int i = 3; i < 6; ++i) Put(fmt::format("pk=S:k{},g=S:moved,n=N:{}", i, i));
  for (int i = 6; i < 8; ++i)
    EXPECT_EQ(RunBlocking(TestWrite::Delete(*table_, fmt::format("pk=S:k{}", i))->Execute(layer_->writes)), "ok");
  Put("pk=S:new,g=S:g,n=N:1");
  StepsToEnd();
  ExpectFinished();
  EXPECT_EQ(Rows().size(), 8u);
}

TEST_F(IndexBackfillTest, ConcurrentWritersLoseNothing) {
  constexpr int kKeys = 200, kWriters = 4, kWritesEach = 400;
  PutNumbered(kKeys);
  const auto write = [&](int writer) -> Task<void> {
    std::mt19937 random(static_cast<uint32_t>(writer));
    for (int i = 0; i < kWritesEach; ++i) {
      const auto pick = [&](unsigned count) { return random() % count; };
      const std::string key = fmt::format("pk=S:k{}", pick(kKeys));
      std::unique_ptr<TestWrite> change;
      switch (pick(4)) {
        case 0: change = TestWrite::Delete(*table_, key); break;
        case 1: change = TestWrite::Put(*table_, key + ",g=S:without"); break;
        default: change = TestWrite::Put(*table_, fmt::format("{},g=S:g{},n=N:{}", key, pick(5), i)); break;
      }
      const std::string outcome = co_await change->Execute(layer_->writes);
      EXPECT_EQ(outcome, "ok");
    }
  };
  WriteConcurrently(kWriters, write, [&] {
    AddIndex();
    Announce();
    StepsToEnd();
    EXPECT_EQ(State(), "ACTIVE");
  });
  ExpectFinished();
}

TEST_F(IndexBackfillTest, GoesOnAfterACrashWhereItWas) {
  PutNumbered(18);
  AddIndex();
  Announce();
  Step();
  ASSERT_TRUE(engine_->Sync().ok());
  Crash();
  EXPECT_EQ(State(), "CREATING backfilling");
  EXPECT_EQ(Rows().size(), 2 * kRowsPerPortion);
  EXPECT_EQ(StepsToEnd(), 3);
  EXPECT_EQ(State(), "ACTIVE");
  EXPECT_EQ(Rows(), ExpectedRows());
  EXPECT_THAT(metrics_->RenderPrometheus(), HasSubstr("armature_index_backfill_items_total 10"));
}

TEST_F(IndexBackfillTest, ACrashThatTakesRowsTakesTheRecordOfThemToo) {
  PutNumbered(20);
  AddIndex();
  Announce();
  CrashDuring(*backfill_);
  StepsToEnd();
  EXPECT_EQ(State(), "ACTIVE");
  EXPECT_EQ(Rows(), ExpectedRows());
}

TEST_F(IndexBackfillTest, AFailureIsTriedAgain) {
  PutNumbered(3);
  AddIndex();
  engine_->FailNext(storage::FaultyEngine::Point::kScan, 1, Status::IoError("bad sector"));
  Announce();
  EXPECT_EQ(State(), "CREATING backfilling");
  EXPECT_FALSE(Step());
  ExpectFinished();
}

TEST_F(IndexBackfillTest, RemovalTakesTheRowsAndTheUnusedDefinitions) {
  PutNumbered(3);
  AddIndex();
  Announce();
  DeleteIndex();
  EXPECT_EQ(State(), "DELETING");
  Announce();
  EXPECT_EQ(State(), "none");
  EXPECT_EQ(IndexPartitions(), 0u);
  EXPECT_EQ(Records(), 0u);
  EXPECT_EQ(table_->def()->attribute_definitions.size(), 1u);
  // An index of the same name is another index.
  AddIndex();
  Announce();
  ExpectFinished();
}

TEST_F(IndexBackfillTest, AnIndexCanBeGivenUpWhileItIsBuilt) {
  PutNumbered(10);
  AddIndex();
  Announce();
  EXPECT_EQ(State(), "CREATING backfilling");
  DeleteIndex();
  Announce();
  EXPECT_EQ(State(), "none");
  EXPECT_EQ(IndexPartitions(), 0u);
  EXPECT_FALSE(Step());
}

TEST_F(IndexBackfillTest, ACrashDuringRemovalIsFinishedAtTheNextStart) {
  PutNumbered(3);
  AddIndex();
  Announce();
  DeleteIndex();
  Crash();
  EXPECT_EQ(State(), "DELETING");
  EXPECT_FALSE(Step());
  EXPECT_EQ(State(), "none");
  EXPECT_EQ(IndexPartitions(), 0u);
}

TEST_F(IndexBackfillTest, RowsOfAnIndexNobodyKnowsAnyMoreGoLater) {
  RemoveWithoutRows();
  ASSERT_TRUE(RunBlocking(layer_->catalog.RunDueTransitions()).ok());
  EXPECT_EQ(IndexPartitions(), 0u);
  EXPECT_EQ(Records(), 0u);
}

TEST_F(IndexBackfillTest, RowsOfAnIndexNobodyKnowsAnyMoreGoAtTheNextStart) {
  RemoveWithoutRows();
  Crash();
  EXPECT_EQ(IndexPartitions(), 0u);
  EXPECT_EQ(Records(), 0u);
}

class SlowIndexBackfillTest : public IndexBackfillTest {
 protected:
  SlowIndexBackfillTest() : IndexBackfillTest(1000) {}
};

TEST_F(SlowIndexBackfillTest, AllocationLastsAsLongAsTheTableIsUpdating) {
  PutNumbered(3);
  int woken = 0;
  backfill_->OnWork([&] { ++woken; });
  AddIndex();
  Announce();
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(State(), "CREATING");
  EXPECT_EQ(Step(), std::chrono::milliseconds(1000));
  clock_.AdvanceMillis(600);
  EXPECT_EQ(Step(), std::chrono::milliseconds(400));
  EXPECT_EQ(State(), "CREATING");
  clock_.AdvanceMillis(400);
  EXPECT_FALSE(Step());
  ExpectFinished();
}

}  // namespace
}  // namespace armature::workers
