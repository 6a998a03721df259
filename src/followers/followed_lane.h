// FollowedLane: one lane that a follower works on: what of it is read, what is under way, what is dealt with.
//
// Reads the lane page by page and hands the records to the follower, who takes on as many as it has room for and says
// of each when it is dealt with, in any order. Nothing is remembered here over restarts: that is LaneWalker's, which
// makes these. Advance is for one caller at a time; all else is thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "base/async.h"
#include "base/memory/arena.h"
#include "base/mutex.h"
#include "base/result.h"
#include "followers/lane_progress.h"
#include "model/change_record.h"
#include "table/journal/journal.h"

namespace armature::followers {

class FollowedLane;

// Records of a lane, in their order, for a follower to take on from the front.
class LaneBatch {
 public:
  LaneBatch() = default;
  explicit LaneBatch(std::span<const model::ChangeRecord> records) : left_(records) {}

  // Those that were not taken on yet. They last until the delivery has returned.
  std::span<const model::ChangeRecord> left() const { return left_; }
  // The first is the follower's now, who will call Finished. One by one, so that it holds however a delivery ends.
  void TakeFirst() noexcept { left_ = left_.subspan(1); }

 private:
  std::span<const model::ChangeRecord> left_;
};

// What a follower supplies. Records that it does not take on, for want of room, are offered again.
using Deliver = std::function<Task<Status>(const std::shared_ptr<FollowedLane>& lane, LaneBatch& batch)>;

class FollowedLane : public std::enable_shared_from_this<FollowedLane> {
 public:
  FollowedLane(table::Journal& journal, std::shared_ptr<table::Table> table, model::Images images,
               const table::Lane& lane, table::Position start, std::stop_token stop);
  FollowedLane(const FollowedLane&) = delete;
  FollowedLane& operator=(const FollowedLane&) = delete;

  table::LaneId id() const { return lane_.id; }
  // As it was when work on it began.
  const table::Lane& lane() const { return lane_; }

  enum class Step {
    kMore,      // there may be more at once
    kNoRoom,    // not all was taken on: the rest is offered first
    kCaughtUp,  // there is nothing more at this moment
    kRead,      // nothing more will come
    kStopped,
  };
  struct Advanced {
    Step step = Step::kMore;
    size_t taken = 0;
    bool was_trimmed = false;  // records were gone before they could be read
  };
  // What was not taken on before, or else the next page, goes to `deliver`.
  Task<Result<Advanced>> Advance(table::ReadLimits limits, const Deliver& deliver);
  // How many records the table had when the last page was read: what to wait by (JournalWatch). For whoever advances.
  uint64_t records_before() const { return records_before_; }

  // A record that was taken on is dealt with.
  void Finished(table::Position position);

  struct View {
    table::Position next = 0;   // everything below is dealt with
    bool is_done = false;       // the lane is closed and all of it is dealt with
    bool is_behind = false;     // there are records that are not dealt with
    int64_t oldest_millis = 0;  // when the oldest of those under way was written; 0: none is
  };
  View view() const;

 private:
  Task<Status> ReadPage(table::ReadLimits limits, Advanced& advanced);
  void NoteUnderWay();
  Step FinishPage();

  table::Journal& journal_;
  const std::shared_ptr<table::Table> table_;
  const model::Images images_;
  const table::Lane lane_;
  const std::stop_token stop_;

  mutable Mutex mutex_;
  LaneProgress progress_ ARMATURE_GUARDED_BY(mutex_);
  bool is_read_ ARMATURE_GUARDED_BY(mutex_) = false;  // nothing more will come
  bool is_caught_up_ ARMATURE_GUARDED_BY(mutex_) = false;

  // The advancing caller's own.
  table::Position next_;
  Arena arena_;
  std::optional<table::JournalPage> page_;  // being delivered; its records are in arena_
  size_t noted_ = 0;                        // records of it that progress_ knows
  LaneBatch batch_;
  uint64_t records_before_ = 0;
};

}  // namespace armature::followers
