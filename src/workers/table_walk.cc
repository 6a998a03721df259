#include "workers/table_walk.h"

#include "model/codec/item_codec.h"
#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"
#include "table/partition/row_scan.h"

namespace armature::workers {

namespace {
constexpr size_t kMaxPortionBytes = 1024 * 1024;

// kFenced: a partition is dead, and what was made there may be lost; the one that has taken its place is found.
Task<Status> AwaitDurable(storage::Engine& engine, const table::PartitionSet& partitions) {
  const auto list = partitions.list();
  for (const auto& partition : *list) {
    const storage::Mark newest = partition->newest();
    if (newest <= engine.DurableUpTo(partition->handle())) continue;
    Status status = co_await storage::AwaitDurable(engine, partition->handle(), newest);
    if (table::IsOfDead(status)) {
      status = co_await partitions.LookAgain(engine, partition);
      if (status.ok()) co_return Status::Fenced();
    }
    if (!status.ok()) co_return status;
  }
  co_return Status::Ok();
}

// Whoever stores the cursor, in a partition of his own, says with it that the rows are there.
Task<Status> AwaitRowsDurable(storage::Engine& engine, const table::Table& table, const table::TableSchema& schema) {
  Status status = co_await AwaitDurable(engine, table.partitions());
  for (const auto& index : schema.indexes())
    if (status.ok() && index.is_global()) status = co_await AwaitDurable(engine, *index.partitions);
  co_return status;
}
}  // namespace

Task<Result<Portion>> WalkPortion(storage::Engine& engine, TableWalk& walk, size_t most_items,
                                  const NeedsRow& needs_row, const MakeRow& make_row) {
  const auto schema = walk.table->schema();
  const auto partitions = walk.table->partitions().list();
  storage::KeyRange range = table::AllRows(schema->items());
  if (!walk.cursor.empty()) range.begin = walk.cursor;
  table::RowScan rows(walk.table->partitions(), range, {storage::View::kLatest});
  storage::ScanOp& scan = rows.Prepare(most_items, kMaxPortionBytes);
  Status read = co_await storage::Run(engine, scan);
  if (read.code() == StatusCode::kFenced) {
    // The same portion, from whoever has it now.
    if (read = co_await rows.LookAgain(engine); read.ok()) co_return Portion{};
  }
  if (!read.ok()) co_return read;

  Arena arena;
  for (const auto& row : scan.rows) {
    arena.Reset();
    auto decoded = model::DecodeItem(row.value, arena);
    if (!decoded) co_return decoded.error();
    if (!needs_row(decoded->item)) continue;
    const model::Item key = table::RowKeyAttributes(schema->items(), decoded->item, arena);
    auto made = co_await make_row(key, arena);
    if (!made) co_return ToStatus(made.error());
  }
  Status durable = co_await AwaitRowsDurable(engine, *walk.table, *schema);
  // A partition that has died meanwhile may have taken rows with it that were not durable: once more.
  if (durable.code() == StatusCode::kFenced || walk.table->partitions().list() != partitions) co_return Portion{};
  if (!durable.ok()) co_return durable;
  const size_t items = scan.rows.size();
  rows.Advance();
  walk.cursor = rows.range().begin;
  co_return Portion{items, rows.at_end()};
}

Status ToStatus(const model::ApiError& error) { return Status::IoError(error.name + ": " + error.message); }

}  // namespace armature::workers
