// LaneProgress: how far a lane has been dealt with, although its records are dealt with out of order.
//
// Records are handed over in rising position; several of them may be under way. `next` is where a follower that starts
// anew must begin: below it everything is finished. Not thread-safe: guarded by its owner, FollowedLane.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>

#include "table/lanes/journal_state.h"

namespace armature::followers {

class LaneProgress {
 public:
  explicit LaneProgress(table::Position start) : read_(start) {}

  // A record is on its way. REQUIRES: above every position before.
  void Sent(table::Position position, int64_t created_millis) {
    assert(under_way_.empty() || position > under_way_.back().position);
    under_way_.push_back({position, created_millis, false});
    read_ = std::max(read_, position + 1);
  }
  // Everything below has been read; what was not sent is nobody's.
  void Read(table::Position next) { read_ = std::max(read_, next); }

  void Finished(table::Position position) {
    const auto entry = std::lower_bound(under_way_.begin(), under_way_.end(), position,
                                        [](const Entry& e, table::Position p) { return e.position < p; });
    assert(entry != under_way_.end() && entry->position == position);
    entry->is_finished = true;
    while (!under_way_.empty() && under_way_.front().is_finished) under_way_.pop_front();
  }

  table::Position next() const { return under_way_.empty() ? read_ : under_way_.front().position; }
  bool is_idle() const { return under_way_.empty(); }
  // When the oldest record under way was written. REQUIRES: not idle.
  int64_t oldest_millis() const {
    assert(!is_idle());
    return under_way_.front().created_millis;
  }

 private:
  struct Entry {
    table::Position position;
    int64_t created_millis;
    bool is_finished;
  };
  table::Position read_;
  std::deque<Entry> under_way_;
};

}  // namespace armature::followers
