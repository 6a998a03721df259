// What the catalogue tells its listeners, and when.

#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/faulty/faulty_engine.h"
#include "storage/testing/test_engine.h"
#include "table/catalog.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

using model::ApiResult;
using model::TableDef;
using testing::ElementsAre;
using testing::IsEmpty;

std::string StatusText(const std::shared_ptr<const TableDef>& def) {
  return def ? std::string(model::ResourceStatusName(def->status)) : "-";
}

class Recorder final : public CatalogListener {
 public:
  Task<void> OnTableChange(const TableChange& change) override {
    told.push_back(
        fmt::format("{} {}>{}", change.table->def()->name, StatusText(change.before), StatusText(change.after)));
    if (then) co_await then(change);
  }

  std::vector<std::string> told;
  std::function<Task<void>(const TableChange&)> then;
};

class CatalogListenerTest : public testing::Test {
 protected:
  CatalogListenerTest() { Use(0); }
  void Use(int64_t delay_millis) {
    catalog_ = std::make_unique<Catalog>(*engine_, clock_, delay_millis);
    catalog_->AddListener(listener_);
    ASSERT_TRUE(RunBlocking(catalog_->Load()).ok());
  }
  bool Create(std::string_view name) { return RunBlocking(catalog_->Create(MakeTableDef(name))).has_value(); }
  bool Update(std::string_view name, Catalog::Change change) {
    return RunBlocking(catalog_->Update(kScope, name, std::move(change))).has_value();
  }
  bool Delete(std::string_view name) {
    return RunBlocking(catalog_->Delete(kScope, name, [](TableDef&) { return ApiResult<void>(); })).has_value();
  }
  std::vector<std::string> Told() { return std::exchange(listener_.told, {}); }

  static ApiResult<void> Protect(TableDef& def) {
    def.deletion_protection = true;
    return {};
  }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  ManualClock clock_;
  Recorder listener_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(CatalogListenerTest, HearsOfEveryChangeInItsOrder) {
  EXPECT_TRUE(Create("T"));
  EXPECT_THAT(Told(), ElementsAre("T ->CREATING"));
  EXPECT_TRUE(Update("T", Protect));
  EXPECT_THAT(Told(), ElementsAre("T CREATING>ACTIVE"));
  EXPECT_TRUE(Delete("T"));
  EXPECT_THAT(Told(), ElementsAre("T ACTIVE>DELETING", "T DELETING>-"));
}

TEST_F(CatalogListenerTest, HearsOfTransitionsWhenTheyAreRecorded) {
  Use(1000);
  EXPECT_TRUE(Create("T"));
  EXPECT_TRUE(Create("U"));
  Told();
  EXPECT_TRUE(RunBlocking(catalog_->RunDueTransitions()).ok());
  EXPECT_THAT(Told(), IsEmpty());
  clock_.AdvanceMillis(1000);
  EXPECT_TRUE(Delete("U"));
  EXPECT_THAT(Told(), ElementsAre("U CREATING>DELETING"));
  clock_.AdvanceMillis(1000);
  EXPECT_TRUE(RunBlocking(catalog_->RunDueTransitions()).ok());
  EXPECT_THAT(Told(), ElementsAre("T CREATING>ACTIVE", "U DELETING>-"));
}

TEST_F(CatalogListenerTest, HearsThatATableWhoseNameIsTakenAgainIsGone) {
  Use(1000);
  EXPECT_TRUE(Create("T"));
  clock_.AdvanceMillis(1000);
  EXPECT_TRUE(Delete("T"));
  clock_.AdvanceMillis(1000);
  Told();
  EXPECT_TRUE(Create("T"));
  EXPECT_THAT(Told(), ElementsAre("T DELETING>-", "T ->CREATING"));
}

TEST_F(CatalogListenerTest, HearsNothingOfWhatIsRefusedOrFails) {
  EXPECT_TRUE(Create("T"));
  Told();
  EXPECT_FALSE(Create("T"));
  EXPECT_FALSE(Update("T", [](TableDef&) -> ApiResult<void> { return model::ValidationException("no"); }));
  EXPECT_FALSE(Update("U", Protect));
  EXPECT_THAT(Told(), IsEmpty());
}

TEST_F(CatalogListenerTest, HearsNothingOfWhatIsNotDurable) {
  const auto engine = storage::OpenFaultyEngine({}, metrics_);
  Catalog catalog(*engine, clock_, 0);
  catalog.AddListener(listener_);
  ASSERT_TRUE(RunBlocking(catalog.Create(MakeTableDef("T"))));
  Told();
  engine->FailNext(storage::FaultyEngine::Point::kSync, 1, Status::NoSpace("full"));
  EXPECT_FALSE(RunBlocking(catalog.Update(kScope, "T", Protect)));
  EXPECT_THAT(Told(), IsEmpty());
}

// What a worker does: it changes the definition again, as a part of the change it was told of.
TEST_F(CatalogListenerTest, MayChangeTheCatalogueAgain) {
  EXPECT_TRUE(Create("T"));
  Told();
  listener_.then = [&](const TableChange& change) -> Task<void> {
    if (change.before->deletion_protection == change.after->deletion_protection) co_return;
    const auto changed = co_await catalog_->Update(kScope, "T", [](TableDef& def) -> ApiResult<void> {
      def.table_class = "STANDARD_INFREQUENT_ACCESS";
      return {};
    });
    EXPECT_TRUE(changed.has_value());
  };
  EXPECT_TRUE(Update("T", Protect));
  EXPECT_EQ(catalog_->Find(kScope, "T")->def()->table_class, "STANDARD_INFREQUENT_ACCESS")
      << "before the first call ends";
  EXPECT_THAT(Told(), ElementsAre("T CREATING>ACTIVE", "T ACTIVE>ACTIVE"));
}

TEST_F(CatalogListenerTest, SeesTheChangeItIsToldOf) {
  bool was_there = false;
  listener_.then = [&](const TableChange& change) -> Task<void> {
    was_there = catalog_->Find(kScope, "T") == change.table;
    co_return;
  };
  EXPECT_TRUE(Create("T"));
  EXPECT_TRUE(was_there);
}

}  // namespace
}  // namespace armature::table
