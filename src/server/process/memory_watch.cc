#include "server/process/memory_watch.h"

#include <cstdio>

#include <unistd.h>

#include "base/log.h"

namespace armature::server {

uint64_t MemoryWatch::ResidentBytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (!file) return 0;
  unsigned long total = 0, resident = 0;
  const int read = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

uint64_t MemoryWatch::PhysicalBytes() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void MemoryWatch::Sample() {
  const uint64_t resident = ResidentBytes();
  const bool is_over = resident > limit_bytes_;
  if (is_over_.exchange(is_over, std::memory_order_relaxed) == is_over) return;
  if (is_over)
    LogWarn("memory: {} MiB resident is over the limit of {} MiB; shedding requests", resident >> 20,
            limit_bytes_ >> 20);
  else LogInfo("memory: back under the limit");
}

}  // namespace armature::server
