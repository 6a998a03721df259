#include "base/memory/memory_reserve.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

namespace armature {

namespace {

std::atomic<void*> reserve{nullptr};
size_t reserve_bytes = 0;

void* TakeReserve() {
  void* const memory = mmap(nullptr, reserve_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// As base/log.h writes it, without memory.
void SayLine(const char* text) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm utc{};
  gmtime_r(&now.tv_sec, &utc);
  char line[512];
  const int size =
      std::snprintf(line, sizeof line, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ error %s\n", utc.tm_year + 1900,
                    utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, now.tv_nsec / 1'000'000, text);
  const size_t length = size < 0 ? 0 : std::min(static_cast<size_t>(size), sizeof line - 1);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line, length);
}

[[noreturn]] void StopForLackOfMemory() noexcept {
  SayLine("out of memory: the server stops here; what it acknowledged is kept as --durability says");
  _exit(1);
}

void OnExhausted() {
  if (Essential::MayFail()) throw std::bad_alloc();
  void* const memory = reserve.exchange(nullptr);
  if (memory == nullptr) StopForLackOfMemory();
  munmap(memory, reserve_bytes);
  if (LogEnabled(LogLevel::kError))
    SayLine("memory is exhausted: the reserve is being used, and requests that need more are refused");
}

[[noreturn]] void OnUncaught() noexcept {
  const char* what = "something that is no exception";
  try {
    if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
    what = "no exception";
  } catch (const std::bad_alloc&) { StopForLackOfMemory(); } catch (const std::exception& error) {
    char line[400];
    std::snprintf(line, sizeof line, "the server stops here, because of an error nobody expected: %s", error.what());
    SayLine(line);
    std::abort();
  } catch (...) {}
  char line[200];
  std::snprintf(line, sizeof line, "the server stops here, because of an error nobody expected: %s", what);
  SayLine(line);
  std::abort();
}

}  // namespace

void MemoryReserve::Install(size_t bytes) {
  reserve_bytes = bytes;
  Refill();
  std::set_new_handler(OnExhausted);
  std::set_terminate(OnUncaught);
}

void MemoryReserve::Refill() {
  if (reserve_bytes == 0 || reserve.load() != nullptr) return;
  void* const memory = TakeReserve();
  void* expected = nullptr;
  if (memory != nullptr && !reserve.compare_exchange_strong(expected, memory)) munmap(memory, reserve_bytes);
}

bool MemoryReserve::is_spent() { return reserve.load(std::memory_order_relaxed) == nullptr && reserve_bytes != 0; }

}  // namespace armature
