// RunningClock: time that only goes on, whatever is done to the clock of the machine.
//
// Nanoseconds since it was made, in the steps of the clock it is made on. Where that is set back time goes on from
// where it was, so that nobody waits for the clock to come back to where it has been; set forward, the time is over.
// Thread-safe. Used by throttles.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace armature::table {

class RunningClock {
 public:
  explicit RunningClock(const Clock& clock) : clock_(clock), zero_(clock.NowMillis()) {}

  int64_t NowNanos() const {
    const int64_t zero = zero_.load(std::memory_order_acquire);  // before the clock is looked at: see Behind
    const int64_t millis = clock_.NowMillis() - zero;
    int64_t newest = newest_.load(std::memory_order_acquire);
    if (millis < newest) [[unlikely]]
      return Behind() * kNanosPerMilli;
    while (millis > newest && !newest_.compare_exchange_weak(newest, millis, std::memory_order_acq_rel)) {}
    return millis * kNanosPerMilli;
  }

 private:
  static constexpr int64_t kNanosPerMilli = 1'000'000;

  // Another thread has looked later, or the clock was set back.
  int64_t Behind() const;

  const Clock& clock_;
  mutable std::atomic<int64_t> zero_;       // what the clock shows when this is at 0
  mutable std::atomic<int64_t> newest_{0};  // milliseconds
};

}  // namespace armature::table
