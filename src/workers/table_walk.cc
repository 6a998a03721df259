#include "workers/table_walk.h"

#include "model/codec/item_codec.h"
#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"

namespace armature::workers {

namespace {
constexpr size_t kMaxPortionBytes = 1024 * 1024;
}  // namespace

Task<Result<Portion>> WalkPortion(storage::Engine& engine, TableWalk& walk, size_t most_items,
                                  const NeedsRow& needs_row, const MakeRow& make_row) {
  const auto schema = walk.table->schema();
  const storage::KeyRange range = table::AllRows(schema->items());
  storage::ScanOp scan;
  scan.partition = &walk.table->partition().handle();
  scan.begin = walk.cursor.empty() ? range.begin : walk.cursor;
  scan.end = range.end;
  scan.limit_rows = most_items;
  scan.limit_bytes = kMaxPortionBytes;
  scan.at.view = storage::View::kLatest;
  if (Status status = co_await storage::Run(engine, scan); !status.ok()) co_return status;

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
  if (!scan.rows.empty()) walk.cursor = std::string(scan.rows.back().key) + '\0';
  co_return Portion{scan.rows.size(), !scan.has_more};
}

Status ToStatus(const model::ApiError& error) { return Status::IoError(error.name + ": " + error.message); }

}  // namespace armature::workers
