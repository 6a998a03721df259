// Periodic: a background thread that runs a step now and then.
//
// Owns its thread. Start runs the step every `interval` until Stop, which waits for a step under way; RunSoon brings
// the next one forward. The step itself is an ordinary function that tests call directly; it must not throw.
// Thread-safe but for Start and Stop. Used by server/ for the house's background work.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "base/mutex.h"

namespace armature::workers {

class Periodic {
 public:
  Periodic(std::chrono::milliseconds interval, std::function<void()> step);
  ~Periodic();
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  void Start();
  void Stop();
  // The next step comes after `delay`, unless it is due earlier. From any thread, the step included.
  void RunSoon(std::chrono::milliseconds delay = {});

 private:
  using Clock = std::chrono::steady_clock;
  void Loop(const std::stop_token& stop);

  const std::chrono::milliseconds interval_;
  const std::function<void()> step_;
  Mutex mutex_;
  StoppableCondition wake_;
  Clock::time_point due_ ARMATURE_GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace armature::workers
