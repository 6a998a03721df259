// What the tests of the journal share: tables with a journal over an engine that can be crashed, and reading it.
//
// The engine is one whose disk the test has in its hands, or the narrow one (storage/testing/test_engine.h), which has
// no such disk: what needs it is an OnDisk… test, which is not run there (table/CMakeLists.txt).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "storage/engine_calls.h"
#include "storage/testing/test_engine.h"
#include "table/journal/journal.h"
#include "table/journal/lane_testing.h"
#include "table/keys/key_layout.h"
#include "table/table_testing.h"

namespace armature::table {

class JournalTest : public testing::Test {
 protected:
  explicit JournalTest(storage::FaultyOptions engine = {}) {
    if (storage::IsTestEngineNarrow()) engine_ = storage::MakeTestEngine(metrics_);
    else engine_ = storage::OpenFaultyEngine(engine, metrics_);
    Start();
  }

  // REQUIRES: not the narrow engine.
  storage::FaultyEngine& disk() { return static_cast<storage::FaultyEngine&>(*engine_); }
  void Crash() {
    if (storage::IsTestEngineNarrow()) static_cast<storage::NarrowEngine&>(*engine_).Crash();
    else disk().Crash();
  }

  // A process begins: what it knows comes from the store.
  void Start() {
    layer_.emplace(*engine_, clock_);
    ASSERT_TRUE(RunBlocking(layer_->catalog.Load()).ok());
    journal_.emplace(*engine_, clock_, layer_->catalog, metrics_, options_);
    ASSERT_TRUE(RunBlocking(journal_->Load()).ok());
  }
  void Stop() {
    journal_.reset();
    layer_.reset();
  }
  // A crash and a new process. Every shared_ptr to a table must be fetched again.
  void Restart() {
    Stop();
    Crash();
    Start();
  }

  std::shared_ptr<Table> CreateStream(std::string_view name, std::string_view view_type) {
    auto table = layer_->CreateTable(name);
    SetStream(name, view_type);
    return table;
  }
  // Enables a stream; disables it if the view type is empty.
  void SetStream(std::string_view name, std::string_view view_type) {
    const auto changed =
        RunBlocking(layer_->catalog.Update(kScope, name, [&](model::TableDef& def) -> model::ApiResult<void> {
          if (view_type.empty()) def.stream = {false, "", def.stream.label};
          else def.stream = {true, std::string(view_type), fmt::format("label-{}", ++labels_)};
          return {};
        }));
    ASSERT_TRUE(changed.has_value());
    ASSERT_TRUE(RunBlocking(journal_->FollowDefinition(Find(name))).ok());
  }
  std::shared_ptr<Table> Find(std::string_view name) { return layer_->catalog.Find(kScope, name); }

  std::string Do(std::unique_ptr<TestWrite> write) { return RunBlocking(write->Execute(layer_->writes)); }
  std::string Put(Table& table, std::string_view item) { return Do(TestWrite::Put(table, item)); }
  std::string Delete(Table& table, std::string_view key) { return Do(TestWrite::Delete(table, key)); }

  static std::string Show(const model::ChangeRecord& record) {
    static constexpr std::string_view kKinds[] = {"INSERT", "MODIFY", "REMOVE"};
    std::string text = fmt::format("{} {}", kKinds[static_cast<size_t>(record.kind)], expr::Show(record.keys));
    if (record.has_old) text += " old " + expr::Show(record.old_image);
    if (record.has_new) text += " new " + expr::Show(record.new_image);
    if (record.by_ttl) text += " ttl";
    return text;
  }

  struct Lines {
    std::vector<std::string> records;
    std::vector<Position> positions;
    Position next = 0;
    bool is_done = false;
    bool was_trimmed = false;
  };
  // All there is in a lane from a position on, in pages of `page` records.
  Lines ReadLane(const Table& table, LaneId lane, Position from, size_t page = 1000,
                 model::Images images = model::kBothImages) {
    Lines lines;
    lines.next = from;
    for (bool is_caught_up = false; !is_caught_up;) {
      Arena arena;
      auto read = RunBlocking(journal_->Read(table, lane, lines.next, {page, 1 << 20}, images, arena));
      EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().ToString());
      if (!read) return lines;
      for (const auto& record : read->records) {
        lines.records.push_back(Show(record));
        lines.positions.push_back(record.position);
      }
      lines.next = read->next;
      lines.is_done = read->is_done;
      lines.was_trimmed = lines.was_trimmed || read->was_trimmed;
      is_caught_up = read->is_caught_up;
    }
    return lines;
  }
  // Every record of the latest stream, lane by lane.
  std::vector<std::string> ReadAll(const Table& table, model::Images images = model::kBothImages) {
    std::vector<std::string> records;
    const auto state = table.journal().state();
    if (state->streams.empty()) return records;
    for (const Lane* lane : state->LanesOf(state->streams.back())) {
      const auto lines = ReadLane(table, lane->id, lane->trimmed, 1000, images);
      records.insert(records.end(), lines.records.begin(), lines.records.end());
    }
    return records;
  }
  size_t JournalRows(const Table& table) {
    const std::string begin = JournalRowKey(0), end = JournalRowKey(UINT64_MAX);
    size_t rows = 0;
    for (const auto& list : {table.partitions().list(), table.partitions().ended()}) {
      for (const auto& partition : *list) {
        storage::ScanOp scan;
        scan.partition = &partition->handle();
        scan.begin = begin;
        scan.end = end;
        scan.at.view = storage::View::kLatest;
        EXPECT_TRUE(RunBlocking([](storage::Engine& engine, storage::ScanOp& op) -> Task<Status> {
                      co_return co_await storage::Run(engine, op);
                    }(*engine_, scan))
                        .ok());
        rows += scan.rows.size();
      }
    }
    return rows;
  }
  Position Latest(const Table& table, LaneId lane) { return RunBlocking(journal_->Latest(table, lane)).value(); }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_;
  ManualClock clock_;
  JournalOptions options_;
  std::optional<TableLayer> layer_;
  std::optional<Journal> journal_;
  int labels_ = 0;
};

// Those that hold the disk up, make it fail, or compare what is on it.
class OnDiskJournalTest : public JournalTest {};

}  // namespace armature::table
