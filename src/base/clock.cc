#include "base/clock.h"

#include <ctime>

namespace armature {

namespace {
int64_t Read(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}
}  // namespace

int64_t SystemClock::NowMillis() const { return Read(CLOCK_REALTIME) / 1'000'000; }

int64_t MonotonicNanos() { return Read(CLOCK_MONOTONIC); }

}  // namespace armature
