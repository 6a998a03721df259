#include "workers/stats_recount.h"

#include "base/async.h"
#include "base/log.h"
#include "model/codec/item_codec.h"
#include "storage/engine_calls.h"
#include "table/partition/row_scan.h"

namespace armature::workers {

namespace {
constexpr size_t kPortionBytes = 1 << 20;

Task<Status> ScanPortion(storage::Engine& engine, storage::ScanOp& scan) {
  co_return co_await storage::Run(engine, scan);
}
}  // namespace

StatsRecount::StatsRecount(storage::Engine& engine, const table::Catalog& catalog)
    : engine_(engine), snapshot_(engine.TakeSnapshot()) {
  const auto add = [&](const auto& table, const auto& schema, const table::Keyspace& keyspace,
                       const table::PartitionSet& partitions, table::RowStats& stats) {
    targets_.push_back(
        {table, schema, &keyspace, &partitions, &stats, stats.item_count.load(), stats.size_bytes.load()});
  };
  for (const auto& table : catalog.AllTables()) {
    const auto schema = table->schema();
    add(table, schema, schema->items(), table->partitions(), table->stats());
    for (const auto& index : schema->indexes())
      add(table, schema, index.keyspace, index.is_global() ? *index.partitions : table->partitions(), *index.stats);
  }
}

Status StatsRecount::Run(const std::stop_token& stop) {
  for (Target& target : targets_) {
    if (stop.stop_requested()) break;
    if (Status status = Count(target, stop); !status.ok()) return status;
  }
  snapshot_.reset();
  return Status::Ok();
}

Status StatsRecount::Count(Target& target, const std::stop_token& stop) {
  int64_t items = 0, bytes = 0;
  table::RowScan rows(*target.partitions, table::AllRows(*target.keyspace), {.snapshot = snapshot_.get()});
  while (!rows.at_end()) {
    if (stop.stop_requested()) return Status::Ok();
    storage::ScanOp& scan = rows.Prepare(SIZE_MAX, kPortionBytes);
    Status status = RunBlocking(ScanPortion(engine_, scan));
    if (status.code() == StatusCode::kFenced) {
      status = RunBlocking(rows.LookAgain(engine_));
      if (status.ok()) continue;
    }
    // A table deleted meanwhile needs no count.
    if (status.code() == StatusCode::kNotFound) return Status::Ok();
    if (!status.ok()) return status;
    for (const auto& row : scan.rows) {
      auto size = model::DecodeItemSize(row.value);
      if (!size) {
        LogWarn("table {}: a damaged row is left out of the count: {}", target.schema->def().name,
                size.error().ToString());
        continue;
      }
      ++items;
      bytes += static_cast<int64_t>(*size);
    }
    rows.Advance();
  }
  target.stats->item_count.fetch_add(items - target.noted_items, std::memory_order_relaxed);
  target.stats->size_bytes.fetch_add(bytes - target.noted_bytes, std::memory_order_relaxed);
  target.table->stats().is_dirty.store(true, std::memory_order_release);
  return Status::Ok();
}

}  // namespace armature::workers
