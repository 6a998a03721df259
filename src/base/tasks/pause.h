// Pauses: how a coroutine lets time pass without keeping a thread.
//
// For whoever tries something again that was refused for now. It goes on later on the executor it runs on; outside of
// one, and on one without a clock (tests), at once. Used by table/.
#pragma once

#include <chrono>
#include <coroutine>

#include "base/async.h"

namespace armature {

// `co_await PauseFor{std::chrono::milliseconds(5)}`
struct PauseFor {
  std::chrono::milliseconds pause;

  bool await_ready() const noexcept { return pause.count() <= 0 || !Executor::Current(); }
  void await_suspend(std::coroutine_handle<> caller) const { Executor::Current()->PostAfter(caller, pause); }
  void await_resume() const noexcept {}
};

}  // namespace armature
