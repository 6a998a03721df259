// TableJournal: the journal of one table as the write path sees it: whether somebody follows, and what he wants.
//
// A writer asks under its item's latch and puts the record into the same batch as the item; the commit gives it its
// position. What somebody new wants is wanted before he begins to follow, and until he has ceased: there may be
// records, and images in them, that are nobody's. A table nobody follows costs one load. Thread-safe. Owned by Table;
// asked by the write path, changed by Journal.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "table/lanes/journal_bell.h"
#include "table/lanes/journal_state.h"
#include "table/partition/latches.h"

namespace armature::table {

class TableJournal {
 public:
  TableJournal() : state_(std::make_shared<const JournalState>()) {}

  bool is_followed() const { return wanted_.load(std::memory_order_acquire) >= 0; }
  // The images that records must have. REQUIRES: somebody follows, or did when the latch was taken.
  model::Images wanted() const { return static_cast<model::Images>(wanted_.load(std::memory_order_acquire)); }
  // Records were committed.
  void Count(uint64_t records, uint64_t bytes);

  std::shared_ptr<const JournalState> state() const;
  // Records and bytes written since the journal began.
  uint64_t records() const { return records_.load(std::memory_order_relaxed); }
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  // The rest is Journal's.

  // Whom to tell of records; outlives every write.
  void Attach(JournalBell& bell) { bell_.store(&bell, std::memory_order_release); }
  // The totals found in the store.
  void Restore(uint64_t records, uint64_t bytes);
  // From now on records are made with at least these images. Writers that hold a latch may not know it yet.
  void WantAlso(const JournalState& state);
  // Takes no memory, so that what is stored is also used.
  void Publish(std::shared_ptr<const JournalState> state) noexcept;
  // Where open lanes end is being decided (under the latch), or is not known because storing it has failed. What is
  // committed meanwhile may be a lane's or its child's: nobody is shown it.
  bool is_changing() const { return is_changing_.load(); }
  void SetChanging(bool is_changing) { is_changing_.store(is_changing); }
  LatchTable& change_latch() const { return change_latch_; }

 private:
  std::atomic<int> wanted_{-1};  // images; below 0: nobody follows
  std::atomic<uint64_t> records_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<JournalBell*> bell_{nullptr};
  std::atomic<bool> is_changing_{false};
  mutable LatchTable change_latch_{1};

  mutable Mutex mutex_;
  std::shared_ptr<const JournalState> state_ ARMATURE_GUARDED_BY(mutex_);  // never null
};

}  // namespace armature::table
