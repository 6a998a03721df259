#include "table/lanes/table_journal.h"

#include <algorithm>

namespace armature::table {

// taken_.front() is behind the last record, or where this process or its lanes began: a restart goes on at or above it.
// Behind it may be positions that came to nothing (a cancelled transaction), and after a crash they are given out
// again. So no reader is told to go on behind it.
TableJournal::TableJournal() : state_(std::make_shared<const JournalState>()), taken_{next_} {}

std::optional<TableJournal::Slot> TableJournal::Take(uint64_t hash) {
  MutexLock lock(mutex_);
  if (open_lanes_.empty()) return std::nullopt;
  // Open lanes are sorted by hash and cover all of them.
  auto lane = open_lanes_.begin();
  while (hash > lane->hash_last) ++lane;
  ++lane->slots;
  last_millis_ = std::max(last_millis_, clock_->NowMillis());
  taken_.push_back(next_);
  return Slot{lane->id, next_++, images_, last_millis_};
}

void TableJournal::GiveBack(Position position, storage::Mark mark, size_t record_bytes) {
  JournalBell* bell = nullptr;
  {
    MutexLock lock(mutex_);
    taken_.erase(std::lower_bound(taken_.begin() + 1, taken_.end(), position));
    if (mark == 0) return;
    taken_.front() = std::max(taken_.front(), position + 1);
    last_mark_ = std::max(last_mark_, mark);
    bell = bell_;
  }
  records_.fetch_add(1, std::memory_order_relaxed);
  bytes_.fetch_add(record_bytes, std::memory_order_relaxed);
  bell->Ring();
}

TableJournal::Horizon TableJournal::horizon() const {
  MutexLock lock(mutex_);
  return {std::min(taken_.front(), taken_.size() == 1 ? next_ : taken_[1]), last_mark_};
}

std::shared_ptr<const JournalState> TableJournal::state() const {
  MutexLock lock(mutex_);
  return state_;
}

Position TableJournal::next() const {
  MutexLock lock(mutex_);
  return next_;
}

void TableJournal::Attach(const Clock& clock, JournalBell& bell) {
  MutexLock lock(mutex_);
  clock_ = &clock;
  bell_ = &bell;
}

TableJournal::Ready::Ready(std::shared_ptr<const JournalState> state) : state_(std::move(state)) {
  if (state_->is_followed())
    for (const Lane& lane : state_->lanes)
      if (lane.is_open()) open_lanes_.push_back({lane.id, lane.hash_first, lane.hash_last, 0});
  std::sort(open_lanes_.begin(), open_lanes_.end(),
            [](const auto& a, const auto& b) { return a.hash_first < b.hash_first; });
}

// What was before is left in `ready`.
void TableJournal::Adopt(Ready& ready) noexcept {
  for (OpenLane& lane : ready.open_lanes_)
    for (const OpenLane& before : open_lanes_)
      if (before.id == lane.id) lane.slots = before.slots;
  state_.swap(ready.state_);
  open_lanes_.swap(ready.open_lanes_);
  images_ = state_->images();
  is_followed_.store(!open_lanes_.empty(), std::memory_order_release);
}

void TableJournal::Restore(Ready state, Position next, uint64_t records, uint64_t bytes) {
  MutexLock lock(mutex_);
  next_ = taken_.front() = next;
  records_ = records;
  bytes_ = bytes;
  Adopt(state);
}

bool TableJournal::Switch(Ready state, Position from) noexcept {
  MutexLock lock(mutex_);
  if (next_ > from) return false;
  next_ = taken_.front() = from;
  Adopt(state);
  return true;
}

void TableJournal::Publish(std::shared_ptr<const JournalState> state) {
  MutexLock lock(mutex_);
  state_ = std::move(state);
}

std::vector<TableJournal::LaneCount> TableJournal::TakeCounts() {
  std::vector<LaneCount> counts;
  MutexLock lock(mutex_);
  for (OpenLane& lane : open_lanes_) counts.push_back({lane.id, std::exchange(lane.slots, 0)});
  return counts;
}

}  // namespace armature::table
