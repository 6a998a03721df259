#include "cli/bench/measure/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace armature::cli::bench {

size_t Histogram::BucketOf(uint64_t value) {
  if (value < kSubCount) return value;
  const int bits = std::bit_width(value);
  if (bits > kMaxBits) return kBuckets - 1;
  // The leading kSubBits bits choose the part; the leading one is implied, hence kSubCount / 2 parts.
  const uint64_t part = (value >> (bits - kSubBits)) - kSubCount / 2;
  return kSubCount + static_cast<size_t>(bits - kSubBits - 1) * (kSubCount / 2) + part;
}

uint64_t Histogram::UpperBound(size_t bucket) {
  if (bucket < kSubCount) return bucket;
  const size_t above = bucket - kSubCount;
  const size_t shift = above / (kSubCount / 2) + 1;
  const uint64_t part = above % (kSubCount / 2) + kSubCount / 2;
  return ((part + 1) << shift) - 1;
}

void Histogram::Record(uint64_t value) {
  ++counts_[BucketOf(value)];
  ++count_;
  sum_ += value;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void Histogram::Merge(const Histogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

double Histogram::Mean() const { return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_); }

uint64_t Histogram::Percentile(double percentile) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(percentile / 100.0 * static_cast<double>(count_));
  const uint64_t rank = std::clamp<uint64_t>(static_cast<uint64_t>(std::max(wanted, 1.0)), 1, count_);
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += counts_[i];
    if (seen >= rank) return i == kBuckets - 1 ? max_ : std::min(UpperBound(i), max_);
  }
  return max_;
}

}  // namespace armature::cli::bench
