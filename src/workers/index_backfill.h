// IndexBackfill: builds and removes global indexes of live tables.
//
// An index is CREATING from the moment UpdateTable has stored it: from then on every write keeps it. What is left to do
// is entering the items that were there before, in portions, each item under its own latch, so that writers are neither
// blocked nor overtaken; then it is ACTIVE. A DELETING index is taken out of the definition, then its rows go. How far
// an index has got is recorded in the system partition before anything depends on it: after a crash both kinds of work
// go on where they were. Thread-safe; portions exclude each other. Driven by a Periodic of server/ and, for the first
// portion, by UpdateTable itself, so that a small table's index is ready when the reply is out.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "storage/engine.h"
#include "table/catalog.h"
#include "table/write_path.h"

namespace armature::workers {

class IndexBackfill {
 public:
  static constexpr size_t kRowsPerPortion = 500;

  IndexBackfill(storage::Engine& engine, const Clock& clock, table::Catalog& catalog, table::WritePath& writes,
                Metrics& metrics, size_t rows_per_portion = kRowsPerPortion);

  // Called (from any thread) when there is work for Step. Set before requests are served.
  void OnWork(std::function<void()> wake) { wake_ = std::move(wake); }

  // Finds what a crash or shut-down left to do. REQUIRES: the catalogue is loaded and nobody writes yet.
  Task<Status> Load();

  // To be told of every index that became CREATING or DELETING. Does the first portion at once unless states are to
  // last.
  Task<void> Announce(std::shared_ptr<table::Table> table);

  // One portion for every table that has work. When to come back; nothing if all is done.
  Task<std::optional<std::chrono::milliseconds>> Step();

 private:
  // The work on one table: at most one index is created or deleted at a time.
  struct Work {
    std::shared_ptr<table::Table> table;
    uint32_t index_id = 0;
    std::string cursor;  // items before this key are entered
    int64_t items_done = 0;
    bool is_out_of_definition = false;  // of a removal: only the rows are left
  };
  using Pause = std::optional<std::chrono::milliseconds>;
  // What the gauges read; outlives this object, because the Metrics may.
  struct Progress;

  Task<Result<Pause>> Advance(Work& work);
  Task<Result<Pause>> Build(Work& work, const model::IndexDef& index);
  Task<Result<Pause>> Remove(Work& work, const model::IndexDef& index);
  Task<Status> FinishRemoval(Work& work);
  Task<Result<bool>> BuildPortion(Work& work);
  Task<Pause> AdvanceOrRetry(Work& work);

  Task<Status> ChangeIndex(const Work& work, std::function<void(model::TableDef&, model::IndexDef&)> change);
  Task<Status> DeleteRows(const table::Table& table, uint32_t index_id);
  Task<Status> Record(const Work& work);
  Task<Status> Forget(uint64_t table_id, uint32_t index_id);
  Task<Status> Commit(storage::PartitionId partition, storage::Epoch epoch, const storage::Batch& batch);
  void ShowProgress() const;

  storage::Engine& engine_;
  const Clock& clock_;
  table::Catalog& catalog_;
  table::WritePath& writes_;
  const size_t rows_per_portion_;
  Counter& items_read_;
  const std::shared_ptr<Progress> progress_;
  std::function<void()> wake_;

  table::LatchTable latch_{1};      // one portion at a time
  std::map<uint64_t, Work> works_;  // by table id; guarded by latch_
};

}  // namespace armature::workers
