#include "table/partition/partition_set.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "storage/engine_calls.h"

namespace armature::table {

PartitionSet::PartitionSet(List partitions) : list_(std::make_shared<const List>(std::move(partitions))) {}

std::shared_ptr<const PartitionSet::List> PartitionSet::list() const {
  MutexLock lock(mutex_);
  return list_;
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

void PartitionSet::Publish(std::shared_ptr<const List> list) const noexcept {
  MutexLock lock(mutex_);
  list_.swap(list);  // the old one goes, if at all, when the lock is free
}

Task<Status> PartitionSet::LookAgain(storage::Engine& engine, std::shared_ptr<const Partition> dead) const {
  const auto guard = co_await change_latch_.LockStripe(0);
  if (Find(dead->hashes().first) != dead) co_return Status::Ok();  // somebody has looked before
  auto next = std::make_shared<List>(*list());
  auto opened = co_await engine.OpenPartitionAt(dead->id(), dead->epoch() + 1);
  if (!opened) co_return opened.error();
  LogInfo("partition {} is opened again, at epoch {}", dead->id(), dead->epoch() + 1);
  *std::find(next->begin(), next->end(), dead) = std::make_shared<Partition>(std::move(*opened));
  Publish(std::move(next));
  co_return Status::Ok();
}

Task<Status> ScanIn(storage::Engine& engine, const PartitionSet& partitions, uint64_t hash, storage::ScanOp& scan) {
  for (;;) {
    const auto partition = partitions.Find(hash);
    scan.partition = &partition->handle();
    Status status = co_await storage::Run(engine, scan);
    if (status.code() == StatusCode::kFenced) status = co_await partitions.LookAgain(engine, partition);
    else co_return status;
    if (!status.ok()) co_return status;
    scan.done.Rearm();
  }
}

}  // namespace armature::table
