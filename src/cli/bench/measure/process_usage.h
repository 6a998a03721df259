// How much CPU time and memory processes have used, from /proc.
//
// Counts a process with all its threads, ended ones too, and its living descendants (nginx's workers).
// Linux reports CPU time in ticks of 10 ms: meaningful over seconds, not over milliseconds. Stateless.
#pragma once

#include <cstdint>
#include <vector>

namespace armature::cli::bench {

struct ProcessUsage {
  double cpu_us = 0;
  uint64_t rss_bytes = 0;
  int processes = 0;  // how many were found; 0 if none of the pids exists
};

ProcessUsage ReadProcessUsage(const std::vector<int>& pids);

}  // namespace armature::cli::bench
