// TokenBucket: units of capacity at a rate, and those that were not used, saved for a while.
//
// A full bucket holds what its rate makes in `depth`, and it begins full. Whoever comes while there is something in it,
// however little, is let in and pays what it costs: a bucket may owe, and then lets nobody in until that is made good.
// So over any time no more is granted than rate × time, what a full bucket holds and one operation; and nobody who
// stays below the rate is refused. Costs are counted in halves of a unit, the smallest there are.
//
// A bucket is one number: the moment at which it is full again. Nothing happens as time passes, and every call is a few
// atomic operations. Times are a RunningClock's. Thread-safe, but one SetRate at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace armature::table {

class TokenBucket {
 public:
  // Above it the nanoseconds that a unit takes are too few to be counted.
  static constexpr int64_t kMostPerSecond = 10'000'000;

  // Without a rate: nothing may be asked of it yet.
  explicit TokenBucket(int64_t depth_seconds) : depth_(depth_seconds * kNanosPerSecond) {}

  // Units a second, from now on. What is in it, or owed, stays as it is, in units, as far as there is room. The first
  // rate finds it full. REQUIRES: 1 to kMostPerSecond.
  void SetRate(int64_t per_second, int64_t now) noexcept;

  bool HasAny(int64_t now) const { return full_at_.load(std::memory_order_relaxed) < now + depth_; }
  // Takes `halves` if there is something in it.
  bool TryTake(int64_t halves, int64_t now);
  // Takes them whatever there is.
  void Take(int64_t halves, int64_t now);
  void GiveBack(int64_t halves) { full_at_.fetch_sub(NanosFor(halves), std::memory_order_relaxed); }

  // Units; less than none if it owes.
  double Balance(int64_t now) const;

 private:
  static constexpr int64_t kNanosPerSecond = 1'000'000'000;

  // Rounded up: what is granted keeps to the rate.
  int64_t NanosFor(int64_t halves) const {
    const int64_t per_second = 2 * rate_.load(std::memory_order_relaxed);
    return (halves * kNanosPerSecond + per_second - 1) / per_second;
  }

  const int64_t depth_;
  std::atomic<int64_t> rate_{0};
  std::atomic<int64_t> full_at_{0};
};

}  // namespace armature::table
