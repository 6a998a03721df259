#include "table/throttle/token_bucket.h"

namespace armature::table {

void TokenBucket::SetRate(int64_t per_second, int64_t now) noexcept {
  const int64_t before = rate_.exchange(per_second, std::memory_order_relaxed);
  if (before == per_second) return;
  int64_t full_at = full_at_.load(std::memory_order_relaxed);
  int64_t changed = 0;
  do {
    // What is in it, in nanoseconds of its rate; a long double has them exactly. Nobody owes for longer than 30 years.
    const long double saved = static_cast<long double>(depth_ - std::max<int64_t>(0, full_at - now));
    const auto depth = static_cast<long double>(depth_);
    const long double kept =
        before == 0 ? depth : saved * static_cast<long double>(before) / static_cast<long double>(per_second);
    changed = now + depth_ - static_cast<int64_t>(std::clamp(kept, -1e18L, depth));
    // Whoever takes meanwhile pays at one rate or the other.
  } while (!full_at_.compare_exchange_weak(full_at, changed, std::memory_order_relaxed));
}

bool TokenBucket::TryTake(int64_t halves, int64_t now) {
  const int64_t nanos = NanosFor(halves);
  int64_t full_at = full_at_.load(std::memory_order_relaxed);
  do {
    if (full_at >= now + depth_) return false;
  } while (!full_at_.compare_exchange_weak(full_at, std::max(full_at, now) + nanos, std::memory_order_relaxed));
  return true;
}

void TokenBucket::Take(int64_t halves, int64_t now) {
  const int64_t nanos = NanosFor(halves);
  int64_t full_at = full_at_.load(std::memory_order_relaxed);
  while (!full_at_.compare_exchange_weak(full_at, std::max(full_at, now) + nanos, std::memory_order_relaxed)) {}
}

double TokenBucket::Balance(int64_t now) const {
  const int64_t saved = depth_ - std::max<int64_t>(0, full_at_.load(std::memory_order_relaxed) - now);
  return static_cast<double>(saved) * static_cast<double>(rate_.load(std::memory_order_relaxed)) / kNanosPerSecond;
}

}  // namespace armature::table
