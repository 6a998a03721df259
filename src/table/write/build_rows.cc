// Rows of items that were there before what wants them: of an index that is being built, of Time to Live that is turned
// on. Made under the item's latch, so that whoever writes the item meanwhile comes before or after.
#include <algorithm>
#include <optional>

#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"
#include "table/storage_errors.h"
#include "table/write/write_path.h"

namespace armature::table {

using model::ApiResult;

namespace {

constexpr storage::ReadAt kLatest{storage::View::kLatest};

}  // namespace

Task<WritePath::Tried> WritePath::TryBuildRow(ItemWrite& write, bool must_look, const AppendRow& append, bool& is_put,
                                              Arena& arena) {
  Route(write);
  Tried tried;
  Partition& partition = *write.partition_;
  const auto guard = co_await partition.latches().LockStripe(write.stripe_);
  if (MeetsIntent(write, tried)) co_return tried;
  write.schema = write.table->schema();
  auto read = co_await ReadOldImage(write, arena);
  if (!read) write.failure = std::move(read).error();
  if (!partition.handle().is_alive()) tried.status = Status::Fenced();
  if (!tried.status.ok() || write.failure || !write.old_exists) co_return tried;
  storage::Batch batch;
  const std::shared_ptr<Partition> target = append(write, batch);
  if (!target) co_return tried;
  if (must_look) {
    std::string row_key;
    batch.ForEach([&](storage::Batch::Kind, std::string_view row, std::string_view) { row_key = row; });
    const auto stored = co_await storage::GetValue(engine_, target->handle(), row_key, kLatest);
    if (!stored) tried.status = stored.error();
    if (!stored || *stored) co_return tried;
  }
  is_put = true;
  storage::CommitOp commit;
  commit.partition = &target->handle();
  commit.batch = &batch;
  tried.status = co_await storage::Run(engine_, commit);
  tried.sequence = commit.sequence;
  if (tried.status.ok()) target->NoteCommitted(commit.mark);
  co_return tried;
}

Task<ApiResult<bool>> WritePath::BuildRow(Table& table, model::Item key, bool must_look, const AppendRow& append,
                                          Arena& arena) {
  ItemWrite write;
  write.table = &table;
  write.key = key;
  write.kind = ItemWrite::Kind::kCheck;
  write.wants_old_image = true;
  PrepareKey(write);
  ItemWrite* const writes[] = {&write};
  bool is_put = false;
  for (int busy_tries = 0;;) {
    is_put = false;
    const Tried tried = co_await TryBuildRow(write, must_look, append, is_put, arena);
    if (tried.is_settled()) break;
    ARMATURE_CO_TRY(const bool is_done, co_await AfterTry(writes, tried, busy_tries));
    if (is_done) break;
  }
  if (write.failure) co_return std::move(*write.failure);
  co_return is_put;
}

// A write since the index was announced has put the row already, and counted it.
Task<ApiResult<void>> WritePath::BuildIndexRow(Table& table, uint32_t index_id, model::Item key, Arena& arena) {
  if (!is_atomic_) {
    std::string item_key;
    AppendItemKey(table.key_schema(), key, item_key);
    const Status status = co_await follower_.FollowItem(table, item_key);
    if (!status.ok()) co_return WriteError(table, status);
    co_return ApiResult<void>{};
  }
  IndexCharge charge;
  std::shared_ptr<Partition> target;
  const AppendRow append = [&](const ItemWrite& write, storage::Batch& batch) -> std::shared_ptr<Partition> {
    const auto& indexes = write.schema->indexes();
    const auto index =
        std::find_if(indexes.begin(), indexes.end(), [&](const auto& i) { return i.def->id == index_id; });
    if (index == indexes.end()) return nullptr;
    if (!AppendIndexEntry(*index, write.old_item, arena, batch, charge)) return nullptr;
    std::string row_key;
    AppendRowKey(index->keyspace, write.old_item, row_key);
    return target = index->partitions->Find(HashOfItemKey(row_key));
  };
  ARMATURE_CO_TRY(const bool is_put, co_await BuildRow(table, key, true, append, arena));
  if (is_put) target->meter().AddBackgroundWrite(charge.write_units);
  co_return ApiResult<void>{};
}

Task<ApiResult<void>> WritePath::BuildExpiryRow(Table& table, model::Item key, Arena& arena) {
  std::optional<int64_t> put;
  const AppendRow append = [&](const ItemWrite& write, storage::Batch& batch) -> std::shared_ptr<Partition> {
    if (write.schema->expiry_attribute().empty()) return nullptr;
    put = AppendExpiryChanges(*write.schema, write.storage_key_, nullptr, &write.old_item, batch);
    return put ? write.partition_ : nullptr;
  };
  // Where a partition that dies takes rows of a portion with it, the portion is made once more: only what is missing.
  ARMATURE_CO_TRY(const bool is_put, co_await BuildRow(table, key, /*must_look=*/!is_atomic_, append, arena));
  if (is_put) table.NoteExpiry(*put);
  co_return ApiResult<void>{};
}

// Whoever comes to a partition that takes the place of another comes under the newer definition.
Task<void> WritePath::AwaitEarlierWrites(Table& table) { return AwaitLatchHolders(table.partitions()); }

}  // namespace armature::table
