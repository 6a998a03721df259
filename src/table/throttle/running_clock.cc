#include "table/throttle/running_clock.h"

namespace armature::table {

namespace {
// Threads that look at about the same time are not further apart, and no clock is set back for less.
constexpr int64_t kApartMillis = 1000;
}  // namespace

int64_t RunningClock::Behind() const {
  for (;;) {
    int64_t zero = zero_.load(std::memory_order_acquire);
    const int64_t now = clock_.NowMillis();
    const int64_t newest = newest_.load(std::memory_order_acquire);
    if (now - zero > newest - kApartMillis) return newest;
    zero_.compare_exchange_strong(zero, now - newest, std::memory_order_acq_rel);
  }
}

}  // namespace armature::table
