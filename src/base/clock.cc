#include "base/clock.h"

#include <algorithm>
#include <ctime>

namespace armature {

namespace {
int64_t Read(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}
}  // namespace

// Times are stored, compared and put into keys as positive numbers, and 0 means never: a clock that is set before 1970
// stands still at its beginning.
int64_t SystemClock::NowMillis() const { return std::max<int64_t>(1, Read(CLOCK_REALTIME) / 1'000'000); }

int64_t MonotonicNanos() { return Read(CLOCK_MONOTONIC); }

}  // namespace armature
