// Clock: the only source of time. Injected everywhere, so that tests step it instead of sleeping.
//
// Thread-safe. Every layer may hold a Clock&; nobody calls std::chrono's clocks directly
// except for measuring durations in metrics.
#pragma once

#include <atomic>
#include <cstdint>

namespace armature {

class Clock {
 public:
  virtual ~Clock() = default;
  // Milliseconds since the Unix epoch; positive.
  virtual int64_t NowMillis() const = 0;
  double NowSeconds() const { return static_cast<double>(NowMillis()) / 1000.0; }
};

class SystemClock final : public Clock {
 public:
  int64_t NowMillis() const override;
};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t start_millis = 1'700'000'000'000) : now_(start_millis) {}
  int64_t NowMillis() const override { return now_.load(std::memory_order_acquire); }
  void AdvanceMillis(int64_t millis) { now_.fetch_add(millis, std::memory_order_acq_rel); }

 private:
  std::atomic<int64_t> now_;
};

// Monotonic nanoseconds, for measuring how long something took.
int64_t MonotonicNanos();

}  // namespace armature
