// TtlSweep: deletes items that have expired.
//
// Reads a table's expiry rows in their order and deletes, through the one write path, what has expired more than
// `delay` ago and less than five years before, each item on condition that this still holds. Where to look next is
// known in memory (the first row that is not due yet, and what the write path has told since), so a table with nothing
// to delete costs a comparison and one without TTL nothing. Works in small portions and rests in between, longer when
// the machine is busy, so that requests do not feel it. All state can be lost: a restart looks from the first row on.
// Step is called by one thread at a time. Driven by a Periodic of server/.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/memory/arena.h"
#include "base/metrics.h"
#include "expr/bound.h"
#include "storage/engine.h"
#include "table/catalog.h"
#include "table/write/write_path.h"

namespace armature::workers {

class TtlSweep {
 public:
  static constexpr size_t kItemsPerPortion = 25;
  static constexpr int64_t kFiveYearsSeconds = int64_t{5} * 365 * 24 * 3600;

  TtlSweep(storage::Engine& engine, const Clock& clock, const table::Catalog& catalog, table::WritePath& writes,
           Metrics& metrics, int64_t delay_millis = 0, size_t items_per_portion = kItemsPerPortion);

  // Deletes one portion in every partition that has expired items. When to come back.
  Task<std::chrono::milliseconds> Step();

 private:
  // In one partition of a table with TTL.
  struct Place {
    int64_t next_seconds = 0;          // no row that is still to be seen in this pass expires before...
    std::string cursor;                // ...or lies before this key; empty: no pass is under way
    int64_t told_seconds = INT64_MAX;  // where the next pass begins, because rows came behind this one
    int64_t retry_millis = 0;          // when to look again at what could not be deleted; 0: all could
    int64_t retry_seconds = 0;
  };
  struct Portion {
    std::unique_ptr<table::ItemWrite[]> writes;
    size_t count = 0;
    Arena arena;
  };

  // `told`: when the earliest row expires that the table has been given since the last time.
  Task<bool> SweepPartition(const std::shared_ptr<table::Table>& table,
                            const std::shared_ptr<table::Partition>& partition, Place& place, int64_t told,
                            int64_t now_seconds);
  // The expired rows from the place on, as deletions. Moves the place behind them. True: there are more.
  Task<Result<bool>> ReadPortion(table::Table& table, const std::shared_ptr<table::Partition>& partition, Place& place,
                                 int64_t now_seconds, Portion& portion);
  Task<Status> Delete(const std::shared_ptr<table::Table>& table, Portion& portion);

  storage::Engine& engine_;
  const Clock& clock_;
  const table::Catalog& catalog_;
  table::WritePath& writes_;
  Metrics& metrics_;
  const int64_t delay_millis_;
  const size_t items_per_portion_;
  const std::shared_ptr<std::atomic<int64_t>>
      lag_seconds_;  // what the gauge reads; the Metrics may outlive this object

  std::map<storage::PartitionId, Place> places_;
};

}  // namespace armature::workers
