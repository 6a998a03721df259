// LogLimit: for a line that could come with every request: it is said once in a while, with how often it was left out.
//
// Thread-safe; lives as long as the program (one per place that logs).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace armature {

class LogLimit {
 public:
  explicit LogLimit(int64_t interval_nanos = 10'000'000'000) : interval_nanos_(interval_nanos) {}

  // How many were left out since the last that was said; nothing if this one is to be left out too.
  std::optional<uint64_t> Pass(int64_t now_nanos = MonotonicNanos()) {
    int64_t due = due_nanos_.load(std::memory_order_relaxed);
    if (now_nanos < due || !due_nanos_.compare_exchange_strong(due, now_nanos + interval_nanos_)) {
      left_out_.fetch_add(1, std::memory_order_relaxed);
      return std::nullopt;
    }
    return left_out_.exchange(0, std::memory_order_relaxed);
  }

 private:
  const int64_t interval_nanos_;
  std::atomic<int64_t> due_nanos_{INT64_MIN};
  std::atomic<uint64_t> left_out_{0};
};

}  // namespace armature
