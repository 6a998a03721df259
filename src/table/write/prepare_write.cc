// The steps of one write up to its commit, under the item's latch: old image, condition, new image, and what is derived
// from both: rows of indexes or a note of them, expiry rows, the change record, sizes and counts.
#include <algorithm>

#include "expr/apply/evaluate.h"
#include "expr/apply/update.h"
#include "model/codec/item_codec.h"
#include "model/item_size.h"
#include "model/messages/items.h"
#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"
#include "table/storage_errors.h"
#include "table/write/collection_sizes.h"
#include "table/write/write_path.h"

namespace armature::table {

using model::ApiResult;

namespace {

Image ImageOf(bool exists, const model::Item& item) { return exists ? &item : nullptr; }

}  // namespace

WritePath::Changes& WritePath::ChangesOf(const std::shared_ptr<Partition>& partition, AllChanges& all) {
  for (const auto& changes : all)
    if (changes->partition == partition) return *changes;
  return *all.emplace_back(std::make_unique<Changes>(partition));
}

// Rows of local indexes go with their item.
class WritePath::RowBatches final : public IndexBatches {
 public:
  RowBatches(storage::Batch& of_item, AllChanges& of_indexes) : of_item_(of_item), of_indexes_(of_indexes) {}
  storage::Batch& For(const IndexSchema& index, std::string_view row_key,
                      std::shared_ptr<Partition>& partition) override {
    if (!index.is_global()) return of_item_;
    partition = index.partitions->Find(HashOfItemKey(row_key));
    Changes& changes = ChangesOf(partition, of_indexes_);
    changes.partition->CountWrite();
    return changes.batch;
  }

 private:
  storage::Batch& of_item_;
  AllChanges& of_indexes_;
};

// Where rows of global indexes follow, those that may be there, or will, are noted.
class WritePath::NotedRows final : public IndexBatches {
 public:
  explicit NotedRows(storage::Batch& of_item) : of_item_(of_item) {}
  storage::Batch& For(const IndexSchema& index, std::string_view row_key,
                      std::shared_ptr<Partition>& partition) override {
    if (!index.is_global()) return of_item_;
    partition = index.partitions->Find(HashOfItemKey(row_key));
    note_.Add(index.def->id, row_key);
    nobodys_.Clear();
    return nobodys_;
  }
  const IndexNote& note() const { return note_; }

 private:
  storage::Batch& of_item_;
  storage::Batch nobodys_;
  IndexNote note_;
};

void WritePath::PrepareKey(ItemWrite& write) const {
  write.partition_end_ = AppendItemKey(write.table->key_schema(), write.key, write.storage_key_);
}

void WritePath::Route(ItemWrite& write) const {
  write.partition_ = write.table->partitions().Find(HashOfItemKey(write.storage_key_));
  write.stripe_ = write.partition_->latches().StripeOf(write.table->LatchKey(write.storage_key_, write.partition_end_));
}

Task<ApiResult<void>> WritePath::ReadOldImage(ItemWrite& write, Arena& arena) {
  if (const auto* image = write.partition_->images().Find(write.stripe_, write.storage_key_)) {
    write.read_.found = image->exists();
    write.read_.value = image->value();
  } else {
    write.read_.partition = &write.partition_->handle();
    write.read_.key = write.storage_key_;
    write.read_.at.view = storage::View::kLatest;
    engine_.Get(write.read_);
    co_await write.read_.done;
    if (!write.read_.status.ok()) co_return WriteError(*write.table, write.read_.status);
  }
  write.old_exists = write.read_.found;
  if (!write.old_exists) co_return ApiResult<void>{};

  const bool needs_item = write.wants_old_image || write.condition || write.kind == ItemWrite::Kind::kUpdate ||
                          !write.schema->indexes().empty() || !write.schema->expiry_attribute().empty();
  if (needs_item) {
    auto decoded = model::DecodeItem(write.read_.value, arena);
    if (!decoded) co_return WriteError(*write.table, decoded.error());
    write.old_item = decoded->item;
    write.old_size = decoded->item_size;
  } else {
    auto size = model::DecodeItemSize(write.read_.value);
    if (!size) co_return WriteError(*write.table, size.error());
    write.old_size = *size;
  }
  co_return ApiResult<void>{};
}

ApiResult<void> WritePath::MakeNewImage(ItemWrite& write, Arena& arena) const {
  switch (write.kind) {
    case ItemWrite::Kind::kPut:
      write.new_exists = true;
      write.new_item = write.put_item;
      write.new_size = write.put_item_size;
      return {};
    case ItemWrite::Kind::kDelete:
    case ItemWrite::Kind::kCheck: return {};
    case ItemWrite::Kind::kUpdate: break;
  }
  auto updated = expr::ApplyUpdate(*write.update, write.old_item, write.old_exists, write.key, arena);
  if (!updated) return std::move(updated).error();
  write.new_exists = updated->exists;
  if (!write.new_exists) return {};
  write.new_item = updated->item;
  write.new_size = model::ItemSize(write.new_item);
  if (write.new_size > model::kMaxItemBytes)
    return model::ValidationException(std::string(model::messages::kItemToUpdateTooLarge));
  return {};
}

// The write is paid for as if it had been done; where there is no item, it has looked at nothing.
void WritePath::SizeWhatIsRefused(ItemWrite& write, Arena& arena) const {
  if (!write.old_exists) return;
  if (write.kind == ItemWrite::Kind::kPut) write.new_size = write.put_item_size;
  if (write.kind != ItemWrite::Kind::kUpdate) return;
  const auto updated = expr::ApplyUpdate(*write.update, write.old_item, write.old_exists, write.key, arena);
  if (updated && updated->exists) write.new_size = model::ItemSize(updated->item);
}

ApiResult<void> WritePath::CheckNewImage(ItemWrite& write, Arena& arena) const {
  if (!write.new_exists) return {};
  return CheckIndexedItem(*write.schema, ImageOf(write.old_exists, write.old_item), write.new_item, write.new_size,
                          write.kind == ItemWrite::Kind::kUpdate, arena);
}

std::string WritePath::CollectionKey(const ItemWrite& write) const {
  return CollectionSizeKey(std::string_view(write.storage_key_).substr(0, write.partition_end_));
}

Task<ApiResult<WritePath::CollectionSize>> WritePath::CountCollection(ItemWrite& write, CollectionSizes& sizes,
                                                                      Arena& arena) {
  const auto bytes = [&](bool exists, model::Item item, size_t size) -> int64_t {
    return exists ? static_cast<int64_t>(size + LocalEntriesSize(*write.schema, item, arena)) : 0;
  };
  const int64_t delta =
      bytes(write.new_exists, write.new_item, write.new_size) - bytes(write.old_exists, write.old_item, write.old_size);
  CollectionSize collection{CollectionKey(write)};
  ARMATURE_CO_TRY(const uint64_t before,
                  co_await sizes.Read(engine_, write.stripe_, *write.table, *write.partition_, collection.key));
  const int64_t after = std::max<int64_t>(0, static_cast<int64_t>(before) + delta);
  // Shrinking writes pass even when the collection is over the limit.
  if (delta > 0 && static_cast<uint64_t>(after) > options_.max_collection_bytes)
    co_return model::ItemCollectionSizeLimitExceededException(std::string(model::messages::kCollectionTooLarge));
  write.collection_bytes = collection.bytes = static_cast<uint64_t>(after);
  co_return collection;
}

void WritePath::AppendChanges(ItemWrite& write, Arena& arena, Changes& changes, AllChanges& of_indexes) {
  storage::Batch& batch = changes.batch;
  thread_local std::string record;
  record.clear();
  // An item's writes have its order, even where the clock was set back between two runs of the server.
  if (write.old_exists) clock_.Observe(model::StampOf(write.read_.value).write_time);
  const HybridTime now = clock_.Now();
  if (write.new_exists) {
    model::EncodeItem(write.new_item, write.new_size, record, {.write_time = now});
    batch.Put(write.storage_key_, record);
    changes.images.Put(write.stripe_, write.storage_key_, true, record);
  } else if (write.old_exists) {
    batch.Delete(write.storage_key_);
    changes.images.Put(write.stripe_, write.storage_key_, false, {});
  }
  batch.Count(0, static_cast<int64_t>(write.new_exists) - static_cast<int64_t>(write.old_exists),
              static_cast<int64_t>(write.new_size) - static_cast<int64_t>(write.old_size));
  if (!write.schema->indexes().empty()) {
    const Image before = ImageOf(write.old_exists, write.old_item), after = ImageOf(write.new_exists, write.new_item);
    if (is_atomic_) {
      RowBatches batches(batch, of_indexes);
      AppendIndexChanges(*write.schema, before, after, arena, batches, write.index_charges, write.unbuilt_);
    } else {
      NotedRows noted(batch);
      AppendIndexChanges(*write.schema, before, after, arena, noted, write.index_charges, write.unbuilt_);
      AppendNote(write, noted.note(), changes);
    }
  }
  if (!write.schema->expiry_attribute().empty()) {
    const auto put = AppendExpiryChanges(*write.schema, write.storage_key_, ImageOf(write.old_exists, write.old_item),
                                         ImageOf(write.new_exists, write.new_item), batch);
    write.new_expiry_ = put.value_or(INT64_MAX);
  }
  if (write.table->journal().is_followed()) {
    const std::string_view old_record = write.old_exists ? std::string_view(write.read_.value) : std::string_view();
    changes.records.Add(*write.table, {write.key, old_record, record, write.by_ttl}, HybridClock::MillisOf(now), batch);
  }
}

// Together with what an earlier write has noted.
void WritePath::AppendNote(ItemWrite& write, const IndexNote& note, Changes& changes) const {
  if (note.rows.empty()) return;
  const std::string key = InSpace(Space::kIndexNotes, write.storage_key_);
  IndexNote all;
  if (const auto earlier = write.partition_->notes().Find(key)) {
    if (auto decoded = IndexNote::Decode(earlier->value)) all = std::move(*decoded);
  }
  all.partition_end = static_cast<uint32_t>(write.partition_end_);
  for (const auto& row : note.rows) all.Add(row.index_id, row.key);
  const std::string value = all.Encode();
  if (!changes.pending) changes.pending = std::make_unique<Partition::Pending>();
  changes.pending->notes.Add(key, value);
  changes.batch.Put(key, value);
}

Task<ApiResult<bool>> WritePath::HasRow(const ItemWrite& write, const IndexSchema& index, std::string_view row_key) {
  const storage::ReadAt latest{storage::View::kLatest};
  for (;;) {
    const auto partition = index.partitions->Find(HashOfItemKey(row_key));
    const auto stored = co_await storage::GetValue(engine_, partition->handle(), row_key, latest);
    if (stored) co_return stored->has_value();
    if (stored.error().code() == StatusCode::kNotFound) co_return false;  // the index is gone: the commit will tell
    if (stored.error().code() != StatusCode::kFenced) co_return WriteError(*write.table, stored.error());
    const Status found = co_await index.partitions->LookAgain(engine_, partition);
    if (!found.ok()) co_return WriteError(*write.table, found);
  }
}

// While an index is being built, whether it has the row of an item that changes must be looked up: or else its rows
// would be counted wrong. The item's latch keeps the answer true.
Task<ApiResult<void>> WritePath::FindUnbuiltRows(ItemWrite& write) {
  write.unbuilt_.clear();
  for (const auto& index : write.schema->indexes()) {
    if (index.def->status != model::ResourceStatus::kCreating || !table::HasRow(index.keyspace, write.old_item))
      continue;
    std::string row_key;
    AppendRowKey(index.keyspace, write.old_item, row_key);
    ARMATURE_CO_TRY(const bool is_built, co_await HasRow(write, index, row_key));
    if (!is_built) write.unbuilt_.push_back(&index);
  }
  co_return ApiResult<void>{};
}

Task<ApiResult<void>> WritePath::Prepare(ItemWrite& write, CollectionSizes& sizes, Arena& arena, Changes& changes,
                                         AllChanges& of_indexes) {
  // Under the latch, so that whoever changes the definition can wait for writes under the old one.
  write.schema = write.table->schema();
  ARMATURE_CO_CHECK_OK(co_await ReadOldImage(write, arena));
  if (write.condition) {
    const expr::ConditionNode& condition = *write.condition->root;
    if (expr::MayTakeLong(condition, write.old_size))
      write.condition_held = co_await expr::EvaluateInTurns(condition, write.old_item);
    else write.condition_held = expr::Evaluate(condition, write.old_item);
  }
  // Expired is what the table's TTL says now, not when the item was found.
  if (write.by_ttl && !write.schema->has_all_expiry_rows()) write.condition_held = false;
  if (!write.condition_held) SizeWhatIsRefused(write, arena);
  if (!write.condition_held || write.kind == ItemWrite::Kind::kCheck) co_return ApiResult<void>{};
  ARMATURE_CO_CHECK_OK(MakeNewImage(write, arena));
  ARMATURE_CO_CHECK_OK(CheckNewImage(write, arena));
  CollectionSize collection;
  if (write.table->has_local_indexes()) { ARMATURE_CO_TRY(collection, co_await CountCollection(write, sizes, arena)); }
  if (is_atomic_ && write.old_exists && write.schema->has_unbuilt_indexes())
    ARMATURE_CO_CHECK_OK(co_await FindUnbuiltRows(write));
  if (!write.schema->indexes().empty()) ARMATURE_CO_CHECK_OK(AdmitIndexes(write));
  // Nothing fails from here on: what goes into the batch goes in as a whole.
  if (write.table->has_local_indexes()) sizes.Set(collection, write.stripe_, *write.table, changes);
  AppendChanges(write, arena, changes, of_indexes);
  if (!write.index_charges.empty()) PayIndexes(write);
  co_return ApiResult<void>{};
}

}  // namespace armature::table
