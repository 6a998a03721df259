// PartitionAdmin: the changes of an open store that are rare and may take long: of its partitions, and copies of it.
//
// They run on a thread of their own, one after the other. A change of the partitions is written, then it holds, and it
// is told only once it survives a power cut, whatever the durability of items is. Thread-safe. Used by RocksDbEngine.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/write_batch.h>

#include "base/async.h"
#include "storage/engine.h"
#include "storage/job_thread.h"
#include "storage/rocksdb/open_store.h"

namespace armature::storage {

class PartitionAdmin {
 public:
  // `engine` is the one over `store`. While there are `snapshots`, no files are deleted.
  PartitionAdmin(OpenStore& store, Engine& engine, const std::atomic<int>& snapshots)
      : store_(store), engine_(engine), snapshots_(snapshots) {}

  Task<Status> Create(const PartitionInfo& info);
  Task<Result<std::shared_ptr<OpenPartition>>> Open(PartitionId id, Epoch epoch);
  Task<Status> Split(PartitionId id, uint64_t at, PartitionId low, PartitionId high);
  Task<Status> Drop(PartitionId id);
  Task<Status> DropRowsOfHashes(KeyspaceId keyspace);
  // A copy of what is committed now.
  Task<Status> Checkpoint(std::string directory);
  // See engine.h. The second has a thread of its own: it takes long.
  Task<Result<std::map<uint32_t, uint64_t>>> FilesByDataKey();
  Task<Status> RewriteUnderNewestKey();
  void Stop();

 private:
  // On the thread: `plan(table, batch)` says what to write and is followed by `apply(table)`.
  template <class Plan, class Apply>
  Task<Status> ChangePartitions(Plan plan, Apply apply);
  template <class Plan, class Apply>
  Result<bool> TryChange(Plan& plan, Apply& apply) ARMATURE_WITH_LOCK(store_.slow_mutex);
  Task<Status> DeleteFiles(std::vector<KeyRange> ranges);
  Task<Status> BecomeDurable();

  OpenStore& store_;
  Engine& engine_;
  const std::atomic<int>& snapshots_;
  JobThread thread_;
  JobThread rewriting_;
  std::atomic<bool> is_stopping_{false};
};

}  // namespace armature::storage
