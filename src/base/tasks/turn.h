// Turn: what the coroutines of one turn of an event loop can do together, instead of each by itself.
//
// A loop that serves many requests between two sleeps declares its turns; work that is cheaper for several than for
// each (a commit to the log) waits for the end of the turn, which is never far: the loop does not sleep before it.
// Where there are no turns (tests, background threads) Current is null and work is done at once. Belongs to the
// thread that runs the loop. Used by net/ (which has turns) and storage/ (which uses them).
#pragma once

#include <cassert>
#include <vector>

#include "base/memory/memory_reserve.h"

namespace armature {

class Turn {
 public:
  // Something to do once at the end of the turn.
  class Work {
   public:
    virtual ~Work() = default;
    virtual void EndOfTurn() = 0;
  };

  static Turn* Current() { return current_; }

  // REQUIRES: on the loop's own thread. `work` stays until it has been called.
  void AtEnd(Work& work) {
    assert(current_ == this);
    const Essential announced;  // what waits for the end of the turn has no other end
    waiting_.push_back(&work);
  }

  bool has_work() const { return !waiting_.empty(); }
  // Work may ask for more; that is done by the next call.
  void RunWork() {
    running_.swap(waiting_);
    for (Work* work : running_) work->EndOfTurn();
    running_.clear();
  }

  // A loop declares its turns for as long as this lives.
  class Scope {
   public:
    explicit Scope(Turn& turn) { current_ = &turn; }
    ~Scope() { current_ = nullptr; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

 private:
  static inline thread_local Turn* current_ = nullptr;
  std::vector<Work*> waiting_;
  std::vector<Work*> running_;
};

}  // namespace armature
