// What the tests of Time to Live share: a process with its two workers, and its expiry rows in one line each.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/codec/item_codec.h"
#include "table/keys/expiry.h"
#include "table/keys/key_layout.h"
#include "workers/ttl/ttl_setup.h"
#include "workers/ttl/ttl_sweep.h"
#include "workers/workers_testing.h"

namespace armature::workers {

class TtlFixture : public WorkerFixture {
 protected:
  static constexpr size_t kRowsPerPortion = 4;
  static constexpr size_t kItemsPerPortion = 3;

  explicit TtlFixture(int64_t control_plane_delay_millis = 0, int64_t ttl_delay_millis = 0)
      : WorkerFixture(control_plane_delay_millis), ttl_delay_(ttl_delay_millis) {
    Start();
    MakeTable(table::MakeTableDef("tbl"));
  }

  void Start() override {
    sweep_.reset();
    setup_.reset();
    StartHouse();
    setup_ = std::make_unique<TtlSetup>(*engine_, clock_, layer_->catalog, layer_->writes, *metrics_,
                                        TtlSetup::Portions{kRowsPerPortion, kRowsPerPortion});
    sweep_ = std::make_unique<TtlSweep>(*engine_, clock_, layer_->catalog, layer_->writes, *metrics_, ttl_delay_,
                                        kItemsPerPortion);
    ASSERT_TRUE(RunBlocking(setup_->Load()).ok());
  }

  // Instead of the one there was.
  void MakeTable(const model::TableDef& def) {
    if (table_) {
      const auto agree = [](model::TableDef&) -> model::ApiResult<void> { return {}; };
      ASSERT_TRUE(RunBlocking(layer_->catalog.Delete(table::kScope, "tbl", agree)).has_value());
      clock_.AdvanceMillis(control_plane_delay_);
    }
    auto made = RunBlocking(layer_->catalog.Create(def));
    ASSERT_TRUE(made.has_value());
    table_ = *made;
    clock_.AdvanceMillis(control_plane_delay_);
  }

  int64_t Now() const { return clock_.NowMillis() / 1000; }
  void AdvanceSeconds(int64_t seconds) { clock_.AdvanceMillis(seconds * 1000); }

  // Items k0, k1, … of which every third does not expire.
  void PutNumbered(int count) {
    for (int i = 0; i < count; ++i)
      Put(i % 3 == 2 ? fmt::format("pk=S:k{}", i) : fmt::format("pk=S:k{},ttl=N:{}", i, Now() + i));
  }

  // What UpdateTimeToLive does to the definition.
  void ChangeTtl(model::TtlStatus status, const std::string& attribute = "ttl") {
    const auto change = [&](model::TableDef& def) -> model::ApiResult<void> {
      def.ttl = {status, attribute, clock_.NowMillis() + control_plane_delay_};
      return {};
    };
    ASSERT_TRUE(RunBlocking(layer_->catalog.Update(table::kScope, "tbl", change)).has_value());
  }
  void Announce() { RunBlocking(setup_->Announce(table_)); }
  void Enable(const std::string& attribute = "ttl") {
    ChangeTtl(model::TtlStatus::kEnabling, attribute);
    Announce();
    FinishSetup();
    EXPECT_EQ(State(), "ENABLED");
  }
  void Disable() {
    ChangeTtl(model::TtlStatus::kDisabling);
    Announce();
    FinishSetup();
    EXPECT_EQ(State(), "DISABLED");
  }
  std::optional<std::chrono::milliseconds> SetupStep() { return RunBlocking(setup_->Step()); }
  int FinishSetup() { return StepsToEndOf(*setup_); }
  // Until nothing is due.
  void Sweep() {
    while (RunBlocking(sweep_->Step()) != std::chrono::milliseconds(500)) {}
  }

  std::string State() const { return std::string(model::TtlStatusName(table_->def()->ttl.status)); }

  // "1700000000 pk=S:a", in order.
  std::vector<std::string> Rows() {
    std::vector<std::string> shown;
    Arena arena;
    for (const auto& [key, value] : Scan(table::AllExpiryRows(), table_->partitions().Find(0)->handle())) {
      table::ExpiryRow row;
      EXPECT_TRUE(table::ReadExpiryRow(key, table_->key_schema(), arena, &row));
      EXPECT_TRUE(value.empty());
      shown.push_back(fmt::format("{} {}", row.expiry_seconds, expr::Show(row.key)));
    }
    std::sort(shown.begin(), shown.end());
    return shown;
  }
  // What a look at every item says the rows should be.
  std::vector<std::string> ExpectedRows(std::string_view attribute = "ttl") {
    std::vector<std::string> shown;
    Arena arena;
    const auto schema = table_->schema();
    for (const auto& [key, value] : Scan(table::AllRows(schema->items()), table_->partitions().Find(0)->handle())) {
      const auto decoded = model::DecodeItem(value, arena);
      EXPECT_TRUE(decoded.has_value());
      if (const auto expiry = table::ExpirySeconds(decoded->item, attribute))
        shown.push_back(
            fmt::format("{} {}", *expiry, expr::Show(table::RowKeyAttributes(schema->items(), decoded->item, arena))));
    }
    std::sort(shown.begin(), shown.end());
    return shown;
  }
  // The values of pk that are left, in order.
  std::vector<std::string> Items() {
    std::vector<std::string> shown;
    Arena arena;
    for (const auto& [key, value] :
         Scan(table::AllRows(table_->schema()->items()), table_->partitions().Find(0)->handle())) {
      const auto decoded = model::DecodeItem(value, arena);
      EXPECT_TRUE(decoded.has_value());
      const model::Value& pk = *model::FindAttribute(decoded->item, "pk");
      shown.push_back(pk.is(model::Type::kS) ? std::string(pk.str()) : pk.number().ToString());
    }
    std::sort(shown.begin(), shown.end());
    return shown;
  }
  size_t Records() { return Scan(table::ExpiryBuildRange(), engine_->system()).size(); }

  const int64_t ttl_delay_;
  std::unique_ptr<TtlSetup> setup_;
  std::unique_ptr<TtlSweep> sweep_;
};

}  // namespace armature::workers
