#include "base/metrics.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, SameNameAndLabelsIsTheSameCounter) {
  Metrics metrics;
  Counter& first = metrics.GetCounter("requests_total", "Requests.", "operation=\"GetItem\"");
  Counter& again = metrics.GetCounter("requests_total", "Requests.", "operation=\"GetItem\"");
  Counter& other = metrics.GetCounter("requests_total", "Requests.", "operation=\"PutItem\"");
  EXPECT_EQ(&first, &again);
  EXPECT_NE(&first, &other);
}

TEST(Metrics, RendersCountersAndGauges) {
  Metrics metrics;
  metrics.GetCounter("requests_total", "Requests.", "operation=\"GetItem\"").Add(3);
  metrics.AddGauge("connections", "Open connections.", [] { return 2.5; });
  const std::string text = metrics.RenderPrometheus();
  EXPECT_THAT(text, HasSubstr("# HELP requests_total Requests.\n# TYPE requests_total counter\n"));
  EXPECT_THAT(text, HasSubstr("requests_total{operation=\"GetItem\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE connections gauge\nconnections 2.5\n"));
}

TEST(Metrics, HistogramBucketsAreCumulativePowersOfTwo) {
  Metrics metrics;
  LatencyHistogram& histogram = metrics.GetHistogram("latency_seconds", "Latency.", "op=\"x\"");
  for (uint64_t micros : {0, 1, 2, 3, 4, 1'000'000}) histogram.RecordMicros(micros);
  histogram.RecordMicros(UINT64_MAX / 2);  // beyond the last bound
  EXPECT_EQ(histogram.bucket(0), 2u);
  EXPECT_EQ(histogram.bucket(1), 1u);
  EXPECT_EQ(histogram.bucket(2), 2u);
  EXPECT_EQ(histogram.bucket(20), 1u);
  EXPECT_EQ(histogram.bucket(LatencyHistogram::kBuckets - 1), 1u);
  const std::string text = metrics.RenderPrometheus();
  EXPECT_THAT(text, HasSubstr("latency_seconds_bucket{op=\"x\",le=\"4e-06\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("latency_seconds_bucket{op=\"x\",le=\"+Inf\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("latency_seconds_count{op=\"x\"} 7\n"));
}

TEST(Metrics, CountersAddUpAcrossThreads) {
  Metrics metrics;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Counter& counter = metrics.GetCounter("n", "N.");
      for (int k = 0; k < 10'000; ++k) counter.Add();
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(metrics.GetCounter("n", "N.").value(), 40'000u);
}

}  // namespace
}  // namespace armature
