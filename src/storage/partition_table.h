// PartitionTable: which partitions exist, and who may use them.
//
// The in-memory truth behind fencing for every embedded engine. A commit holds the table shared while it
// checks its handle and writes; a change holds it exclusively. So when a change that kills a handle has
// returned, no commit through it can still be on its way. Persisting is the engine's
// business: it encodes a PartitionInfo with EncodePartition and reads it back at opening.
// Callers lock mutex(). Used by engines only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_mutex.h"
#include "storage/embedded_partition.h"
#include "storage/engine.h"

namespace armature::storage {

class PartitionTable {
 public:
  // Starts with the system partition alone, at epoch 0.
  PartitionTable();

  SharedMutex& mutex() const ARMATURE_RETURNS_MUTEX(mutex_) { return mutex_; }
  EmbeddedPartition& system() const { return *system_; }

  std::vector<PartitionInfo> List() const ARMATURE_WITH_READ_LOCK(mutex_);
  const PartitionInfo* Find(PartitionId id) const ARMATURE_WITH_READ_LOCK(mutex_);
  // Whether other partitions have keys of the keyspace's hashes.
  bool IsLastOf(PartitionId id) const ARMATURE_WITH_READ_LOCK(mutex_);

  // What a change would make of the table, without making it; the engine persists that first.

  Status CheckCreate(const PartitionInfo& info) const ARMATURE_WITH_READ_LOCK(mutex_);
  Status CheckDrop(PartitionId id) const ARMATURE_WITH_READ_LOCK(mutex_);
  // The children have the number of its newest commit, and its counts in parts.
  struct Split {
    PartitionInfo ended;
    PartitionInfo low;
    PartitionInfo high;
    Sequence newest = 0;
    Counts of_low;
    Counts of_high;
  };
  Result<Split> PlanSplit(PartitionId id, uint64_t at, PartitionId low, PartitionId high) const
      ARMATURE_WITH_READ_LOCK(mutex_);
  // The partition as it is when opened under `epoch`; the same as it is now if that is its epoch.
  Result<PartitionInfo> PlanOpen(PartitionId id, Epoch epoch) const ARMATURE_WITH_READ_LOCK(mutex_);

  // The changes. Whoever has a handle of what a partition was before it finds it dead.

  void Put(const PartitionInfo& info, Sequence newest, const Counts& counts = {}) ARMATURE_WITH_LOCK(mutex_);
  void Change(const PartitionInfo& info) ARMATURE_WITH_LOCK(mutex_);
  void Apply(const Split& split) ARMATURE_WITH_LOCK(mutex_);
  void Erase(PartitionId id) ARMATURE_WITH_LOCK(mutex_);
  std::shared_ptr<EmbeddedPartition> Handle(PartitionId id) const ARMATURE_WITH_READ_LOCK(mutex_);

 private:
  mutable SharedMutex mutex_;
  std::map<PartitionId, std::shared_ptr<EmbeddedPartition>> partitions_ ARMATURE_GUARDED_BY(mutex_);
  const std::shared_ptr<EmbeddedPartition> system_;
};

// Record of one partition: version byte 2, flags (1: ended), varint keyspace, varint epoch, first and last hash, 8
// bytes big-endian each.
std::string EncodePartition(const PartitionInfo& info);
Result<PartitionInfo> DecodePartition(PartitionId id, std::string_view record);

}  // namespace armature::storage
