// PartitionTable: which partitions exist, and who may write to them.
//
// The in-memory truth behind fencing for every embedded engine. A commit holds the table shared while it
// checks its epoch and writes; a change holds it exclusively. So when FencePartition has
// returned, no commit with an older epoch can still be on its way. Persisting is the engine's
// business: it encodes a PartitionInfo with EncodePartition and reads it back at opening.
// Callers lock mutex(). Used by engines only.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/shared_mutex.h"
#include "storage/engine.h"

namespace armature::storage {

class PartitionTable {
 public:
  // Starts with the system partition alone, at epoch 0, over all keys.
  PartitionTable();

  SharedMutex& mutex() const ARMATURE_RETURNS_MUTEX(mutex_) { return mutex_; }

  // Ok, kFenced for an older epoch, kNotFound for an unknown partition.
  Status Check(PartitionId id, Epoch epoch) const ARMATURE_WITH_READ_LOCK(mutex_) {
    auto found = partitions_.find(id);
    if (found != partitions_.end() && epoch >= found->second.epoch) return {};
    return Refuse(id, epoch);
  }

  std::vector<PartitionInfo> List() const ARMATURE_WITH_READ_LOCK(mutex_);
  const PartitionInfo* Find(PartitionId id) const ARMATURE_WITH_READ_LOCK(mutex_);
  void Put(PartitionInfo info) ARMATURE_WITH_LOCK(mutex_);
  void Erase(PartitionId id) ARMATURE_WITH_LOCK(mutex_);

  // What the change would make of the table, without making it; the engine persists that first.
  Status CheckCreate(const PartitionInfo& info) const ARMATURE_WITH_READ_LOCK(mutex_);
  Status CheckDrop(PartitionId id) const ARMATURE_WITH_READ_LOCK(mutex_);
  struct Halves {
    PartitionInfo low;
    PartitionInfo high;
  };
  Result<Halves> PlanSplit(PartitionId id, std::string_view at, PartitionId new_id) const
      ARMATURE_WITH_READ_LOCK(mutex_);
  Result<PartitionInfo> PlanFence(PartitionId id, Epoch epoch) const ARMATURE_WITH_READ_LOCK(mutex_);

 private:
  Status Refuse(PartitionId id, Epoch epoch) const ARMATURE_WITH_READ_LOCK(mutex_);

  mutable SharedMutex mutex_;
  std::unordered_map<PartitionId, PartitionInfo> partitions_ ARMATURE_GUARDED_BY(mutex_);
};

// Record of one partition: version byte 1, varint epoch, length-prefixed range begin and end.
std::string EncodePartition(const PartitionInfo& info);
Result<PartitionInfo> DecodePartition(PartitionId id, std::string_view record);

}  // namespace armature::storage
