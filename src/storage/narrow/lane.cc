#include "storage/narrow/lane.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/core.h>

#include "storage/embedded_partition.h"

namespace armature::storage {
namespace {

Status Lost() { return Status::Fenced("the commit was lost with its handle"); }
Status InDoubt() { return Status::Unknown("what became of the commit is known when the partition is opened again"); }

}  // namespace

void Lane::Open(std::shared_ptr<NarrowPartition> handle) {
  assert(overlay_.empty());
  handle_ = std::move(handle);
  durable_ = ordered_;
  is_unsettled_ = false;
}

void Lane::End(bool is_dropped) {
  is_unsettled_ = false;
  if (!handle_) return;
  if (is_dropped) handle_->Drop();
  else handle_->Kill();
}

Sequence Lane::NextSequence(const Batch& batch) const { return handle_->newest() + NumbersOf(*handle_, batch); }

void Lane::Order(CommitOp& op, std::optional<bool> doubt) {
  const Sequence before = handle_->newest();
  op.sequence = NextSequence(*op.batch);
  op.mark = ++ordered_;
  overlay_.Add({*op.batch, before, op.sequence, op.mark, doubt});
  handle_->AddCounts(op.batch->counts());
  handle_->SetNewest(op.sequence);
}

std::vector<const OrderedCommit*> Lane::Take(size_t most) {
  std::vector<const OrderedCommit*> taken;
  for (const OrderedCommit& commit : overlay_.commits()) {
    if (commit.doubt || taken.size() == most) break;
    taken.push_back(&commit);
  }
  in_flight_ = taken.size();
  return taken;
}

void Lane::Written(Answers& answers) {
  durable_ = overlay_.commits()[in_flight_ - 1].mark;
  overlay_.RemoveFirst(std::exchange(in_flight_, 0));
  const auto waiting =
      std::partition(parked_.begin(), parked_.end(), [&](DurableOp* op) { return op->mark > durable_; });
  for (auto op = waiting; op != parked_.end(); ++op) answers.push_back({*op, Status()});
  parked_.erase(waiting, parked_.end());
}

size_t Lane::CountBefore(Mark mark) const {
  const auto& commits = overlay_.commits();
  return static_cast<size_t>(
      std::count_if(commits.begin(), commits.end(), [&](const OrderedCommit& commit) { return commit.mark < mark; }));
}

void Lane::Die(size_t keep, bool is_fence, Answers& answers) {
  handle_->Kill();
  is_unsettled_ = true;
  durable_at_death_ = durable_;
  Cut(handle_->info().is_ended ? overlay_.size() : keep);
  AnswerAll(InDoubt(), is_fence, answers);
}

void Lane::Fail(const Status& why, Answers& answers) {
  // Some of it may be in the engine below all the same; its numbers say so.
  const auto& commits = overlay_.commits();
  Mark last = durable_;
  for (size_t i = 0; i < in_flight_; ++i)
    if (commits[i].sequence <= handle_->inner().newest()) last = commits[i].mark;
  lost_.push_back({last, ordered_});
  in_flight_ = 0;
  overlay_.Keep(0);
  if (handle_->is_system()) {
    handle_->SetNewest(handle_->inner().newest());
  } else {
    handle_->Kill();
    is_unsettled_ = true;
    durable_at_death_ = durable_;
  }
  AnswerAll(Status::Unknown(why.ToString()), false, answers);
}

void Lane::Crash(Answers& answers) {
  Cut(0);
  AnswerAll(Status::Unknown("the process crashed"), false, answers);
  is_unsettled_ = false;
  if (!handle_) return;
  if (handle_->is_system()) {
    handle_->SetNewest(overlay_.empty() ? handle_->inner().newest() : overlay_.commits().back().sequence);
  } else {
    handle_->Kill();
  }
}

std::optional<Status> Lane::Judge(Mark mark) const {
  if (is_unsettled_ && mark > durable_at_death_) return InDoubt();
  if (IsLost(mark)) return Lost();
  if (mark <= durable_) return Status();
  if (mark > ordered_) return Status::InvalidArgument(fmt::format("no commit has mark {}", mark));
  return std::nullopt;
}

void Lane::Cut(size_t keep) {
  keep = std::max(keep, in_flight_);
  const Mark last = keep == 0 ? durable_ : overlay_.commits()[keep - 1].mark;
  if (keep < overlay_.size()) lost_.push_back({last, ordered_});
  overlay_.Keep(keep);
}

bool Lane::IsLost(Mark mark) const {
  return std::any_of(lost_.begin(), lost_.end(),
                     [&](const LostMarks& lost) { return lost.after < mark && mark <= lost.last; });
}

void Lane::AnswerAll(const Status& status, bool tells_losses, Answers& answers) {
  for (DurableOp* op : parked_) answers.push_back({op, tells_losses && IsLost(op->mark) ? Lost() : status});
  parked_.clear();
}

}  // namespace armature::storage
