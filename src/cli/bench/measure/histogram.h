// Latency histogram with logarithmic buckets (the layout HdrHistogram made known).
//
// Owns a fixed array of counts: values up to 2^kSubBits are exact, above that every power of two
// is cut into 2^(kSubBits-1) equal parts, so a reported percentile is at most 1.6 % above the true
// value and recording is an increment. Not thread-safe: each driver thread has its own, merged
// after the run. Used by the load driver only; knows nothing of units or clocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace armature::cli::bench {

class Histogram {
 public:
  void Record(uint64_t value);
  void Merge(const Histogram& other);

  uint64_t count() const { return count_; }
  uint64_t min() const { return count_ == 0 ? 0 : min_; }
  uint64_t max() const { return max_; }
  double Mean() const;

  // The smallest recorded bucket bound that at least `percentile` percent of the values do not
  // exceed; never above max(). 0 when nothing was recorded.
  uint64_t Percentile(double percentile) const;

 private:
  static constexpr int kSubBits = 7;
  static constexpr uint64_t kSubCount = uint64_t{1} << kSubBits;
  static constexpr int kMaxBits = 42;  // 73 minutes in nanoseconds; longer values fall in the last bucket
  static constexpr size_t kBuckets = kSubCount + (kMaxBits - kSubBits) * (kSubCount / 2);

  static size_t BucketOf(uint64_t value);
  static uint64_t UpperBound(size_t bucket);

  std::array<uint64_t, kBuckets> counts_{};
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t min_ = UINT64_MAX;
  uint64_t max_ = 0;
};

}  // namespace armature::cli::bench
