#include "table/throttle/running_clock.h"

namespace armature::table {

namespace {
// Threads that look at about the same time are not further apart, and no clock is set back for less.
constexpr int64_t kApartMillis = 1000;
}  // namespace

int64_t RunningClock::Behind() const {
  for (;;) {
    // The clock last: whoever is held up in between must not take that for a clock that was set back.
    int64_t zero = zero_.load(std::memory_order_acquire);
    const int64_t newest = newest_.load(std::memory_order_acquire);
    const int64_t now = clock_.NowMillis();
    if (now - zero > newest - kApartMillis) return newest;
    zero_.compare_exchange_strong(zero, now - newest, std::memory_order_acq_rel);
  }
}

}  // namespace armature::table
