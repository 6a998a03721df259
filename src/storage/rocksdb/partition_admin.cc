#include "storage/rocksdb/partition_admin.h"

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include <rocksdb/db.h>

#include "storage/engine_calls.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/rows/partition_records.h"
#include "storage/rocksdb/rows/row_ranges.h"
#include "storage/rocksdb/setup/copy_store.h"

namespace armature::storage {

Status PartitionAdmin::WriteChange(rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions options;
  options.no_slowdown = true;
  for (;;) {
    if (Status full = store_.CheckSpace(); !full.ok()) return full;
    const auto status = store_.db().Write(options, &batch);
    if (!status.IsIncomplete()) return FromRocksDb(status);
    // slow_mutex keeps other changes out meanwhile; commits may pass.
    store_.partitions.mutex().unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    store_.partitions.mutex().lock();
  }
}

template <class Plan, class Apply>
Task<Status> PartitionAdmin::ChangePartitions(Plan plan, Apply apply) {
  Status status = co_await thread_.Await([this, &plan, &apply]() -> Status {
    MutexLock slow(store_.slow_mutex);
    WriteLock lock(store_.partitions.mutex());
    if (store_.is_closed()) return OpenStore::Closed();
    rocksdb::WriteBatch batch;
    // By std::invoke: clang 14 takes the lambda for the table in what its attributes say when it sees the call.
    if (Status planned = std::invoke(plan, store_.partitions, batch); !planned.ok()) return planned;
    if (Status written = WriteChange(batch); !written.ok()) return written;
    std::invoke(apply, store_.partitions);
    return {};
  });
  if (status.ok()) status = co_await BecomeDurable();
  co_return status;
}

// Everything committed so far, in the sense of "survives power loss" whatever the durability of items.
Task<Status> PartitionAdmin::BecomeDurable() {
  if (store_.waits_for_sync()) co_return co_await AwaitDurable(engine_, store_.db().GetLatestSequenceNumber());
  co_return co_await thread_.Await([this] {
    if (store_.is_closed()) return OpenStore::Closed();
    if (Status broken = store_.files().log_failure(); !broken.ok()) return broken;
    const Status status = FromRocksDb(store_.db().FlushWAL(/*sync=*/true));
    return status.ok() ? store_.files().log_failure() : status;
  });
}

Task<Status> PartitionAdmin::Create(const PartitionInfo& info) {
  return ChangePartitions(
      [info](const PartitionTable& table, rocksdb::WriteBatch& batch) ARMATURE_WITH_LOCK(table.mutex()) {
        Status status = table.CheckCreate(info);
        if (status.ok()) batch.Put(PartitionRecordKey(info.id), EncodePartition(info));
        return status;
      },
      [info](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) { table.Put(info); });
}

Task<Status> PartitionAdmin::Split(PartitionId id, std::string at, PartitionId new_id) {
  auto halves = std::make_shared<PartitionTable::Halves>();
  return ChangePartitions(
      [=, at = std::move(at)](const PartitionTable& table, rocksdb::WriteBatch& batch)
          ARMATURE_WITH_LOCK(table.mutex()) -> Status {
            ARMATURE_TRY(*halves, table.PlanSplit(id, at, new_id));
            batch.Put(PartitionRecordKey(id), EncodePartition(halves->low));
            batch.Put(PartitionRecordKey(new_id), EncodePartition(halves->high));
            return {};
          },
      [=](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) {
        table.Put(halves->low);
        table.Put(halves->high);
      });
}

Task<Status> PartitionAdmin::Fence(PartitionId id, Epoch epoch) {
  auto fenced = std::make_shared<PartitionInfo>();
  return ChangePartitions(
      [=](const PartitionTable& table, rocksdb::WriteBatch& batch) ARMATURE_WITH_LOCK(table.mutex()) -> Status {
        ARMATURE_TRY(*fenced, table.PlanFence(id, epoch));
        batch.Put(PartitionRecordKey(id), EncodePartition(*fenced));
        return {};
      },
      [=](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) { table.Put(*fenced); });
}

// The lambdas capture references only: g++ 12 destroys a temporary twice when it is an argument within co_await.
Task<Status> PartitionAdmin::Drop(PartitionId id) {
  KeyRange range;
  Status status = co_await ChangePartitions(
      [this, id, &range](const PartitionTable& table, rocksdb::WriteBatch& batch)
          ARMATURE_WITH_LOCK(table.mutex()) -> Status {
            if (Status refused = table.CheckDrop(id); !refused.ok()) return refused;
            ARMATURE_TRY(range, UserRange(store_.db(), table.Find(id)->range));
            batch.Delete(PartitionRecordKey(id));
            if (range.begin < range.end) batch.DeleteRange(range.begin, range.end);
            return {};
          },
      [id](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) { table.Erase(id); });
  if (!status.ok()) co_return status;
  co_return co_await thread_.Await([this, &range] {
    DeleteFiles(range);
    return Status::Ok();
  });
}

// Only a snapshot taken before the range deletion, which is durable and published, could still look into these files.
void PartitionAdmin::DeleteFiles(const KeyRange& range) {
  if (store_.is_closed() || snapshots_.load(std::memory_order_relaxed) != 0) return;
  DeleteFilesWithin(store_.db(), range);
}

Task<Status> PartitionAdmin::Checkpoint(std::string directory) {
  if (Status status = co_await BecomeDurable(); !status.ok()) co_return status;
  co_return co_await thread_.Await([this, &directory]() -> Status {
    if (store_.is_closed()) return OpenStore::Closed();
    return CopyStore(store_.db(), directory);
  });
}

}  // namespace armature::storage
