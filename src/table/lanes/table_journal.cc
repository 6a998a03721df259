#include "table/lanes/table_journal.h"

#include <utility>

namespace armature::table {

void TableJournal::Count(uint64_t records, uint64_t bytes) {
  records_.fetch_add(records, std::memory_order_relaxed);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (JournalBell* const bell = bell_.load(std::memory_order_acquire)) bell->Ring();
}

std::shared_ptr<const JournalState> TableJournal::state() const {
  MutexLock lock(mutex_);
  return state_;
}

void TableJournal::Restore(uint64_t records, uint64_t bytes) {
  records_ = records;
  bytes_ = bytes;
}

void TableJournal::WantAlso(const JournalState& state) {
  if (!state.is_followed()) return;
  const int before = wanted_.load(std::memory_order_relaxed);
  wanted_.store((before < 0 ? 0 : before) | static_cast<int>(state.images()), std::memory_order_release);
}

void TableJournal::Publish(std::shared_ptr<const JournalState> state) noexcept {
  wanted_.store(state->is_followed() ? static_cast<int>(state->images()) : -1, std::memory_order_release);
  MutexLock lock(mutex_);
  state_.swap(state);  // the old one goes, if at all, when the lock is free
}

}  // namespace armature::table
