// HybridClock: when a write happened, in an order that never runs backwards.
//
// A stamp is the wall clock's milliseconds (48 bits) and a count (16 bits) for those of the same millisecond, or of a
// clock that was set back. A process hears of stamps that others gave (Observe) and gives only higher ones.
// Thread-safe. Used by the write path.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace armature {

// Compared as numbers; 0: not known.
using HybridTime = uint64_t;

class HybridClock {
 public:
  explicit HybridClock(const Clock& clock) : clock_(clock) {}

  static constexpr int kCountBits = 16;
  static int64_t MillisOf(HybridTime time) { return static_cast<int64_t>(time >> kCountBits); }

  HybridTime Now() {
    const HybridTime wall = static_cast<HybridTime>(clock_.NowMillis()) << kCountBits;
    HybridTime last = last_.load(std::memory_order_relaxed);
    HybridTime next = 0;
    do { next = std::max(wall, last + 1); } while (!last_.compare_exchange_weak(last, next, std::memory_order_relaxed));
    return next;
  }

  // The next is higher than `seen`.
  void Observe(HybridTime seen) {
    HybridTime last = last_.load(std::memory_order_relaxed);
    while (last < seen && !last_.compare_exchange_weak(last, seen, std::memory_order_relaxed)) {}
  }

 private:
  const Clock& clock_;
  std::atomic<HybridTime> last_{0};
};

}  // namespace armature
