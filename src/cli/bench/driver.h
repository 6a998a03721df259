// The load itself: keep-alive connections in an epoll loop, one loop per driver thread.
//
// RunLoad starts the threads, lets them warm up, measures, drains what is in flight and merges the counts.
// Closed loop: each connection sends its next request when the answer has come. Open loop: requests are due at
// a fixed rate; one that finds no free connection waits, and its latency counts from when it was due.
// Every answer goes through the workload's Verify, those of the warm-up too. Called by the bench command only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench/measure/histogram.h"
#include "cli/bench/measure/process_usage.h"
#include "cli/bench/options.h"
#include "cli/bench/workload.h"

namespace armature::cli::bench {

struct LoadResult {
  Histogram latency_ns;  // of right answers in the measured window
  double seconds = 0;    // length of that window
  uint64_t errors = 0;   // wrong answers and broken connections, at any time
  uint64_t unsent = 0;   // open loop: due in the window but still waiting for a connection at its end
  std::vector<std::string> error_examples;
  double server_cpu_us = 0;  // of --pid, in the window
  double client_cpu_us = 0;  // of the driver itself, in the window
  uint64_t server_rss_bytes = 0;
  bool has_server_usage = false;
};

// Runs `info` as the options say, including its final check. `one_pass` workloads run once over all items.
Result<LoadResult> RunLoad(const Options& options, const WorkloadInfo& info);

}  // namespace armature::cli::bench
