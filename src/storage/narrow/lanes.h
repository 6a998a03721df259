// Lanes: all partitions of a narrow engine, and what happens to them: commits are ordered, become durable late and each
// partition by itself, and meet their faults.
//
// Owns the state of partitions above the engine that keeps their rows; does not own that engine nor the thread on which
// it is written. Everything that may block (Settle, Open, Change) runs on that thread, or after its end. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "storage/embedded_partition.h"
#include "storage/narrow/lane.h"
#include "storage/narrow/late_thread.h"
#include "storage/narrow/narrow_faults.h"

namespace armature::storage {

class Lanes {
 public:
  Lanes(Engine& inner, LateThread& late, const NarrowFaultRates& rates, uint64_t seed);

  OpenPartition& system() const { return *system_; }

  void Commit(CommitOp& op);
  void WhenDurable(DurableOp& op);
  Mark DurableUpTo(const OpenPartition& partition) const;
  // At View::kLatest; `op` is filled, not finished.
  template <class Op>
  void ReadLatest(Op& op) const {
    MutexLock lock(mutex_);
    // Asked again: what is in the lane is of its present handle only.
    if (op.status = CheckAlive(op.partition); !op.status.ok()) return;
    ReadOver(&lanes_.at(op.partition->id()).overlay(), inner_, InnerOf(*op.partition), op);
  }

  // --- on the late thread

  Result<std::shared_ptr<OpenPartition>> Open(PartitionId id, Epoch epoch);
  // Makes what is queued durable, then changes the partition in the engine below; when that is done its handle is dead.
  // What is no drop may be fenced.
  Status Change(PartitionId id, bool is_drop, const std::function<Status()>& change);
  // Of all partitions of the keyspace.
  void SettleKeyspace(KeyspaceId keyspace);

  // --- the end

  // From now on commits are refused.
  void Refuse();
  // REQUIRES: Refuse, and the late thread is stopped.
  void SettleAll();

  // --- controls

  void PlanFault(PartitionId id, NarrowFaults::Fault fault);
  void PlanBusy(PartitionId id, size_t count);
  void HoldBack(PartitionId id);
  void LetGo(PartitionId id);
  void Crash();
  size_t queued(PartitionId id) const;
  size_t queued() const;

 private:
  // What is to be done when the lock is let go.
  struct Jobs {
    std::vector<std::function<void()>> answers;
    std::vector<PartitionId> to_write;
  };

  void Order(CommitOp& op, Jobs& jobs) ARMATURE_WITH_LOCK(mutex_);
  Status Place(CommitOp& op, Jobs& jobs) ARMATURE_WITH_LOCK(mutex_);
  Status PlaceInSystem(Lane& lane, CommitOp& op, Jobs& jobs) ARMATURE_WITH_LOCK(mutex_);
  // False: it waits.
  bool Judge(DurableOp& op, Jobs& jobs) ARMATURE_WITH_LOCK(mutex_);
  void Schedule(PartitionId id, Lane& lane, Jobs& jobs) ARMATURE_WITH_LOCK(mutex_);
  void AnswerLate(const Lane::Answers& answers, Jobs& jobs) ARMATURE_WITH_LOCK(mutex_);
  // A commit whose process crashed before it was answered has no answer but that.
  void Finish(CommitOp& op, uint64_t crashes);
  void Post(const Jobs& jobs);
  Lane* Find(PartitionId id) ARMATURE_WITH_LOCK(mutex_);

  void WriteSome(PartitionId id);
  void Settle(Lane& lane);
  // The first of the lane's commits, `most` of them, become durable, or what is in doubt is decided.
  void Write(Lane& lane, size_t most);
  Status WriteBelow(OpenPartition& inner, const std::vector<const OrderedCommit*>& commits);

  Engine& inner_;
  LateThread& late_;
  mutable Mutex mutex_;
  std::map<PartitionId, Lane> lanes_ ARMATURE_GUARDED_BY(mutex_);  // none ever goes
  NarrowFaults faults_ ARMATURE_GUARDED_BY(mutex_);
  uint64_t crashes_ ARMATURE_GUARDED_BY(mutex_) = 0;
  bool is_closed_ ARMATURE_GUARDED_BY(mutex_) = false;
  const std::shared_ptr<NarrowPartition> system_;
};

}  // namespace armature::storage
