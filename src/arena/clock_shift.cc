// Preloaded into a server under test: its time of day is the real one plus what a file says, so that it jumps when the
// arena wants it to. Only the time of day; what measures durations (CLOCK_MONOTONIC) is left alone, as it is when an
// administrator sets a clock. The file holds eight bytes, nanoseconds.
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

const std::atomic<int64_t>* MapShift() {
  const char* path = std::getenv("ARMATURE_CLOCK_SHIFT");
  if (!path) return nullptr;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const mapped = mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? nullptr : static_cast<const std::atomic<int64_t>*>(mapped);
}

int64_t ShiftNanos() {
  static const std::atomic<int64_t>* const shift = MapShift();
  return shift ? shift->load(std::memory_order_relaxed) : 0;
}

using ClockGettime = int (*)(clockid_t, timespec*);

}  // namespace

extern "C" int clock_gettime(clockid_t id, timespec* time) noexcept {
  static const auto real = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(id, time);
  if (result != 0 || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return result;
  const int64_t nanos = time->tv_sec * int64_t{1'000'000'000} + time->tv_nsec + ShiftNanos();
  time->tv_sec = nanos / 1'000'000'000;
  time->tv_nsec = nanos % 1'000'000'000;
  return 0;
}

extern "C" int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

extern "C" time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
