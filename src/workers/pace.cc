#include "workers/pace.h"

#include <algorithm>

#include <time.h>

#include "base/clock.h"

namespace armature::workers {

using std::chrono::milliseconds;

namespace {

constexpr int64_t kRestsPerTime = 2;
constexpr milliseconds kShortestRest(1);
constexpr milliseconds kLongestRest(1000);

int64_t ThreadCpuNanos() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Pace::Pace(int64_t rests_per_cpu_time)
    : rests_per_cpu_time_(rests_per_cpu_time), started_nanos_(MonotonicNanos()), cpu_nanos_(ThreadCpuNanos()) {}

milliseconds Pace::Rest() const {
  const int64_t by_cpu = (ThreadCpuNanos() - cpu_nanos_) * rests_per_cpu_time_;
  const int64_t by_time = (MonotonicNanos() - started_nanos_) * kRestsPerTime;
  return std::clamp(milliseconds(std::max(by_cpu, by_time) / 1'000'000), kShortestRest, kLongestRest);
}

}  // namespace armature::workers
