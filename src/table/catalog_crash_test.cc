// The catalogue over an engine that fails or crashes between any two steps of a change.
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/faulty/faulty_engine.h"
#include "table/catalog.h"
#include "table/keys/key_layout.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

using model::ApiResult;
using model::TableDef;
using testing::ElementsAre;
using testing::IsEmpty;
using Point = storage::FaultyEngine::Point;

ApiResult<void> Agree(TableDef&) { return {}; }

class CatalogCrashTest : public testing::Test {
 protected:
  Task<void> CreateInto(std::string name, std::string& outcome) {
    auto created = co_await catalog_->Create(MakeTableDef(name));
    outcome = created ? "ok" : created.error().name;
  }
  Task<void> DeleteInto(std::string name, std::string& outcome) {
    auto deleted = co_await catalog_->Delete(kScope, name, Agree);
    outcome = deleted ? "ok" : deleted.error().name;
  }
  std::string Create(std::string name) {
    std::string outcome;
    RunBlocking(CreateInto(std::move(name), outcome));
    return outcome;
  }
  std::string Delete(std::string name) {
    std::string outcome;
    RunBlocking(DeleteInto(std::move(name), outcome));
    return outcome;
  }
  // Goes on with what was started until `count` commits wait for a sync that does not come by itself.
  void RunUntilParked(size_t count) {
    executor_.RunUntil([&] { return engine_->unsynced_commits() == count; });
  }
  // The process is gone: whatever still runs of it changes nothing any more.
  void Crash() {
    for (const Point point : {Point::kGet, Point::kScan, Point::kCommit, Point::kPartition})
      engine_->FailNext(point, 1000, Status::Unavailable("dead"));
    engine_->Crash();
  }
  void Restart() {
    for (const Point point : {Point::kGet, Point::kScan, Point::kCommit, Point::kPartition, Point::kSync})
      engine_->FailNext(point, 0, {});
    engine_->SetAutoSync(true);
    catalog_ = std::make_unique<Catalog>(*engine_, clock_, 0);
    ASSERT_TRUE(RunBlocking(catalog_->Load()).ok());
  }
  std::vector<std::string> Names() {
    bool has_more = false;
    return catalog_->ListNames(kScope, {}, 100, &has_more);
  }
  // Every table has a partition of its own, and there are no others.
  void ExpectSound() {
    std::set<storage::PartitionId> wanted{storage::kSystemPartition};
    for (const auto& table : catalog_->AllTables())
      EXPECT_TRUE(wanted.insert(table->partitions().Find(0)->id()).second)
          << "two tables share partition " << table->partitions().Find(0)->id();
    std::set<storage::PartitionId> found;
    const auto partitions = RunBlocking(engine_->ListPartitions());
    for (const auto& info : *partitions) found.insert(info.id);
    EXPECT_EQ(found, wanted);
  }

  Metrics metrics_;
  std::unique_ptr<storage::FaultyEngine> engine_ = storage::OpenFaultyEngine({}, metrics_);
  ManualClock clock_;
  std::unique_ptr<Catalog> catalog_ = std::make_unique<Catalog>(*engine_, clock_, 0);
  StepExecutor executor_;
  std::string outcome_;
};

TEST_F(CatalogCrashTest, WhatWasAnsweredSurvives) {
  EXPECT_EQ(Create("T"), "ok");
  EXPECT_EQ(Create("U"), "ok");
  EXPECT_EQ(Delete("U"), "ok");
  Crash();
  Restart();
  EXPECT_THAT(Names(), ElementsAre("T"));
  ExpectSound();
}

TEST_F(CatalogCrashTest, ACrashBetweenPartitionAndRecordLeavesNoOrphan) {
  engine_->SetAutoSync(false);
  executor_.Start(CreateInto("T", outcome_));
  RunUntilParked(1);  // the partition is durable, the record is not
  EXPECT_EQ(RunBlocking(engine_->ListPartitions())->size(), 2u);
  Crash();
  executor_.RunQueued();
  EXPECT_EQ(outcome_, "ServiceUnavailableException");
  Restart();
  EXPECT_THAT(Names(), IsEmpty());
  ExpectSound();
  EXPECT_EQ(Create("T"), "ok");
  ExpectSound();
}

TEST_F(CatalogCrashTest, ATableIsNotSeenBeforeItIsDurable) {
  engine_->SetAutoSync(false);
  executor_.Start(CreateInto("T", outcome_));
  RunUntilParked(1);
  EXPECT_EQ(catalog_->Find(kScope, "T"), nullptr);
  ASSERT_TRUE(engine_->Sync().ok());
  executor_.RunUntil([&] { return !outcome_.empty(); });
  EXPECT_EQ(outcome_, "ok");
  EXPECT_TRUE(catalog_->Find(kScope, "T"));
}

TEST_F(CatalogCrashTest, AFailedPartitionOrRecordIsCleanedUp) {
  for (const Point point : {Point::kPartition, Point::kCommit, Point::kSync}) {
    engine_->FailNext(point, 1, Status::NoSpace("full"));
    EXPECT_EQ(Create("T"), "ServiceUnavailableException");
    EXPECT_EQ(catalog_->Find(kScope, "T"), nullptr);
    ExpectSound();
    EXPECT_EQ(Create("T"), "ok");
    ExpectSound();
    EXPECT_EQ(Delete("T"), "ok");
  }
  Crash();
  Restart();
  EXPECT_THAT(Names(), IsEmpty());
  ExpectSound();
}

// The record is in the log but its sync fails: nobody knows whether a crash would keep it.
TEST_F(CatalogCrashTest, ARecordThatCouldNotBeSyncedIsTakenBack) {
  engine_->SetAutoSync(false);
  executor_.Start(CreateInto("T", outcome_));
  RunUntilParked(1);
  engine_->FailNext(Point::kSync, 1, Status::NoSpace("full"));
  EXPECT_FALSE(engine_->Sync().ok());
  engine_->SetAutoSync(true);  // space is back
  executor_.RunUntil([&] { return !outcome_.empty(); });
  EXPECT_EQ(outcome_, "ServiceUnavailableException");
  ExpectSound();
  Crash();
  Restart();
  EXPECT_THAT(Names(), IsEmpty());
  ExpectSound();
}

TEST_F(CatalogCrashTest, ARecordThatCannotBeTakenBackKeepsItsPartitionAndItsId) {
  engine_->SetAutoSync(false);
  executor_.Start(CreateInto("T", outcome_));
  RunUntilParked(1);
  engine_->FailNext(Point::kSync, 1, Status::NoSpace("full"));
  engine_->FailNext(Point::kCommit, 1, Status::NoSpace("full"));
  EXPECT_FALSE(engine_->Sync().ok());
  executor_.RunUntil([&] { return !outcome_.empty(); });
  EXPECT_EQ(outcome_, "ServiceUnavailableException");
  EXPECT_EQ(catalog_->Find(kScope, "T"), nullptr);

  engine_->SetAutoSync(true);
  EXPECT_EQ(Create("U"), "ok");  // makes the left-over record durable too
  Crash();
  Restart();
  EXPECT_THAT(Names(), ElementsAre("T", "U"));
  EXPECT_NE(catalog_->Find(kScope, "T")->id(), catalog_->Find(kScope, "U")->id());
  ExpectSound();
}

TEST_F(CatalogCrashTest, ADeletionIsUndoneOrFinishedByACrashNeverHalf) {
  // Before the DELETING record is durable: still there.
  EXPECT_EQ(Create("T"), "ok");
  engine_->SetAutoSync(false);
  executor_.Start(DeleteInto("T", outcome_));
  RunUntilParked(1);
  Crash();
  executor_.RunQueued();
  EXPECT_EQ(outcome_, "ServiceUnavailableException");
  Restart();
  EXPECT_THAT(Names(), ElementsAre("T"));
  EXPECT_TRUE(catalog_->Find(kScope, "T")->AcceptsData(clock_.NowMillis()));
  ExpectSound();

  // After it, before the record is removed: finished by Load.
  outcome_.clear();
  engine_->SetAutoSync(false);
  executor_.Start(DeleteInto("T", outcome_));
  RunUntilParked(1);
  ASSERT_TRUE(engine_->Sync().ok());
  RunUntilParked(1);
  Crash();
  executor_.RunQueued();
  EXPECT_EQ(outcome_, "ok") << "DELETING is durable, so the table will go";
  Restart();
  EXPECT_THAT(Names(), IsEmpty());
  ExpectSound();
}

TEST_F(CatalogCrashTest, APartitionThatCannotBeDroppedIsDroppedLater) {
  EXPECT_EQ(Create("T"), "ok");
  engine_->FailNext(Point::kPartition, 1, Status::NoSpace("full"));
  EXPECT_EQ(Delete("T"), "ok");
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_EQ(RunBlocking(engine_->ListPartitions())->size(), 2u);
  ASSERT_TRUE(RunBlocking(catalog_->RunDueTransitions()).ok());
  ExpectSound();

  EXPECT_EQ(Create("T"), "ok");
  engine_->FailNext(Point::kPartition, 1, Status::NoSpace("full"));
  EXPECT_EQ(Delete("T"), "ok");
  Crash();
  Restart();  // Load finds it as well
  ExpectSound();
}

TEST_F(CatalogCrashTest, AFailedUpdateIsNotPublished) {
  EXPECT_EQ(Create("T"), "ok");
  for (const Point point : {Point::kCommit, Point::kSync}) {
    engine_->FailNext(point, 1, Status::NoSpace("full"));
    const auto updated = RunBlocking(catalog_->Update(kScope, "T", [](TableDef& def) -> ApiResult<void> {
      def.deletion_protection = true;
      return {};
    }));
    ASSERT_FALSE(updated);
    EXPECT_EQ(updated.error().name, "ServiceUnavailableException");
    EXPECT_FALSE(catalog_->Find(kScope, "T")->def()->deletion_protection);
  }
}

TEST_F(CatalogCrashTest, ItemsAreCountedIfTheyAreThere) {
  EXPECT_EQ(Create("T"), "ok");
  WritePath writes(*engine_, clock_);
  const auto put = [&](std::string_view key) {
    return RunBlocking(TestWrite::Put(*catalog_->Find(kScope, "T"), fmt::format("pk=S:{}", key))->Execute(writes));
  };
  EXPECT_EQ(put("a"), "ok");
  EXPECT_EQ(put("b"), "ok");
  engine_->FailNext(Point::kCommit, 1, Status::NoSpace("full"));
  EXPECT_NE(put("c"), "ok");
  EXPECT_EQ(catalog_->Find(kScope, "T")->CountItems(), (storage::RowCount{2, 6})) << "what was refused is not";
  Crash();
  Restart();
  EXPECT_EQ(catalog_->Find(kScope, "T")->CountItems(), (storage::RowCount{2, 6}));
}

}  // namespace
}  // namespace armature::table
