#include "storage/rocksdb/partition_admin.h"

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include <rocksdb/db.h>

#include "storage/engine_calls.h"
#include "storage/rocksdb/encrypted/store_encryption.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/rows/partition_records.h"
#include "storage/rocksdb/rows/row_ranges.h"
#include "storage/rocksdb/setup/copy_store.h"

namespace armature::storage {

// Planned and written under one lock: what a plan stores of a partition (its newest number, its counts) is so when the
// change holds. False: the store would have made the writer wait, and nothing was done.
template <class Plan, class Apply>
Result<bool> PartitionAdmin::TryChange(Plan& plan, Apply& apply) {
  WriteLock lock(store_.partitions.mutex());
  if (store_.is_closed()) return OpenStore::Closed();
  rocksdb::WriteBatch batch;
  // By std::invoke: clang 14 takes the lambda for the table in what its attributes say when it sees the call.
  if (Status planned = std::invoke(plan, store_.partitions, batch); !planned.ok()) return planned;
  if (Status full = store_.CheckSpace(); !full.ok()) return full;
  rocksdb::WriteOptions options;
  options.no_slowdown = true;
  const auto written = store_.db().Write(options, &batch);
  if (written.IsIncomplete()) return false;
  if (!written.ok()) return FromRocksDb(written);
  std::invoke(apply, store_.partitions);
  return true;
}

template <class Plan, class Apply>
Task<Status> PartitionAdmin::ChangePartitions(Plan plan, Apply apply) {
  Status status = co_await thread_.Await([this, &plan, &apply]() -> Status {
    // Keeps other changes out between tries; commits may pass.
    MutexLock slow(store_.slow_mutex);
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
      ARMATURE_TRY(const bool is_done, TryChange(plan, apply));
      if (is_done) return {};
    }
  });
  if (status.ok()) status = co_await BecomeDurable();
  co_return status;
}

// Everything committed so far, in the sense of "survives power loss" whatever the durability of items.
Task<Status> PartitionAdmin::BecomeDurable() {
  if (store_.waits_for_sync())
    co_return co_await AwaitDurable(engine_, store_.partitions.system(), store_.db().GetLatestSequenceNumber());
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
      [info](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) {
        if (!table.Find(info.id)) table.Put(info, 0);
      });
}

// The lambdas capture references only: g++ 12 destroys a temporary twice when it is an argument within co_await.
Task<Result<std::shared_ptr<OpenPartition>>> PartitionAdmin::Open(PartitionId id, Epoch epoch) {
  {
    // Nothing to be stored: the usual case.
    ReadLock lock(store_.partitions.mutex());
    if (store_.is_closed()) co_return OpenStore::Closed();
    const auto known = store_.partitions.Handle(id);
    if (known && known->info().epoch == epoch) co_return std::shared_ptr<OpenPartition>(known);
  }
  PartitionInfo opened;
  const auto plan = [id, epoch, &opened](const PartitionTable& table, rocksdb::WriteBatch& batch)
                        ARMATURE_WITH_LOCK(table.mutex()) -> Status {
    ARMATURE_TRY(opened, table.PlanOpen(id, epoch));
    batch.Put(PartitionRecordKey(id), EncodePartition(opened));
    return {};
  };
  std::shared_ptr<OpenPartition> handle;
  const auto apply = [&opened, &handle](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) {
    table.Change(opened);
    handle = table.Handle(opened.id);
  };
  if (Status status = co_await ChangePartitions(plan, apply); !status.ok()) co_return status;
  co_return handle;
}

Task<Status> PartitionAdmin::Split(PartitionId id, uint64_t at, PartitionId low, PartitionId high) {
  auto split = std::make_shared<PartitionTable::Split>();
  return ChangePartitions(
      [=](const PartitionTable& table, rocksdb::WriteBatch& batch) ARMATURE_WITH_LOCK(table.mutex()) -> Status {
        ARMATURE_TRY(*split, table.PlanSplit(id, at, low, high));
        for (const PartitionInfo& info : {split->ended, split->low, split->high})
          batch.Put(PartitionRecordKey(info.id), EncodePartition(info));
        const auto put_newest = [&](PartitionId of, const Counts& counts) {
          std::string newest;
          AppendNewestCommit(split->newest, counts, newest);
          batch.Put(NewestCommitKey(of), newest);
        };
        put_newest(id, {});
        put_newest(low, split->of_low);
        put_newest(high, split->of_high);
        return {};
      },
      [=](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) { table.Apply(*split); });
}

Task<Status> PartitionAdmin::Drop(PartitionId id) {
  std::vector<KeyRange> ranges;
  const auto plan = [id, &ranges](const PartitionTable& table, rocksdb::WriteBatch& batch)
                        ARMATURE_WITH_LOCK(table.mutex()) -> Status {
    if (Status refused = table.CheckDrop(id); !refused.ok()) return refused;
    ranges = table.Handle(id)->RangesToDrop(table.IsLastOf(id));
    batch.Delete(PartitionRecordKey(id));
    batch.Delete(NewestCommitKey(id));
    for (const KeyRange& range : ranges) batch.DeleteRange(range.begin, range.end);
    return {};
  };
  const auto apply = [id](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) { table.Erase(id); };
  if (Status status = co_await ChangePartitions(plan, apply); !status.ok()) co_return status;
  co_return co_await DeleteFiles(std::move(ranges));
}

Task<Status> PartitionAdmin::DropRowsOfHashes(KeyspaceId keyspace) {
  const KeyRange range = RowsOfHashes(keyspace);
  const auto plan = [&range](const PartitionTable&, rocksdb::WriteBatch& batch) {
    batch.DeleteRange(range.begin, range.end);
    return Status::Ok();
  };
  const auto apply = [](PartitionTable&) {};
  if (Status status = co_await ChangePartitions(plan, apply); !status.ok()) co_return status;
  std::vector<KeyRange> ranges{range};
  co_return co_await DeleteFiles(std::move(ranges));
}

// Only a snapshot taken before the range deletion, which is durable and published, could still look into these files.
Task<Status> PartitionAdmin::DeleteFiles(std::vector<KeyRange> ranges) {
  co_return co_await thread_.Await([this, &ranges] {
    for (const KeyRange& range : ranges)
      if (!store_.is_closed() && snapshots_.load(std::memory_order_relaxed) == 0) DeleteFilesWithin(store_.db(), range);
    return Status::Ok();
  });
}

// On the thread of Checkpoint: one that is under way has its files and its keys before these are counted.
Task<Result<std::map<uint32_t, uint64_t>>> PartitionAdmin::FilesByDataKey() {
  co_return co_await thread_.Await([this]() -> Result<std::map<uint32_t, uint64_t>> {
    if (store_.is_closed()) return OpenStore::Closed();
    if (!store_.is_encrypted()) return std::map<uint32_t, uint64_t>();
    return CountFilesByDataKey(store_.base_files(), store_.path());
  });
}

Task<Status> PartitionAdmin::RewriteUnderNewestKey() {
  co_return co_await rewriting_.Await([this]() -> Status {
    if (store_.is_closed()) return OpenStore::Closed();
    if (!store_.is_encrypted()) return {};
    rocksdb::CompactRangeOptions options;
    options.exclusive_manual_compaction = false;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    options.canceled = &is_stopping_;
    const auto status = store_.db().CompactRange(options, nullptr, nullptr);
    return is_stopping_ ? OpenStore::Closed() : FromRocksDb(status);
  });
}

void PartitionAdmin::Stop() {
  is_stopping_ = true;
  rewriting_.Stop();
  thread_.Stop();
}

Task<Status> PartitionAdmin::Checkpoint(std::string directory) {
  if (Status status = co_await BecomeDurable(); !status.ok()) co_return status;
  co_return co_await thread_.Await([this, &directory]() -> Status {
    if (store_.is_closed()) return OpenStore::Closed();
    return CopyStore(store_.db(), store_.path(), directory);
  });
}

}  // namespace armature::storage
