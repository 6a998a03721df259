// TableJournal: the journal of one table as the write path sees it: who gets which position.
//
// A writer takes a slot (lane, position, images to keep) under its item's latch, puts the record into the same batch as
// the item, and gives the slot back when the commit is over. Positions rise in the order slots are taken, so an item's
// records have its order; commits may overtake each other, so readers stop at the lowest slot still out (horizon()).
// Lanes and images change at one moment between two slots. A table nobody follows costs one load. Thread-safe. Owned by
// Table; slots are used by the write path, the rest by Journal.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/engine.h"
#include "table/lanes/journal_bell.h"
#include "table/lanes/journal_state.h"

namespace armature::table {

class TableJournal {
  struct OpenLane {
    LaneId id = 0;
    uint64_t hash_first = 0;
    uint64_t hash_last = 0;
    uint64_t slots = 0;
  };

 public:
  TableJournal();

  bool is_followed() const { return is_followed_.load(std::memory_order_acquire); }

  struct Slot {
    LaneId lane = 0;
    Position position = 0;
    model::Images images = 0;
    int64_t created_millis = 0;
  };
  // Nothing if nobody follows (any more). `hash` is that of the item's partition key.
  std::optional<Slot> Take(uint64_t hash);
  // The commit is over: `mark` is its own, or 0 if it came to nothing.
  void GiveBack(Position position, storage::Mark mark, size_t record_bytes);

  // Everything below `position` that was committed is in every view that has `mark`.
  struct Horizon {
    Position position = 0;
    storage::Mark mark = 0;
  };
  Horizon horizon() const;

  std::shared_ptr<const JournalState> state() const;
  // Records and bytes written since the journal began.
  uint64_t records() const { return records_.load(std::memory_order_relaxed); }
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  // The rest is Journal's.

  // A state made ready for use: adopting it takes no memory any more, so that what is stored is also used.
  class Ready {
   public:
    explicit Ready(std::shared_ptr<const JournalState> state);

   private:
    friend class TableJournal;
    std::shared_ptr<const JournalState> state_;
    std::vector<OpenLane> open_lanes_;
  };

  // Before anything else: where time comes from and whom to tell of records. Both outlive every write.
  void Attach(const Clock& clock, JournalBell& bell);
  // The state found in the store; `next` is above every position ever used.
  void Restore(Ready state, Position next, uint64_t records, uint64_t bytes);
  // From now on `state` holds and the next position is at least `from`. False, and nothing changed, if `from` is
  // passed already.
  bool Switch(Ready state, Position from) noexcept;
  // The same lanes, with other things about them changed.
  void Publish(std::shared_ptr<const JournalState> state);
  Position next() const;
  // How many slots of each open lane were taken since the last call.
  struct LaneCount {
    LaneId lane = 0;
    uint64_t slots = 0;
  };
  std::vector<LaneCount> TakeCounts();

 private:
  void Adopt(Ready& ready) noexcept ARMATURE_WITH_LOCK(mutex_);

  std::atomic<bool> is_followed_{false};
  std::atomic<uint64_t> records_{0};
  std::atomic<uint64_t> bytes_{0};

  mutable Mutex mutex_;
  std::shared_ptr<const JournalState> state_ ARMATURE_GUARDED_BY(mutex_);  // never null
  std::vector<OpenLane> open_lanes_ ARMATURE_GUARDED_BY(mutex_);           // empty: nobody follows
  model::Images images_ ARMATURE_GUARDED_BY(mutex_) = 0;
  Position next_ ARMATURE_GUARDED_BY(mutex_) = 1;
  // Of a slot: time never runs backwards along positions.
  int64_t last_millis_ ARMATURE_GUARDED_BY(mutex_) = 0;
  const Clock* clock_ ARMATURE_GUARDED_BY(mutex_) = nullptr;
  JournalBell* bell_ ARMATURE_GUARDED_BY(mutex_) = nullptr;
  // First where records end, then the slots that are out, ascending (table_journal.cc).
  std::vector<Position> taken_ ARMATURE_GUARDED_BY(mutex_);
  storage::Mark last_mark_ ARMATURE_GUARDED_BY(mutex_) = 0;
};

}  // namespace armature::table
