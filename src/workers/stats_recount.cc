#include "workers/stats_recount.h"

#include "base/async.h"
#include "base/log.h"
#include "model/codec/item_codec.h"

namespace armature::workers {

namespace {
constexpr size_t kPortionBytes = 1 << 20;

Task<void> ScanPortion(storage::Engine& engine, storage::ScanOp& scan) {
  engine.Scan(scan);
  co_await scan.done;
}
}  // namespace

StatsRecount::StatsRecount(storage::Engine& engine, const table::Catalog& catalog)
    : engine_(engine), snapshot_(engine.TakeSnapshot()) {
  const auto add = [&](const auto& table, const auto& schema, const table::Keyspace& keyspace, table::RowStats& stats) {
    targets_.push_back({table, schema, &keyspace, &stats, stats.item_count.load(), stats.size_bytes.load()});
  };
  for (const auto& table : catalog.AllTables()) {
    const auto schema = table->schema();
    add(table, schema, schema->items(), table->stats());
    for (const auto& index : schema->indexes()) add(table, schema, index.keyspace, *index.stats);
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
  storage::KeyRange range = table::AllRows(*target.keyspace);
  for (bool has_more = true; has_more;) {
    if (stop.stop_requested()) return Status::Ok();
    storage::ScanOp scan;
    scan.partition = &target.table->partition().handle();
    scan.begin = range.begin;
    scan.end = range.end;
    scan.limit_bytes = kPortionBytes;
    scan.at.snapshot = snapshot_.get();
    RunBlocking(ScanPortion(engine_, scan));
    // A table deleted meanwhile needs no count.
    if (scan.status.code() == StatusCode::kNotFound) return Status::Ok();
    if (!scan.status.ok()) return scan.status;
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
    has_more = scan.has_more && !scan.rows.empty();
    if (has_more) {
      range.begin = scan.rows.back().key;
      range.begin.push_back('\0');
    }
  }
  target.stats->item_count.fetch_add(items - target.noted_items, std::memory_order_relaxed);
  target.stats->size_bytes.fetch_add(bytes - target.noted_bytes, std::memory_order_relaxed);
  target.table->stats().is_dirty.store(true, std::memory_order_release);
  return Status::Ok();
}

}  // namespace armature::workers
