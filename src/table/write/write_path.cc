#include "table/write/write_path.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/tasks/work_meter.h"
#include "expr/apply/evaluate.h"
#include "expr/apply/update.h"
#include "model/codec/item_codec.h"
#include "model/item_size.h"
#include "model/messages/items.h"
#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"
#include "table/storage_errors.h"
#include "table/txn/intent.h"
#include "table/write/collection_sizes.h"

namespace armature::table {

using model::ApiResult;
using storage::Mark;

namespace {

constexpr storage::ReadAt kLatest{storage::View::kLatest};

// Of a commit that was refused. If what was dropped is none of the partitions of the items, it went with its index, and
// the write with the definition that had it: it is done again under the newer one.
Status Refused(Status status, bool are_items_there) {
  if (status.code() == StatusCode::kNotFound && are_items_there) return Status::Fenced();
  return status;
}

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

// --- the steps of one write

void WritePath::PrepareKey(ItemWrite& write) const {
  write.partition_end_ = AppendItemKey(write.table->key_schema(), write.key, write.storage_key_);
}

void WritePath::Route(ItemWrite& write) const {
  write.partition_ = write.table->partitions().Find(HashOfItemKey(write.storage_key_));
  write.stripe_ = write.partition_->latches().StripeOf(write.table->LatchKey(write.storage_key_, write.partition_end_));
}

Task<ApiResult<void>> WritePath::ReadOldImage(ItemWrite& write, Arena& arena) {
  if (const auto* image = write.partition_->images().Find(write.stripe_, write.storage_key_)) {
    write.read_.found = image->exists;
    write.read_.value = image->value;
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
  changes.batch.Put(key, all.Encode());
  changes.has_note = true;
}

Task<ApiResult<bool>> WritePath::HasRow(const ItemWrite& write, const IndexSchema& index, std::string_view row_key) {
  for (;;) {
    const auto partition = index.partitions->Find(HashOfItemKey(row_key));
    const auto stored = co_await storage::GetValue(engine_, partition->handle(), row_key, kLatest);
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
  if (!write.condition_held || write.kind == ItemWrite::Kind::kCheck) co_return ApiResult<void>{};
  ARMATURE_CO_CHECK_OK(MakeNewImage(write, arena));
  ARMATURE_CO_CHECK_OK(CheckNewImage(write, arena));
  CollectionSize collection;
  if (write.table->has_local_indexes()) { ARMATURE_CO_TRY(collection, co_await CountCollection(write, sizes, arena)); }
  if (is_atomic_ && write.old_exists && write.schema->has_unbuilt_indexes())
    ARMATURE_CO_CHECK_OK(co_await FindUnbuiltRows(write));
  // Nothing fails from here on: what goes into the batch goes in as a whole.
  if (write.table->has_local_indexes()) sizes.Set(collection, write.stripe_, *write.table, changes);
  AppendChanges(write, arena, changes, of_indexes);
  co_return ApiResult<void>{};
}

// --- committing

void WritePath::CountChange(ItemWrite& write) const {
  if (write.kind == ItemWrite::Kind::kCheck) return;
  write.partition_->CountWrite();
  if (write.new_expiry_ != INT64_MAX) write.table->NoteExpiry(write.new_expiry_);
}

Task<Status> WritePath::AwaitDurable(const Partition& partition, Mark mark) {
  if (mark <= engine_.DurableUpTo(partition.handle())) co_return Status::Ok();
  co_return co_await storage::AwaitDurable(engine_, partition.handle(), mark);
}

// Whether they were written or only looked at: what is told of them is durable.
Task<Status> WritePath::AwaitAllDurable(Writes writes) {
  std::vector<const Partition*> seen;
  for (const ItemWrite* write : writes) {
    const Partition* const partition = write->partition_.get();
    if (std::find(seen.begin(), seen.end(), partition) != seen.end()) continue;
    seen.push_back(partition);
    Status status = co_await AwaitDurable(*partition, partition->newest());
    if (!status.ok()) co_return status;
  }
  co_return Status::Ok();
}

// --- partitions that have died

void ItemWrite::ForgetTry() {
  condition_held = true;
  failure.reset();
  old_exists = new_exists = false;
  old_item = new_item = {};
  old_size = new_size = 0;
  index_charges.clear();
  collection_bytes = 0;
  new_expiry_ = INT64_MAX;
  unbuilt_.clear();
  read_.done.Rearm();
}

Task<ApiResult<bool>> WritePath::AfterTry(Writes writes, const Tried& tried, int& busy_tries) {
  const Table& table = *writes.front()->table;
  for (const Met& met : tried.met) {
    const Status resolved = co_await ResolveMet(met);
    if (!resolved.ok()) co_return WriteError(table, resolved);
  }
  bool is_done = false;
  if (IsOfDead(tried.status)) {
    const auto partition = writes.front()->partition_;
    const Status found = co_await LookAgain(writes);
    if (!found.ok()) co_return WriteError(table, found);
    is_done = partition->WasDone(tried.sequence);
  } else if (!tried.status.ok()) {
    const bool is_worth = tried.status.code() == StatusCode::kBusy && ++busy_tries < kBusyTries;
    if (!is_worth) co_return WriteError(table, tried.status);
  }
  for (ItemWrite* write : writes) {
    if (is_done) CountChange(*write);
    else write->ForgetTry();
  }
  co_return is_done;
}

Task<Status> WritePath::LookAgain(Writes writes) {
  for (ItemWrite* write : writes) {
    if (!write->partition_->handle().is_alive()) {
      Status status = co_await write->table->partitions().LookAgain(engine_, write->partition_);
      if (!status.ok()) co_return status;
    }
    if (!is_atomic_ || !write->schema) continue;
    const Status status = co_await LookForIndexes(*write->schema);
    if (status.code() == StatusCode::kNotFound) {
      // One that is gone went with its index: the next try is made under a newer definition.
      if (write->table->schema() == write->schema) co_return Status::Corruption("an index has lost its partition");
    } else if (!status.ok()) {
      co_return status;
    }
  }
  co_return Status::Ok();
}

Task<Status> WritePath::LookForIndexes(const TableSchema& schema) {
  for (const IndexSchema& index : schema.indexes()) {
    if (!index.is_global()) continue;
    const auto partitions = index.partitions->list();
    for (const auto& partition : *partitions) {
      if (partition->handle().is_alive()) continue;
      if (Status status = co_await index.partitions->LookAgain(engine_, partition); !status.ok()) co_return status;
    }
  }
  co_return Status::Ok();
}

Task<ApiResult<void>> WritePath::AwaitIndexes(Writes writes) {
  if (is_atomic_) co_return ApiResult<void>{};
  for (const ItemWrite* write : writes) {
    const auto partition = write->table->partitions().Find(HashOfItemKey(write->storage_key_));
    if (partition->notes().size() < kMostIndexNotes) continue;
    const Status status = co_await follower_.CatchUp(*write->table);
    if (!status.ok()) co_return WriteError(*write->table, status);
  }
  co_return ApiResult<void>{};
}

// --- meeting transactions

bool WritePath::MeetsIntent(const ItemWrite& write, Tried& tried) const {
  PendingRows& intents = write.partition_->intents();
  if (intents.empty()) return false;
  // What shares a latch is kept from changing together.
  const std::string_view latched = write.table->LatchKey(write.storage_key_, write.partition_end_);
  const size_t met_before = tried.met.size();
  for (const auto& row : intents.FindPrefix(InSpace(Space::kIntents, latched))) {
    if (!write.table->has_local_indexes() && row.key.size() != latched.size()) continue;
    tried.met.push_back({write.table, InSpace(Space::kItems, row.key), std::string(TransactionOfIntent(row.value))});
  }
  return tried.met.size() != met_before;
}

bool WritePath::MeetsIntents(Writes writes, Tried& tried) const {
  for (const ItemWrite* write : writes) MeetsIntent(*write, tried);
  return !tried.met.empty();
}

bool WritePath::MustRefuse(const ItemWrite& write) const {
  return options_.conflicts == TransactionConflicts::kFail &&
         active_.IsTaken(ActiveTransactions::ItemName(write.table->id(), write.storage_key_));
}

// --- one write

Task<Status> WritePath::CommitOne(Changes& changes, Tried& tried) {
  storage::CommitOp commit;
  commit.partition = &changes.partition->handle();
  commit.batch = &changes.batch;
  Status status = co_await storage::Run(engine_, commit);
  tried.sequence = commit.sequence;
  tried.mark = commit.mark;
  if (status.ok()) changes.Settle(commit.mark, commit.sequence);
  co_return status;
}

// Leaves the write committed but perhaps not durable, with the mark to wait for before anything of it is told.
Task<WritePath::Tried> WritePath::TryOne(ItemWrite& write, Arena& arena) {
  Route(write);
  Tried tried;
  CollectionSizes sizes;
  Partition& partition = *write.partition_;
  const auto guard = co_await partition.latches().LockStripe(write.stripe_);
  if (MeetsIntent(write, tried)) co_return tried;
  Changes changes(write.partition_);
  AllChanges of_indexes;
  auto prepared = co_await Prepare(write, sizes, arena, changes, of_indexes);
  if (!prepared) write.failure = std::move(prepared).error();
  // Nothing is written, but the reply (a failed condition, an update that does not fit the item) tells something of the
  // latest state: it must not be of a kind a crash takes back, and not of a partition that somebody else has by now.
  if (write.failure || changes.batch.empty()) {
    if (!partition.handle().is_alive()) tried.status = Status::Fenced();
    tried.mark = partition.newest();
    co_return tried;
  }
  if (of_indexes.empty()) {
    tried.status = co_await CommitOne(changes, tried);
  } else {
    std::vector<storage::CommitManyOp::Part> parts{{&partition.handle(), &changes.batch}};
    for (const auto& of_index : of_indexes) parts.push_back({&of_index->partition->handle(), &of_index->batch});
    const auto committed = co_await storage::CommitParts(engine_, parts);
    if (committed) {
      tried.mark = *committed;
      changes.Settle(tried.mark, parts.front().sequence);
      for (size_t i = 0; i < of_indexes.size(); ++i) of_indexes[i]->Settle(tried.mark, parts[i + 1].sequence);
    } else {
      tried.status = Refused(committed.error(), partition.handle().is_alive());
    }
  }
  if (tried.status.ok()) CountChange(write);
  co_return tried;
}

Task<ApiResult<void>> WritePath::Execute(ItemWrite& write, Arena& arena) {
  PrepareKey(write);
  if (MustRefuse(write)) {
    Route(write);
    Charge(write);
    co_return model::TransactionConflictException();
  }
  ItemWrite* const writes[] = {&write};
  for (int busy_tries = 0;;) {
    if (!is_atomic_) ARMATURE_CO_CHECK_OK(co_await AwaitIndexes(writes));
    Tried tried = co_await TryOne(write, arena);
    if (tried.is_settled()) tried.status = co_await AwaitDurable(*write.partition_, tried.mark);
    if (tried.is_settled()) break;
    ARMATURE_CO_TRY(const bool is_done, co_await AfterTry(writes, tried, busy_tries));
    if (is_done) break;
  }
  Charge(write);
  if (write.failure) co_return std::move(*write.failure);
  co_return ApiResult<void>{};
}

// --- several writes

// The latches of all the writes, held until the commit: that is what makes a transaction one point in time. A batch
// does not need to be one, but one commit of all its changes is much cheaper than one for each.
Task<std::vector<LatchTable::Guard>> WritePath::LockAll(Writes writes) {
  // By partition, then by stripe: the order in which everybody takes them.
  struct Latch {
    storage::PartitionId id = 0;
    size_t stripe = 0;
    LatchTable* table = nullptr;
    auto operator<=>(const Latch&) const = default;
  };
  std::vector<Latch> latches;
  latches.reserve(writes.size());
  for (ItemWrite* write : writes) {
    Route(*write);
    latches.push_back({write->partition_->id(), write->stripe_, &write->partition_->latches()});
  }
  std::sort(latches.begin(), latches.end());
  latches.erase(std::unique(latches.begin(), latches.end()), latches.end());
  std::vector<LatchTable::Guard> guards;
  guards.reserve(latches.size());
  for (const Latch& latch : latches) {
    auto guard = co_await latch.table->LockStripe(latch.stripe);
    guards.push_back(std::move(guard));
  }
  co_return guards;
}

bool WritePath::AreAlive(Writes writes) {
  return std::all_of(writes.begin(), writes.end(),
                     [](const ItemWrite* write) { return write->partition_->handle().is_alive(); });
}

// Leaves in each write what became of it; its changes are in the batch of its partition if it can be done.
Task<void> WritePath::PrepareAll(Writes writes, AllChanges& changes, Arena& arena) {
  CollectionSizes sizes;
  for (ItemWrite* write : writes) {
    auto prepared = co_await Prepare(*write, sizes, arena, ChangesOf(write->partition_, changes), changes);
    if (!prepared) write->failure = std::move(prepared).error();
    co_await YieldIfDue();
  }
}

// All at once: one commit is much cheaper than one for each partition.
Task<Status> WritePath::CommitAll(AllChanges& changes, const storage::Batch* system_changes) {
  std::vector<storage::CommitManyOp::Part> parts;
  for (const auto& of_partition : changes) {
    if (!of_partition->partition->handle().is_alive()) co_return Status::Fenced();
    if (!of_partition->batch.empty()) parts.push_back({&of_partition->partition->handle(), &of_partition->batch});
  }
  if (system_changes) parts.push_back({&engine_.system(), system_changes});
  if (parts.empty()) co_return Status::Ok();
  const auto committed = co_await storage::CommitParts(engine_, parts);
  if (!committed) co_return committed.error();
  auto part = parts.begin();
  for (const auto& of_partition : changes)
    if (!of_partition->batch.empty()) of_partition->Settle(*committed, (part++)->sequence);
  co_return Status::Ok();
}

// Of any partitions where the engine commits to several at once, else of one.
Task<WritePath::Tried> WritePath::TryBatch(Writes writes, Arena& arena) {
  Tried tried;
  const auto guards = co_await LockAll(writes);
  if (MeetsIntents(writes, tried)) co_return tried;
  AllChanges changes;
  co_await PrepareAll(writes, changes, arena);
  if (is_atomic_) {
    Status committed = co_await CommitAll(changes, nullptr);
    tried.status = Refused(std::move(committed), AreAlive(writes));
  } else if (!AreAlive(writes)) {
    tried.status = Status::Fenced();
  } else if (!changes.front()->batch.empty()) {
    tried.status = co_await CommitOne(*changes.front(), tried);
  }
  if (!tried.status.ok()) co_return tried;
  for (ItemWrite* write : writes)
    if (!write->failure && write->condition_held) CountChange(*write);
  co_return tried;
}

Task<ApiResult<void>> WritePath::ExecuteBatch(std::span<ItemWrite> writes, Arena& arena) {
  if (writes.empty()) co_return ApiResult<void>{};
  std::vector<ItemWrite*> left;
  for (ItemWrite& write : writes) {
    PrepareKey(write);
    if (!MustRefuse(write)) {
      left.push_back(&write);
      continue;
    }
    Route(write);
    write.failure = model::TransactionConflictException();
  }
  for (int busy_tries = 0; !left.empty();) {
    ARMATURE_CO_CHECK_OK(co_await AwaitIndexes(left));
    // One commit for all of them, or for those of each partition: the order is kept, so that a run repeats itself.
    std::vector<std::vector<ItemWrite*>> groups;
    if (is_atomic_) groups.push_back(left);
    else groups = ByPartition(left);
    std::vector<Tried> tries;
    for (const auto& group : groups) {
      auto tried = co_await TryBatch(group, arena);
      tries.push_back(std::move(tried));
    }
    left.clear();
    for (size_t i = 0; i < groups.size(); ++i) {
      const auto& group = groups[i];
      Tried& tried = tries[i];
      if (tried.is_settled()) tried.status = co_await AwaitAllDurable(group);
      if (tried.is_settled()) continue;
      const auto is_done = co_await AfterTry(group, tried, busy_tries);
      if (is_done && !*is_done) left.insert(left.end(), group.begin(), group.end());
      if (is_done) continue;
      for (ItemWrite* write : group)
        if (!write->failure && write->condition_held) write->failure = is_done.error();
    }
  }
  for (ItemWrite& write : writes) Charge(write);
  const auto has_failed = [](const ItemWrite& write) { return write.failure.has_value(); };
  if (std::all_of(writes.begin(), writes.end(), has_failed)) co_return *writes.front().failure;
  co_return ApiResult<void>{};
}

std::vector<std::vector<ItemWrite*>> WritePath::ByPartition(Writes writes) const {
  std::vector<std::vector<ItemWrite*>> groups;
  for (ItemWrite* write : writes) {
    Route(*write);
    const auto has_it = [&](const auto& group) { return group.front()->partition_ == write->partition_; };
    auto group = std::find_if(groups.begin(), groups.end(), has_it);
    if (group == groups.end()) group = groups.emplace(group);
    group->push_back(write);
  }
  return groups;
}

Task<WritePath::Tried> WritePath::TryTransaction(Writes writes, const storage::Batch* system_changes, Arena& arena) {
  Tried tried;
  const auto guards = co_await LockAll(writes);
  if (MeetsIntents(writes, tried)) co_return tried;
  AllChanges changes;
  co_await PrepareAll(writes, changes, arena);
  tried.is_cancelled = std::any_of(writes.begin(), writes.end(),
                                   [](const ItemWrite* write) { return write->failure || !write->condition_held; });
  if (tried.is_cancelled) {
    // Unless this is of a partition that somebody else has by now.
    if (!AreAlive(writes)) tried.status = Status::Fenced();
    co_return tried;
  }
  Status committed = co_await CommitAll(changes, system_changes);
  tried.status = Refused(std::move(committed), AreAlive(writes));
  if (!tried.status.ok()) co_return tried;
  for (ItemWrite* write : writes) CountChange(*write);
  co_return tried;
}

Task<ApiResult<bool>> WritePath::ExecuteTransaction(std::span<ItemWrite> writes, const storage::Batch* system_changes,
                                                    Arena& arena) {
  std::vector<ItemWrite*> all;
  for (ItemWrite& write : writes) {
    PrepareKey(write);
    all.push_back(&write);
  }
  std::optional<ActiveTransactions::Running> running;
  if (options_.conflicts == TransactionConflicts::kFail) {
    std::vector<std::string> items;
    for (const ItemWrite& write : writes)
      items.push_back(ActiveTransactions::ItemName(write.table->id(), write.storage_key_));
    size_t taken = 0;
    running = active_.TakeItems(std::move(items), &taken);
    if (!running) {
      writes[taken].meets_transaction = true;
      co_return false;
    }
  }
  for (int busy_tries = 0;;) {
    ARMATURE_CO_CHECK_OK(co_await AwaitIndexes(all));
    Tried tried;
    if (is_atomic_) tried = co_await TryTransaction(all, system_changes, arena);
    else tried = co_await TryIntents(all, system_changes, arena);
    // What intents have done is durable, perhaps by way of other partitions than these.
    const bool must_wait = is_atomic_ || tried.is_cancelled;
    if (tried.is_settled() && must_wait) tried.status = co_await AwaitAllDurable(all);
    if (tried.is_settled()) {
      ChargeTransaction(writes, !tried.is_cancelled);
      co_return !tried.is_cancelled;
    }
    ARMATURE_CO_TRY(const bool is_done, co_await AfterTry(all, tried, busy_tries));
    if (!is_done) continue;
    ChargeTransaction(writes, true);
    co_return true;
  }
}

Task<ApiResult<bool>> WritePath::ReadTogether(std::span<ItemWrite> reads, Arena& arena) {
  std::vector<ItemWrite*> all;
  for (ItemWrite& read : reads) {
    PrepareKey(read);
    read.meets_transaction = MustRefuse(read);
    if (read.meets_transaction) co_return false;
    all.push_back(&read);
  }
  for (int busy_tries = 0;;) {
    Tried tried;
    {
      const auto guards = co_await LockAll(all);
      if (!MeetsIntents(all, tried)) {
        AllChanges nothing;
        co_await PrepareAll(all, nothing, arena);
        if (!AreAlive(all)) tried.status = Status::Fenced();
      }
    }
    if (tried.is_settled()) tried.status = co_await AwaitAllDurable(all);
    if (tried.is_settled()) break;
    ARMATURE_CO_CHECK_OK(co_await AfterTry(all, tried, busy_tries));
  }
  for (ItemWrite& read : reads)
    if (read.failure) co_return std::move(*read.failure);
  ChargeReads(reads);
  co_return true;
}

// --- building rows of existing items

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
