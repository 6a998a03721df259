#include "followers/followed_lane.h"

#include <utility>

namespace armature::followers {

FollowedLane::FollowedLane(table::Journal& journal, std::shared_ptr<table::Table> table, model::Images images,
                           const table::Lane& lane, table::Position start, std::stop_token stop)
    : journal_(journal),
      table_(std::move(table)),
      images_(images),
      lane_(lane),
      stop_(std::move(stop)),
      progress_(start),
      next_(start) {}

Task<Status> FollowedLane::ReadPage(table::ReadLimits limits, Advanced& advanced) {
  records_before_ = table_->journal().records();
  arena_.Reset();
  auto page = co_await journal_.Read(*table_, lane_.id, next_, limits, images_, arena_);
  if (!page && page.error().code() != StatusCode::kNotFound) co_return page.error();
  noted_ = 0;
  if (page) {
    advanced.was_trimmed = page->was_trimmed && next_ > 0;
    page_ = std::move(*page);
  } else {
    // A lane that is not there any more was trimmed whole.
    page_.emplace();
    page_->next = next_;
    page_->is_caught_up = page_->is_done = true;
  }
  batch_ = LaneBatch(page_->records);
  co_return Status::Ok();
}

// All of a page at once: what is not taken on yet is not dealt with either.
void FollowedLane::NoteUnderWay() {
  MutexLock lock(mutex_);
  for (; noted_ < page_->records.size(); ++noted_) {
    const model::ChangeRecord& record = page_->records[noted_];
    progress_.Sent(record.position, record.created_millis);
  }
}

FollowedLane::Step FollowedLane::FinishPage() {
  const bool is_done = page_->is_done, is_caught_up = page_->is_caught_up;
  next_ = page_->next;
  page_.reset();
  batch_ = {};
  MutexLock lock(mutex_);
  progress_.Read(next_);
  is_caught_up_ = is_done || is_caught_up;
  is_read_ = is_done;
  if (is_done) return Step::kRead;
  return is_caught_up ? Step::kCaughtUp : Step::kMore;
}

Task<Result<FollowedLane::Advanced>> FollowedLane::Advance(table::ReadLimits limits, const Deliver& deliver) {
  Advanced advanced;
  if (stop_.stop_requested()) {
    advanced.step = Step::kStopped;
    co_return advanced;
  }
  {
    MutexLock lock(mutex_);
    if (is_read_) advanced.step = Step::kRead;
  }
  if (advanced.step == Step::kRead) co_return advanced;
  if (!page_) {
    if (Status status = co_await ReadPage(limits, advanced); !status.ok()) co_return status;
  }
  NoteUnderWay();
  const size_t offered = batch_.left().size();
  if (offered > 0) {
    const std::shared_ptr<FollowedLane> self = shared_from_this();
    if (Status status = co_await deliver(self, batch_); !status.ok()) co_return status;
    advanced.taken = offered - batch_.left().size();
  }
  advanced.step = batch_.left().empty() ? FinishPage() : Step::kNoRoom;
  co_return advanced;
}

void FollowedLane::Finished(table::Position position) {
  MutexLock lock(mutex_);
  progress_.Finished(position);
}

FollowedLane::View FollowedLane::view() const {
  MutexLock lock(mutex_);
  View view;
  view.next = progress_.next();
  view.is_done = is_read_ && progress_.is_idle();
  view.is_behind = !progress_.is_idle() || !is_caught_up_;
  if (!progress_.is_idle()) view.oldest_millis = progress_.oldest_millis();
  return view;
}

}  // namespace armature::followers
