#include "table/partition/partition_set.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace armature::table {

namespace {

using List = PartitionSet::List;

std::shared_ptr<const List> Sorted(List partitions, bool wants_ended) {
  std::erase_if(partitions, [&](const auto& partition) { return partition->has_ended() != wants_ended; });
  std::sort(partitions.begin(), partitions.end(),
            [](const auto& a, const auto& b) { return a->hashes().first < b->hashes().first; });
  return std::make_shared<const List>(std::move(partitions));
}

}  // namespace

PartitionSet::PartitionSet(List partitions)
    : keyspace_(partitions.front()->handle().info().keyspace),
      list_(Sorted(partitions, false)),
      ended_(Sorted(std::move(partitions), true)) {}

std::shared_ptr<const PartitionSet::List> PartitionSet::list() const {
  MutexLock lock(mutex_);
  return list_;
}

std::shared_ptr<const PartitionSet::List> PartitionSet::ended() const {
  MutexLock lock(mutex_);
  return ended_;
}

storage::RowCount PartitionSet::CountRows(uint32_t slot) const {
  storage::RowCount sum;
  const auto partitions = list();
  for (const auto& partition : *partitions) sum += partition->handle().count(slot);
  return {std::max<int64_t>(0, sum.rows), std::max<int64_t>(0, sum.bytes)};
}

std::shared_ptr<Partition> PartitionSet::Find(uint64_t hash) const {
  MutexLock lock(mutex_);
  const List& list = *list_;
  if (list.size() == 1) return list.front();
  const auto behind = std::upper_bound(list.begin(), list.end(), hash, [](uint64_t wanted, const auto& partition) {
    return wanted < partition->hashes().first;
  });
  return *(behind - 1);
}

std::shared_ptr<Partition> PartitionSet::FindById(storage::PartitionId id) const {
  MutexLock lock(mutex_);
  for (const auto& of_kind : {list_, ended_})
    for (const auto& partition : *of_kind)
      if (partition->id() == id) return partition;
  return nullptr;
}

void PartitionSet::Publish(std::shared_ptr<const List> list, std::shared_ptr<const List> ended) const noexcept {
  MutexLock lock(mutex_);
  list_.swap(list);  // the old ones go, if at all, when the lock is free
  ended_.swap(ended);
}

Task<Status> PartitionSet::LookAgain(storage::Engine& engine, std::shared_ptr<const Partition> dead) const {
  const auto guard = co_await change_latch_.LockStripe(0);
  if (FindById(dead->id()) != dead) co_return Status::Ok();  // somebody has looked before
  co_return co_await Reload(engine);
}

Task<Status> PartitionSet::Reload(storage::Engine& engine) const {
  // Another may take it away between the two steps: then once more, from the list on.
  for (;;) {
    Status status = co_await ReloadOnce(engine);
    if (status.code() != StatusCode::kFenced) co_return status;
  }
}

Task<Status> PartitionSet::ReloadOnce(storage::Engine& engine) const {
  const auto stored = co_await engine.ListPartitions();
  if (!stored) co_return stored.error();
  List found;
  std::vector<std::pair<std::shared_ptr<Partition>, storage::Sequence>> successors;
  for (const storage::PartitionInfo& info : *stored) {
    if (info.keyspace != keyspace_) continue;
    if (auto known = FindById(info.id); known && known->handle().is_alive()) {
      found.push_back(std::move(known));
      continue;
    }
    // One that somebody else has opened is fenced; one that this process has never had, or that has ended since, is
    // opened as it is.
    const auto known = FindById(info.id);
    const bool was_ours = known && known->has_ended() == info.is_ended;
    // Who follows the notes of the dead one may have rows of indexes on their way that are older than what the next
    // will write and follow. Nobody begins any more: the dead cannot be read.
    if (known) co_await known->rows_latch().LockStripe(0);
    auto opened = co_await engine.OpenPartitionAt(info.id, info.epoch + (was_ours ? 1 : 0));
    if (!opened) co_return opened.error();
    LogInfo("partition {} is opened again, at epoch {}", info.id, (*opened)->info().epoch);
    auto partition = co_await Partition::Open(engine, std::move(*opened), known.get());
    if (!partition) co_return partition.error();
    if (known) successors.emplace_back(known, (*partition)->handle().opened_at());
    found.push_back(std::move(*partition));
  }
  auto list = Sorted(found, false), ended = Sorted(std::move(found), true);
  if (list->empty()) co_return Status::NotFound("the partition was dropped");
  for (const auto& [dead, sequence] : successors) dead->Succeeded(sequence);
  Publish(std::move(list), std::move(ended));
  co_return Status::Ok();
}

Task<Status> PartitionSet::Split(storage::Engine& engine, storage::PartitionId id, uint64_t at,
                                 storage::PartitionId low, storage::PartitionId high) {
  const auto guard = co_await change_latch_.LockStripe(0);
  for (int tries = 1;; ++tries) {
    auto parent = FindById(id);
    if (parent && !parent->handle().is_alive()) {
      // A split that could not be taken over, or another owner: look first.
      if (Status status = co_await Reload(engine); !status.ok()) co_return status;
      parent = FindById(id);
    }
    if (!parent || parent->has_ended()) co_return Status::NotFound("no such partition");
    const Status status = co_await SplitHeld(engine, *parent, at, low, high);
    if (status.ok()) co_return co_await Reload(engine);
    if (status.code() != StatusCode::kFenced || tries == kBusyTries) co_return status;
  }
}

// Nobody decides anything on what the partition remembers while its children are made: they remember nothing yet. Nor
// has anybody rows of indexes on their way that its notes stand for.
Task<Status> PartitionSet::SplitHeld(storage::Engine& engine, Partition& parent, uint64_t at, storage::PartitionId low,
                                     storage::PartitionId high) {
  const auto rows = co_await parent.rows_latch().LockStripe(0);
  const auto latches = co_await HoldAllLatches(parent);
  co_return co_await engine.SplitPartition(parent.id(), at, low, high);
}

void PartitionSet::ForgetEnded(storage::PartitionId id) {
  auto left = std::make_shared<List>(*ended());
  std::erase_if(*left, [&](const auto& partition) { return partition->id() == id; });
  Publish(list(), std::move(left));
}

Task<Result<storage::Committed>> CommitPatiently(storage::Engine& engine, storage::OpenPartition& partition,
                                                 const storage::Batch& batch) {
  for (int tries = 1;; ++tries) {
    auto committed = co_await storage::CommitBatch(engine, partition, batch);
    if (committed || committed.error().code() != StatusCode::kBusy || tries == kBusyTries) co_return committed;
    co_await PauseAfterBusy(tries);
  }
}

Task<std::vector<LatchTable::Guard>> HoldAllLatches(Partition& partition) {
  LatchTable& latches = partition.latches();
  std::vector<LatchTable::Guard> guards;
  guards.reserve(latches.stripe_count());
  for (size_t stripe = 0; stripe < latches.stripe_count(); ++stripe) {
    auto guard = co_await latches.LockStripe(stripe);
    guards.push_back(std::move(guard));
  }
  co_return guards;
}

// Whoever comes to a partition that takes the place of one of these comes later.
Task<void> AwaitLatchHolders(const PartitionSet& partitions) {
  const auto list = partitions.list();
  for (const auto& partition : *list) {
    LatchTable& latches = partition->latches();
    for (size_t stripe = 0; stripe < latches.stripe_count(); ++stripe) co_await latches.LockStripe(stripe);
  }
}

}  // namespace armature::table
