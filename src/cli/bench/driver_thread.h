// One thread of the load driver: its connections, its workload, its counts.
//
// Owns the epoll loop. Everything here belongs to the thread that calls Run(), except the plan, which
// is constant, and the results, which may be read once Run() has returned.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench/measure/histogram.h"
#include "cli/bench/socket.h"
#include "cli/bench/wire/wire.h"
#include "cli/bench/workload.h"

namespace armature::cli::bench {

int64_t NowNanoseconds();  // of the monotonic clock

// What one thread is to do, in times of the monotonic clock.
struct ThreadPlan {
  int64_t measure_from_ns = 0;
  int64_t measure_until_ns = INT64_MAX;
  uint64_t requests = 0;     // when not 0: this many requests are measured, from measure_from_ns on
  double interval_ns = 0;    // of the open loop; 0 is the closed loop
  int64_t first_due_ns = 0;  // of the open loop
};

struct ThreadCounts {
  Histogram latency_ns;
  uint64_t errors = 0;
  uint64_t unsent = 0;
  int64_t finished_ns = 0;  // when the last measured answer came
  std::vector<std::string> error_examples;
};

class DriverThread {
 public:
  DriverThread(const Options& options, std::unique_ptr<Workload> workload, std::unique_ptr<Wire> wire);
  ~DriverThread();

  // Opens the connections, before the plan is made, so that the window holds no connects.
  Result<void> Connect(uint32_t connections);
  // Sends until the plan is fulfilled and every answer is in, or the server cannot be reached any more.
  Result<void> Run(const ThreadPlan& plan);

  Workload& workload() { return *workload_; }
  const ThreadCounts& counts() const { return counts_; }

 private:
  struct Connection {
    Socket socket;
    std::unique_ptr<AnswerParser> parser;
    std::string request;
    bool is_greeted = false;
    size_t sent = 0;
    Operation operation;
    int64_t since_ns = 0;  // where its latency begins
    bool is_busy = false;
    bool is_counted = false;  // one of plan_.requests
    bool waits_for_write = false;
  };

  Result<void> Open(Connection& connection);
  bool MayStart(int64_t now) const;
  Result<void> StartDue(int64_t now);
  Result<void> Start(Connection& connection, int64_t since_ns, int64_t now);
  Result<void> Flush(Connection& connection);
  Result<void> OnReadable(Connection& connection);
  void Complete(Connection& connection);
  Result<void> Break(Connection& connection, std::string_view why);
  void CountError(const Operation& operation, const Answer& answer, std::string_view why);
  int64_t WaitUntil(int64_t now) const;

  Endpoint endpoint_;
  ThreadPlan plan_;
  std::unique_ptr<Workload> workload_;
  std::unique_ptr<Wire> wire_;
  int epoll_ = -1;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> idle_;
  uint32_t busy_ = 0;
  uint64_t issued_ = 0;  // counted requests sent
  int64_t next_due_ns_ = 0;
  double due_ns_ = 0;
  int64_t wall_minus_monotonic_ns_ = 0;
  std::string body_;
  std::string why_;
  ThreadCounts counts_;
};

}  // namespace armature::cli::bench
