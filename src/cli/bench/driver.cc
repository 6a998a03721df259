#include "cli/bench/driver.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/bench/control_client.h"
#include "cli/bench/dax_wire.h"
#include "cli/bench/driver_thread.h"
#include "cli/bench/http/http_wire.h"

namespace armature::cli::bench {
namespace {

constexpr size_t kMaxExamples = 5;

// part i of `total` cut into `parts` pieces whose sizes differ by at most one
uint64_t Piece(uint64_t total, uint64_t parts, uint64_t i) { return (total + parts - 1 - i) / parts; }

void SleepUntil(int64_t monotonic_ns) {
  const timespec until{monotonic_ns / 1'000'000'000, monotonic_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {}
}

class LoadRun {
 public:
  LoadRun(const Options& options, const WorkloadInfo& info) : options_(options), info_(info) {}

  Result<LoadResult> Run() {
    ARMATURE_CHECK_OK(MakeThreads());
    MakePlan();
    StartThreads();
    ObserveWindow();
    for (auto& runner : runners_) runner.join();
    for (const Status& status : statuses_) {
      if (!status.ok()) return status;
    }
    Merge();
    ARMATURE_CHECK_OK(FinalCheck());
    return std::move(result_);
  }

 private:
  Result<void> MakeThreads() {
    const auto run_id = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    for (uint32_t i = 0; i < options_.threads; ++i) {
      const Share share{i, options_.threads, run_id};
      ARMATURE_TRY(std::unique_ptr<Wire> wire, MakeWire());
      auto& thread =
          threads_.emplace_back(std::make_unique<DriverThread>(options_, info_.make(options_, share), std::move(wire)));
      ARMATURE_CHECK_OK(thread->Connect(static_cast<uint32_t>(Piece(options_.connections, options_.threads, i))));
    }
    return {};
  }

  Result<std::unique_ptr<Wire>> MakeWire() const {
    if (!options_.dax)
      return std::unique_ptr<Wire>(std::make_unique<HttpWire>(options_.credentials, options_.endpoint.HostHeader()));
    ARMATURE_TRY(std::unique_ptr<DaxWire> wire, DaxWire::Open(options_));
    return std::unique_ptr<Wire>(std::move(wire));
  }

  void MakePlan() {
    const int64_t now = NowNanoseconds();
    const uint64_t requests = info_.one_pass ? options_.items : options_.requests;
    ThreadPlan plan;
    plan.measure_from_ns = now + (info_.one_pass ? 0 : options_.warmup.count());
    if (requests == 0) plan.measure_until_ns = plan.measure_from_ns + options_.duration.count();
    for (uint32_t i = 0; i < options_.threads; ++i) {
      plan.requests = Piece(requests, options_.threads, i);
      if (options_.rate > 0) {
        plan.interval_ns = 1e9 * options_.threads / options_.rate;
        plan.first_due_ns = now + static_cast<int64_t>(plan.interval_ns * i / options_.threads);
      }
      plans_.push_back(plan);
    }
  }

  void StartThreads() {
    statuses_.resize(threads_.size());
    for (size_t i = 0; i < threads_.size(); ++i) {
      runners_.emplace_back([this, i] {
        if (auto done = threads_[i]->Run(plans_[i]); !done.has_value()) statuses_[i] = done.error();
      });
    }
  }

  // Reads the CPU clocks at the edges of the window, from outside the loops that make the load.
  void ObserveWindow() {
    const std::vector<int> self = {getpid()};
    SleepUntil(plans_[0].measure_from_ns);
    const ProcessUsage server_before = ReadProcessUsage(options_.pids);
    const ProcessUsage client_before = ReadProcessUsage(self);
    if (plans_[0].requests == 0) {
      SleepUntil(plans_[0].measure_until_ns);
    } else {
      for (auto& runner : runners_) runner.join();
      runners_.clear();
    }
    const ProcessUsage server_after = ReadProcessUsage(options_.pids);
    const ProcessUsage client_after = ReadProcessUsage(self);
    result_.server_cpu_us = server_after.cpu_us - server_before.cpu_us;
    result_.client_cpu_us = client_after.cpu_us - client_before.cpu_us;
    result_.server_rss_bytes = server_after.rss_bytes;
    result_.has_server_usage = server_before.processes > 0 && server_after.processes > 0;
  }

  void Merge() {
    int64_t finished_ns = plans_[0].measure_from_ns + 1;
    for (const auto& thread : threads_) {
      const ThreadCounts& counts = thread->counts();
      result_.latency_ns.Merge(counts.latency_ns);
      result_.errors += counts.errors;
      result_.unsent += counts.unsent;
      finished_ns = std::max(finished_ns, counts.finished_ns);
      for (const std::string& example : counts.error_examples) AddExample(example);
    }
    const int64_t until = plans_[0].requests == 0 ? plans_[0].measure_until_ns : finished_ns;
    result_.seconds = static_cast<double>(until - plans_[0].measure_from_ns) / 1e9;
  }

  // A broken promise found at the end counts as one error and is shown first.
  Result<void> FinalCheck() {
    ControlClient client(options_);
    for (const auto& thread : threads_) {
      auto checked = thread->workload().Finish(client);
      if (checked.has_value()) continue;
      if (checked.error().code() != StatusCode::kCorruption) return checked.error();
      ++result_.errors;
      result_.error_examples.insert(result_.error_examples.begin(),
                                    fmt::format("final check: {}", checked.error().message()));
    }
    return {};
  }

  void AddExample(const std::string& example) {
    if (result_.error_examples.size() < kMaxExamples) result_.error_examples.push_back(example);
  }

  const Options& options_;
  const WorkloadInfo& info_;
  std::vector<std::unique_ptr<DriverThread>> threads_;
  std::vector<ThreadPlan> plans_;
  std::vector<Status> statuses_;
  std::vector<std::jthread> runners_;
  LoadResult result_;
};

}  // namespace

Result<LoadResult> RunLoad(const Options& options, const WorkloadInfo& info) { return LoadRun(options, info).Run(); }

}  // namespace armature::cli::bench
