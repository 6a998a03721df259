#include "table/read/lagged_view.h"

#include <algorithm>

namespace armature::table {

namespace {
constexpr int64_t kSamplesPerLag = 4;
}

LaggedView::LaggedView(storage::Engine& engine, const Clock& clock, int64_t lag_millis)
    : engine_(engine), clock_(clock), lag_millis_(lag_millis) {
  Sample();
}

void LaggedView::Sample() {
  // The time first: a snapshot is never older than it says.
  const int64_t now = clock_.NowMillis();
  Taken taken{now, engine_.TakeSnapshot()};
  std::deque<Taken> let_go;  // released outside the lock
  MutexLock lock(mutex_);
  // A clock that was set back: what was taken moves with it. Left in the future, it would be shown until then.
  if (!taken_.empty() && taken_.back().at_millis > now) {
    const int64_t back = taken_.back().at_millis - now;
    for (Taken& earlier : taken_) earlier.at_millis -= back;
  }
  taken_.push_back(std::move(taken));
  while (taken_.size() > 1 && taken_[1].at_millis <= now - lag_millis_) {
    let_go.push_back(std::move(taken_.front()));
    taken_.pop_front();
  }
}

std::chrono::milliseconds LaggedView::interval() const {
  return std::chrono::milliseconds(std::max<int64_t>(1, lag_millis_ / kSamplesPerLag));
}

std::shared_ptr<const storage::Snapshot> LaggedView::Current() const {
  const int64_t wanted = clock_.NowMillis() - lag_millis_;
  MutexLock lock(mutex_);
  auto current = taken_.begin();
  for (auto it = taken_.begin(); it != taken_.end() && it->at_millis <= wanted; ++it) current = it;
  return current == taken_.end() ? nullptr : current->snapshot;
}

void LaggedView::Release() {
  MutexLock lock(mutex_);
  taken_.clear();
}

}  // namespace armature::table
