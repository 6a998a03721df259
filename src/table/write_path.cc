#include "table/write_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "expr/evaluate.h"
#include "expr/update.h"
#include "model/item_codec.h"
#include "model/item_size.h"
#include "model/messages.h"
#include "table/key_layout.h"

namespace armature::table {

using model::ApiResult;

namespace {

// What UpdateItem measures is not quite the item: AWS adds bookkeeping per action to the attributes without the key
// (measured against AWS, facts 3.5), so an update near the limit fails a few bytes earlier than a put.
size_t MeasuredUpdateSize(size_t item_size, model::Item key, const expr::BoundUpdate& update) {
  const size_t bookkeeping = 3 + 19 * update.value_writing_actions + 2 * update.removing_actions;
  return std::max(item_size, item_size - model::ItemSize(key) + bookkeeping);
}

model::ApiError StorageError(const Table& table, const Status& status) {
  // The partition went with its table while the request was under way.
  if (status.code() == StatusCode::kNotFound)
    return model::ResourceNotFoundException(std::string(model::messages::kResourceNotFound));
  LogError("table {}: write failed: {}", table.def()->name, status.ToString());
  return model::FromStatus(status);
}

}  // namespace

Task<ApiResult<void>> WritePath::Execute(ItemWrite& write, Arena& arena) {
  Table& table = *write.table;
  AppendItemKey(table.prefix(), table.key_schema(), write.key, write.storage_key_);
  storage::Sequence sequence = 0;
  ApiResult<void> made;
  {
    const auto guard = co_await latches_.Lock(write.storage_key_);
    write.read_.partition = table.partition();
    write.read_.key = write.storage_key_;
    write.read_.at.view = storage::View::kLatest;
    engine_.Get(write.read_);
    co_await write.read_.done;
    if (!write.read_.status.ok()) co_return StorageError(table, write.read_.status);
    ARMATURE_CO_CHECK_OK(DecodeOldImage(write, arena));

    write.condition_held = !write.condition || expr::Evaluate(*write.condition, write.old_item);
    if (write.condition_held) made = MakeNewImage(write, arena);
    if (write.condition_held && made) ARMATURE_CO_CHECK_OK(co_await CommitNewImage(write, &sequence));
  }
  // Nothing was written, but the reply (a failed condition, an update that does not fit the item) tells something of the
  // latest state: it must not be of a kind a crash takes back.
  if (sequence == 0) sequence = last_committed_.load(std::memory_order_acquire);
  ARMATURE_CO_CHECK_OK(co_await AwaitDurable(sequence));
  co_return made;
}

ApiResult<void> WritePath::DecodeOldImage(ItemWrite& write, Arena& arena) const {
  write.old_exists = write.read_.found;
  if (!write.old_exists) return {};
  const bool needs_item = write.wants_old_image || write.condition || write.kind == ItemWrite::Kind::kUpdate;
  if (needs_item) {
    auto decoded = model::DecodeItem(write.read_.value, arena);
    if (!decoded) return StorageError(*write.table, decoded.error());
    write.old_item = decoded->item;
    write.old_size = decoded->item_size;
  } else {
    auto size = model::DecodeItemSize(write.read_.value);
    if (!size) return StorageError(*write.table, size.error());
    write.old_size = *size;
  }
  return {};
}

ApiResult<void> WritePath::MakeNewImage(ItemWrite& write, Arena& arena) const {
  switch (write.kind) {
    case ItemWrite::Kind::kPut:
      write.new_exists = true;
      write.new_item = write.put_item;
      write.new_size = write.put_item_size;
      return {};
    case ItemWrite::Kind::kDelete:
      return {};
    case ItemWrite::Kind::kUpdate:
      break;
  }
  auto updated = expr::ApplyUpdate(*write.update, write.old_item, write.old_exists, write.key, arena);
  if (!updated) return std::move(updated).error();
  write.new_exists = updated->exists;
  if (!write.new_exists) return {};
  write.new_item = updated->item;
  write.new_size = model::ItemSize(write.new_item);
  if (MeasuredUpdateSize(write.new_size, write.key, *write.update) > model::kMaxItemBytes)
    return model::ValidationException(std::string(model::messages::kItemToUpdateTooLarge));
  return {};
}

Task<ApiResult<void>> WritePath::CommitNewImage(ItemWrite& write, storage::Sequence* sequence) {
  storage::Batch batch;
  if (write.new_exists) {
    model::EncodeItem(write.new_item, write.new_size, write.record_);
    batch.Put(write.storage_key_, write.record_);
  } else if (write.old_exists) {
    batch.Delete(write.storage_key_);
  } else {
    co_return ApiResult<void>{};  // deleting what is not there changes nothing
  }
  storage::CommitOp commit;
  commit.partition = write.table->partition();
  commit.epoch = write.table->epoch();
  commit.batch = &batch;
  engine_.Commit(commit);
  co_await commit.done;
  if (!commit.status.ok()) co_return StorageError(*write.table, commit.status);
  *sequence = commit.sequence;
  storage::Sequence seen = last_committed_.load(std::memory_order_relaxed);
  while (seen < commit.sequence && !last_committed_.compare_exchange_weak(seen, commit.sequence, std::memory_order_acq_rel)) {
  }
  CountChange(write);
  co_return ApiResult<void>{};
}

void WritePath::CountChange(ItemWrite& write) const {
  TableStats& stats = write.table->stats();
  const int64_t items = static_cast<int64_t>(write.new_exists) - static_cast<int64_t>(write.old_exists);
  const int64_t bytes = static_cast<int64_t>(write.new_size) - static_cast<int64_t>(write.old_size);
  if (items == 0 && bytes == 0) return;
  // Sequentially consistent: who sees the mark already set has counted before PersistStats clears it and looks.
  stats.item_count.fetch_add(items);
  stats.size_bytes.fetch_add(bytes);
  if (!stats.is_dirty.load()) stats.is_dirty.store(true);
}

Task<ApiResult<void>> WritePath::AwaitDurable(storage::Sequence sequence) {
  if (sequence <= engine_.DurableUpTo()) co_return ApiResult<void>{};
  storage::DurableOp durable;
  durable.sequence = sequence;
  engine_.WhenDurable(durable);
  co_await durable.done;
  if (durable.status.ok()) co_return ApiResult<void>{};
  LogError("a write could not be made durable: {}", durable.status.ToString());
  co_return model::FromStatus(durable.status);
}

}  // namespace armature::table
