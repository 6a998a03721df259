#include "cli/bench/measure/histogram.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "cli/bench/items/random.h"

namespace armature::cli::bench {
namespace {

TEST(HistogramTest, EmptyIsZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.Percentile(50), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.Mean(), 0.0);
}

TEST(HistogramTest, SmallValuesAreExact) {
  Histogram histogram;
  for (uint64_t v = 1; v <= 100; ++v) histogram.Record(v);
  EXPECT_EQ(histogram.Percentile(50), 50u);
  EXPECT_EQ(histogram.Percentile(99), 99u);
  EXPECT_EQ(histogram.Percentile(100), 100u);
  EXPECT_EQ(histogram.Percentile(0), 1u);
  EXPECT_DOUBLE_EQ(histogram.Mean(), 50.5);
}

TEST(HistogramTest, PercentilesStayWithinTheStatedError) {
  Histogram histogram;
  Random random(7);
  std::vector<uint64_t> values;
  for (int i = 0; i < 100000; ++i) {
    // Spread over nine orders of magnitude, as latencies in nanoseconds are.
    const uint64_t value = random.Next() >> (24 + random.Below(34));
    values.push_back(value);
    histogram.Record(value);
  }
  std::sort(values.begin(), values.end());
  for (const double percentile : {1.0, 25.0, 50.0, 90.0, 99.0, 99.9}) {
    const auto rank = static_cast<size_t>(percentile / 100.0 * static_cast<double>(values.size()));
    const auto truth = static_cast<double>(values[std::max<size_t>(rank, 1) - 1]);
    const auto reported = static_cast<double>(histogram.Percentile(percentile));
    EXPECT_GE(reported, truth * 0.999) << percentile;
    EXPECT_LE(reported, truth * 1.017 + 1) << percentile;
  }
}

TEST(HistogramTest, MergeEqualsRecordingEverythingInOne) {
  Histogram a;
  Histogram b;
  Histogram both;
  for (uint64_t v = 1; v < 3'000'000; v = v * 3 / 2 + 1) {
    (v % 2 == 0 ? a : b).Record(v);
    both.Record(v);
  }
  a.Merge(b);
  EXPECT_EQ(a.count(), both.count());
  EXPECT_EQ(a.min(), both.min());
  EXPECT_EQ(a.max(), both.max());
  for (const double percentile : {10.0, 50.0, 90.0, 99.9})
    EXPECT_EQ(a.Percentile(percentile), both.Percentile(percentile));
}

TEST(HistogramTest, ValuesBeyondTheRangeKeepTheMaximum) {
  Histogram histogram;
  histogram.Record(UINT64_MAX / 2);
  EXPECT_EQ(histogram.max(), UINT64_MAX / 2);
  EXPECT_EQ(histogram.Percentile(99), UINT64_MAX / 2);
}

}  // namespace
}  // namespace armature::cli::bench
