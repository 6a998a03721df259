// Lane: one partition of a narrow engine: its handle, what is ordered and not yet durable, who waits for that, and what
// was lost.
//
// Marks are the partition's own, one for each commit ever ordered, and go on over its handles. Knows no thread and no
// engine: it says what is to be answered and what is to be written, and Lanes does it. Not thread-safe: guarded by
// Lanes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "storage/narrow/narrow_partition.h"
#include "storage/narrow/overlay.h"

namespace armature::storage {

class Lane {
 public:
  struct Answer {
    DurableOp* op = nullptr;
    Status status;
  };
  using Answers = std::vector<Answer>;

  // --- the handle

  // Null: not opened since the process began. May be dead.
  const std::shared_ptr<NarrowPartition>& handle() const { return handle_; }
  bool is_open() const { return handle_ && handle_->is_alive(); }
  // A fault has killed the handle, and only a higher epoch settles what became of its commits.
  bool is_unsettled() const { return is_unsettled_; }
  // REQUIRES: nothing is queued.
  void Open(std::shared_ptr<NarrowPartition> handle);
  // The partition has ended or was dropped.
  void End(bool is_dropped);
  // Commits wait while the partition is being changed.
  bool is_changing() const { return is_changing_; }
  void SetChanging(bool is_changing) { is_changing_ = is_changing; }

  // --- commits

  const Overlay& overlay() const { return overlay_; }
  Sequence NextSequence(const Batch& batch) const;
  // Takes the next numbers; fills `op`. REQUIRES: is_open().
  void Order(CommitOp& op, std::optional<bool> doubt);

  // Commits that are to be written now, at most `most`: none when the first is in doubt. They stay where they are until
  // Written.
  std::vector<const OrderedCommit*> Take(size_t most);
  bool is_in_doubt() const { return !overlay_.empty() && overlay_.commits().front().doubt.has_value(); }
  void Written(Answers& answers);

  // --- what goes wrong

  // How many commits that wait could be lost so that this one is.
  size_t CountBefore(Mark mark) const;
  size_t in_flight() const { return in_flight_; }
  // The handle is dead; the first `keep` of what is queued become durable all the same. Those who wait for what is lost
  // hear that it is, if this is a fence.
  void Die(size_t keep, bool is_fence, Answers& answers);
  // What was taken could not be written; none of it is taken any more.
  void Fail(const Status& why, Answers& answers);
  // All that is queued is lost, but for what is being written. The system partition stays open.
  void Crash(Answers& answers);

  // --- waiting

  // Of the commits of a handle; those of others, and behind what was lost, have to be asked for one by one (Judge).
  Mark DurableUpTo(const OpenPartition& handle) const {
    if (&handle != handle_.get() || !handle.is_alive()) return 0;
    return handle.is_system() && !lost_.empty() ? lost_.front().after : durable_;
  }
  // The answer to who waits for this mark; none: it is on its way.
  std::optional<Status> Judge(Mark mark) const;
  void Park(DurableOp& op) { parked_.push_back(&op); }

  // Something will write what is queued.
  bool is_scheduled = false;

 private:
  struct LostMarks {
    Mark after = 0, last = 0;
  };

  void Cut(size_t keep);
  bool IsLost(Mark mark) const;
  // Everybody hears `status`, but, if that is wished, kFenced who waits for what is lost.
  void AnswerAll(const Status& status, bool tells_losses, Answers& answers);

  std::shared_ptr<NarrowPartition> handle_;
  Overlay overlay_;
  std::vector<DurableOp*> parked_;
  std::vector<LostMarks> lost_;
  size_t in_flight_ = 0;  // the first of the overlay
  Mark ordered_ = 0;
  Mark durable_ = 0;
  Mark durable_at_death_ = 0;
  bool is_unsettled_ = false;
  bool is_changing_ = false;
};

}  // namespace armature::storage
