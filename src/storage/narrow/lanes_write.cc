// How what is queued becomes durable: written to the engine below, on the late thread.
#include <cstdio>
#include <cstdlib>

#include "storage/narrow/lanes.h"

namespace armature::storage {

void Lanes::WriteSome(PartitionId id) {
  Lane* lane = nullptr;
  size_t most = 0;
  {
    MutexLock lock(mutex_);
    lane = Find(id);
    lane->is_scheduled = false;
    most = lane->overlay().size();
    // At the end all is settled anyway, without more and more jobs.
    if (is_closed_ || most == 0 || faults_.IsHeld(id)) return;
  }
  Write(*lane, 1 + late_.Below(most));
  Jobs jobs;
  {
    MutexLock lock(mutex_);
    if (!is_closed_) Schedule(id, *lane, jobs);
  }
  Post(jobs);
}

void Lanes::Settle(Lane& lane) {
  for (;;) {
    {
      MutexLock lock(mutex_);
      if (lane.overlay().empty()) return;
    }
    Write(lane, SIZE_MAX);
  }
}

void Lanes::Write(Lane& lane, size_t most) {
  Jobs jobs;
  std::vector<const OrderedCommit*> commits;
  std::shared_ptr<NarrowPartition> handle;
  {
    MutexLock lock(mutex_);
    if (lane.overlay().empty()) return;
    handle = lane.handle();
    if (lane.is_in_doubt()) {
      Lane::Answers answers;
      lane.Die(*lane.overlay().commits().front().doubt ? lane.overlay().size() : 0, false, answers);
      AnswerLate(answers, jobs);
    } else {
      commits = lane.Take(most);
    }
  }
  if (!commits.empty()) {
    const Status status = WriteBelow(handle->inner(), commits);
    Lane::Answers answers;
    MutexLock lock(mutex_);
    if (status.ok()) lane.Written(answers);
    else lane.Fail(status, answers);
    AnswerLate(answers, jobs);
  }
  Post(jobs);
}

Status Lanes::WriteBelow(OpenPartition& inner, const std::vector<const OrderedCommit*>& commits) {
  DurableOp durable;
  durable.partition = &inner;
  for (const OrderedCommit* commit : commits) {
    CommitOp op;
    op.partition = &inner, op.batch = &commit->batch;
    inner_.Commit(op);
    WaitFor(op.done);
    if (!op.status.ok()) return op.status;
    if (op.sequence != commit->sequence) {
      // Somebody has been told another number.
      std::fprintf(stderr, "narrow engine: a commit took number %llu and not %llu\n",
                   static_cast<unsigned long long>(op.sequence), static_cast<unsigned long long>(commit->sequence));
      std::abort();
    }
    durable.mark = op.mark;
  }
  inner_.WhenDurable(durable);
  WaitFor(durable.done);
  return durable.status;
}

}  // namespace armature::storage
