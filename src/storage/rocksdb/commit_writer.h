// CommitWriter: writes groups of commits into an open store.
//
// A group is one write of RocksDB. When that would make the caller wait (compaction cannot keep up, writes are stopped)
// its members go on, each by itself, on a thread of the writer. Thread-safe. Used by RocksDbEngine.
#pragma once

#include <span>

#include <rocksdb/write_batch.h>

#include "base/metrics.h"
#include "base/mutex.h"
#include "storage/job_thread.h"
#include "storage/rocksdb/commit_group.h"
#include "storage/rocksdb/open_store.h"

namespace armature::storage {

class CommitWriter final : public CommitGroup::Writer {
 public:
  CommitWriter(OpenStore& store, Metrics& metrics)
      : store_(store),
        commits_(metrics.GetCounter("armature_engine_commits_total", "Batches committed to the storage engine.")) {}

  // Finishes the members, or leaves them to the slow writer when RocksDB would have made the caller wait.
  void WriteGroup(std::span<CommitGroup::Member> members) override;
  // What is left to the slow writer is finished first.
  void Stop() { slow_writer_.Stop(); }

  uint64_t commits() const { return commits_.value(); }

 private:
  using Parts = std::span<CommitManyOp::Part>;

  // Waits, on the slow writer's thread.
  Status WriteSlowly(Parts parts, Mark& mark);
  // How far the log is synced, in front of the first commit after each sync.
  void AddSyncedNote(rocksdb::WriteBatch& batch);
  Status CheckParts(std::span<const CommitManyOp::Part> parts) const ARMATURE_WITH_READ_LOCK(store_.partitions.mutex());

  OpenStore& store_;
  Counter& commits_;
  // Held from the giving of numbers to the end of the write: their order is that of the log.
  Mutex order_;
  JobThread slow_writer_;
};

}  // namespace armature::storage
