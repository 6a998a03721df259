// PartitionSet: the partitions a table, or a global index, has at this moment, and what of them may be used together.
//
// Owns them. A list is immutable once it is published, and whoever has found a partition keeps it for as long as it
// takes: if it dies meanwhile, what is asked of it is refused with kFenced, and LookAgain finds what has taken its
// place. Partitions that were split are kept beside the others for as long as somebody needs what is their own. Thread-
// safe. Made by the catalogue; used by the read and write paths, the journal and workers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/async.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/tasks/pause.h"
#include "storage/engine.h"
#include "storage/engine_calls.h"
#include "table/partition/latches.h"
#include "table/partition/partition.h"
#include "table/throttle/resource_throttle.h"

namespace armature::table {

// Of a table or an index. Each costs memory and a line in every list of them.
inline constexpr size_t kMostPartitions = 1000;

// Whether what was asked of a partition was answered so because it is dead: LookAgain finds what has taken its place.
// With kUnknown it may have been done before (Partition::WasDone).
inline bool IsOfDead(const Status& status) {
  return status.code() == StatusCode::kFenced || status.code() == StatusCode::kUnknown;
}

class PartitionSet {
 public:
  using List = std::vector<std::shared_ptr<Partition>>;

  // REQUIRES: of those that have not ended there is at least one, and together they have every hash once.
  explicit PartitionSet(List partitions);

  std::shared_ptr<Partition> Find(uint64_t hash) const;
  // Also one that has ended; null: none.
  std::shared_ptr<Partition> FindById(storage::PartitionId id) const;
  // By hash ascending, without those that have ended.
  std::shared_ptr<const List> list() const;
  std::shared_ptr<const List> ended() const;
  // What customers may use of all of them.
  ResourceThrottle& throttle() const { return throttle_; }
  // All of them together. Never below zero, as a part may be alone.
  storage::RowCount CountRows(uint32_t slot) const;

  // For whoever was refused with kFenced by `dead`: when this returns ok, Find finds another, or is worth another try.
  // kNotFound: there is none any more, and with them the table is gone.
  Task<Status> LookAgain(storage::Engine& engine, std::shared_ptr<const Partition> dead) const;

  // Splits a partition while it is used. Its writers are held up while the store makes the children, those of others
  // are not. kFenced: it was refused again and again; kNotFound: there is no such partition. REQUIRES: the ids are new.
  Task<Status> Split(storage::Engine& engine, storage::PartitionId id, uint64_t at, storage::PartitionId low,
                     storage::PartitionId high);
  // One that has ended was dropped.
  void ForgetEnded(storage::PartitionId id);

 private:
  // Takes over what the store has, under change_latch_.
  Task<Status> Reload(storage::Engine& engine) const;
  Task<Status> ReloadOnce(storage::Engine& engine) const;
  static Task<Status> SplitHeld(storage::Engine& engine, Partition& parent, uint64_t at, storage::PartitionId low,
                                storage::PartitionId high);
  void Publish(std::shared_ptr<const List> list, std::shared_ptr<const List> ended) const noexcept;

  const storage::KeyspaceId keyspace_;
  mutable ResourceThrottle throttle_;
  // The same partitions under other handles are the same set.
  mutable LatchTable change_latch_{1};
  mutable Mutex mutex_;
  mutable std::shared_ptr<const List> list_ ARMATURE_GUARDED_BY(mutex_);
  mutable std::shared_ptr<const List> ended_ ARMATURE_GUARDED_BY(mutex_);
};

// How often a commit is tried that the store has no room for right now, and how long to pause before it is tried again:
// some 0.1 s in all.
inline constexpr int kBusyTries = 8;
inline PauseFor PauseAfterBusy(int tries) { return {std::chrono::milliseconds(1) * (1 << (tries - 1))}; }
// A commit that is tried again while the store says kBusy, but not for ever.
Task<Result<storage::Committed>> CommitPatiently(storage::Engine& engine, storage::OpenPartition& partition,
                                                 const storage::Batch& batch);
// Every latch of a partition: nobody writes to it for as long as they are held.
Task<std::vector<LatchTable::Guard>> HoldAllLatches(Partition& partition);
// When everybody who holds a latch now has let it go.
Task<void> AwaitLatchHolders(const PartitionSet& partitions);

}  // namespace armature::table
