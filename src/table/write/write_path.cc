#include "table/write/write_path.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/tasks/work_meter.h"
#include "storage/engine_calls.h"
#include "table/capacity.h"
#include "table/keys/key_layout.h"
#include "table/storage_errors.h"
#include "table/txn/intent.h"
#include "table/write/collection_sizes.h"

namespace armature::table {

using model::ApiResult;
using storage::Mark;

namespace {

// Of a commit that was refused. If what was dropped is none of the partitions of the items, it went with its index, and
// the write with the definition that had it: it is done again under the newer one.
Status Refused(Status status, bool are_items_there) {
  if (status.code() == StatusCode::kNotFound && are_items_there) return Status::Fenced();
  return status;
}

}  // namespace

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
  index_admissions_.clear();
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
    co_await PauseAfterBusy(busy_tries);
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

Task<ApiResult<void>> WritePath::DoOne(ItemWrite& write, Arena& arena) {
  PrepareKey(write);
  if (auto refused = Admit(write)) co_return std::move(*refused);
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

bool WritePath::AreOfOnePartition(Writes writes) {
  return std::all_of(writes.begin(), writes.end(),
                     [&](const ItemWrite* write) { return write->partition_ == writes.front()->partition_; });
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

// Of any partitions where the engine commits to several at once, else of one: kFenced if that is two by now.
Task<WritePath::Tried> WritePath::TryBatch(Writes writes, Arena& arena) {
  Tried tried;
  const auto guards = co_await LockAll(writes);
  if (!is_atomic_ && !AreOfOnePartition(writes)) {
    // They were, before a split: they are grouped anew.
    tried.status = Status::Fenced();
    co_return tried;
  }
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

Task<ApiResult<void>> WritePath::DoBatch(std::span<ItemWrite> writes, Arena& arena) {
  if (writes.empty()) co_return ApiResult<void>{};
  std::vector<ItemWrite*> left;
  left.reserve(writes.size());
  for (ItemWrite& write : writes) {
    PrepareKey(write);
    if (auto refused = Admit(write)) {
      write.failure = std::move(*refused);
      continue;
    }
    if (!MustRefuse(write)) {
      left.push_back(&write);
      continue;
    }
    Route(write);
    write.failure = model::TransactionConflictException();
  }
  std::map<storage::PartitionId, int> busy_tries;  // each partition has its own
  while (!left.empty()) {
    // Others may be done by now: what cannot be said of these is said of these only.
    if (auto awaited = co_await AwaitIndexes(left); !awaited) {
      for (ItemWrite* write : left) {
        Route(*write);
        write->failure = awaited.error();
      }
      break;
    }
    // One commit for all of them, or for those of each partition: the order is kept, so that a run repeats itself.
    std::vector<std::vector<ItemWrite*>> groups;
    if (is_atomic_) groups.push_back(std::exchange(left, {}));
    else groups = ByPartition(left);
    std::vector<Tried> tries;
    tries.reserve(groups.size());
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
      const auto is_done = co_await AfterTry(group, tried, busy_tries[group.front()->partition_->id()]);
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

Task<ApiResult<bool>> WritePath::DoTransaction(std::span<ItemWrite> writes, const storage::Batch* system_changes,
                                               Arena& arena) {
  std::vector<ItemWrite*> all;
  all.reserve(writes.size());
  for (ItemWrite& write : writes) {
    write.is_transacted_ = true;
    PrepareKey(write);
    // What others of it have paid they get back.
    if (auto refused = Admit(write, Use::kWrite, kTransactionFactor)) co_return std::move(*refused);
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
    // Done or not, or not everywhere yet: an error of the server, which says neither.
    if (tried.is_left_open) co_return WriteError(*all.front()->table, Status::Unknown(tried.status.ToString()));
    ARMATURE_CO_TRY(const bool is_done, co_await AfterTry(all, tried, busy_tries));
    if (!is_done) continue;
    ChargeTransaction(writes, true);
    co_return true;
  }
}

Task<ApiResult<bool>> WritePath::ReadTogether(std::span<ItemWrite> reads, Arena& arena) {
  std::vector<ItemWrite*> all;
  all.reserve(reads.size());
  for (ItemWrite& read : reads) {
    PrepareKey(read);
    if (auto refused = Admit(read, Use::kRead, kTransactionFactor)) co_return std::move(*refused);
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

}  // namespace armature::table
