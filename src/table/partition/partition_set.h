// PartitionSet: the partitions a table has at this moment.
//
// Owns them. A list is immutable once it is published, and whoever has found a partition keeps it for as long as it
// takes: if it dies meanwhile, what is asked of it is refused with kFenced, and LookAgain finds what has taken its
// place. Thread-safe. Made by the catalogue; used by the read and write paths and by workers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/async.h"
#include "base/mutex.h"
#include "base/result.h"
#include "storage/engine.h"
#include "table/partition/latches.h"
#include "table/partition/partition.h"

namespace armature::table {

class PartitionSet {
 public:
  using List = std::vector<std::shared_ptr<Partition>>;

  // REQUIRES: at least one; by hash ascending, and together they have every hash once.
  explicit PartitionSet(List partitions);

  std::shared_ptr<Partition> Find(uint64_t hash) const;
  std::shared_ptr<const List> list() const;

  // For whoever was refused with kFenced by `dead`: when this returns ok, Find finds another, or is worth another try.
  // kNotFound: the partition is gone, and with it the table.
  Task<Status> LookAgain(storage::Engine& engine, std::shared_ptr<const Partition> dead) const;

 private:
  void Publish(std::shared_ptr<const List> list) const noexcept;

  // The same partitions under other handles are the same set.
  mutable LatchTable change_latch_{1};
  mutable Mutex mutex_;
  mutable std::shared_ptr<const List> list_ ARMATURE_GUARDED_BY(mutex_);
};

// Runs `scan` in the partition that has `hash`, whichever that is; its own member `partition` need not be filled.
Task<Status> ScanIn(storage::Engine& engine, const PartitionSet& partitions, uint64_t hash, storage::ScanOp& scan);

}  // namespace armature::table
