// Metrics: counters, gauges and latency histograms, and their Prometheus text.
//
// A Metrics object owns every instrument; instruments live as long as it does and are updated
// lock-free from any thread. Creation takes a lock: look an instrument up once, keep the reference.
// Any layer may count; only the server renders. `labels` is Prometheus label text without
// braces, e.g. `operation="GetItem"`.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace armature {

class Counter {
 public:
  void Add(uint64_t delta = 1) { value_.fetch_add(delta, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// Microsecond latencies in power-of-two buckets from 1 µs to about 67 s.
class LatencyHistogram {
 public:
  static constexpr size_t kBuckets = 27;
  void RecordMicros(uint64_t micros);
  uint64_t bucket(size_t index) const { return buckets_[index].load(std::memory_order_relaxed); }
  uint64_t sum_micros() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<uint64_t>, kBuckets> buckets_{};
  std::atomic<uint64_t> sum_{0};
};

class Metrics {
 public:
  Counter& GetCounter(std::string_view name, std::string_view help, std::string_view labels = {});
  LatencyHistogram& GetHistogram(std::string_view name, std::string_view help, std::string_view labels = {});
  // A gauge is read when rendered. `read` must be callable from any thread while the Metrics lives.
  void AddGauge(std::string_view name, std::string_view help, std::function<double()> read,
                std::string_view labels = {});

  std::string RenderPrometheus() const;

 private:
  struct Family {
    std::string help;
    std::string type;
    std::map<std::string, std::unique_ptr<Counter>, std::less<>> counters;
    std::map<std::string, std::unique_ptr<LatencyHistogram>, std::less<>> histograms;
    std::map<std::string, std::function<double()>, std::less<>> gauges;
  };
  Family& FamilyFor(std::string_view name, std::string_view help, std::string_view type) ARMATURE_WITH_LOCK(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Family, std::less<>> families_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature
