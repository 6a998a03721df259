// WorkMeter: how much a thread has done since it last let others have a turn.
//
// Whatever may be made expensive by a request (rows of a page, conditions, searches) says what it has done, about a
// byte handled a unit; loops that may be long say `co_await YieldIfDue()` where they can be interrupted, and go on
// behind whatever else waits for their reactor. So a request that asks for much costs itself time and others next to
// none. Per thread, no locks. Used by expr/ and table/.
#pragma once

#include <coroutine>
#include <cstddef>

#include "base/async.h"

namespace armature {

class WorkMeter {
 public:
  // Some 0.2 ms.
  static constexpr size_t kTurn = 256 * 1024;

  static void Add(size_t units) { done_ += units; }
  static size_t done() { return done_; }
  static bool is_due() { return done_ >= kTurn; }
  static void StartTurn() { done_ = 0; }

 private:
  static inline thread_local size_t done_ = 0;
};

// Nothing happens before a turn's work is done, and outside of an executor.
struct YieldIfDue {
  bool await_ready() const noexcept { return !WorkMeter::is_due(); }
  bool await_suspend(std::coroutine_handle<> handle) const {
    WorkMeter::StartTurn();
    Executor* const executor = Executor::Current();
    if (!executor) return false;
    executor->Post(handle);
    return true;
  }
  void await_resume() const noexcept {}
};

}  // namespace armature
