// Answers every request with a fixed body of DynamoDB's size: shows what net/ alone costs.
//
//   net_bench [port] [threads] [park]   then e.g. wrk -t1 -c32 -d10s -s post.lua http://127.0.0.1:PORT/
//
// With `park` every handler waits for another thread, as a durable write waits for its fsync. Prints CPU microseconds
// per request when stopped by SIGINT or SIGTERM.
#include <cstdlib>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/metrics.h"
#include "base/mutex.h"
#include "net/server.h"

namespace {

constexpr std::string_view kBody =
    R"({"Item":{"pk":{"S":"user#00000000042"},"name":{"S":"A name of some length, as people have them"},"n":{"N":"42"},"payload":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}})";

// Finishes all that has been parked since its last round, one burst after the other.
class Releaser {
 public:
  void Park(armature::Completion& completion) {
    armature::MutexLock lock(mutex_);
    parked_.push_back(&completion);
    if (parked_.size() == 1) work_.notify_one();
  }
  void Run(const std::stop_token& stop) {
    std::vector<armature::Completion*> burst;
    while (!stop.stop_requested()) {
      {
        armature::MutexLock lock(mutex_);
        if (!work_.wait(lock, stop, [&]() ARMATURE_WITH_LOCK(mutex_) { return !parked_.empty(); })) return;
        burst.swap(parked_);
      }
      for (armature::Completion* completion : burst) completion->Finish();
      burst.clear();
    }
  }

 private:
  armature::Mutex mutex_;
  armature::StoppableCondition work_;
  std::vector<armature::Completion*> parked_ ARMATURE_GUARDED_BY(mutex_);
};

class FixedAnswer final : public armature::net::Handler {
 public:
  Releaser* releaser = nullptr;

  armature::Task<void> Handle(armature::net::Exchange& exchange) override {
    if (releaser != nullptr) {
      armature::Completion durable;
      releaser->Park(durable);
      co_await durable;
    }
    auto& response = exchange.response();
    response.content_type = "application/x-amz-json-1.0";
    response.AddHeader("x-amzn-RequestId", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMNOP");
    response.AddHeader("x-amz-crc32", "2745614147");
    response.body.append(kBody);
    co_return;
  }
};

double CpuMicros() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto micros = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  armature::Metrics metrics;
  FixedAnswer handler;
  armature::net::ServerOptions options;
  options.port = static_cast<uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  options.threads = argc > 2 ? std::atoi(argv[2]) : 0;
  Releaser releaser;
  std::jthread release_thread;
  if (argc > 3 && std::string_view(argv[3]) == "park") {
    handler.releaser = &releaser;
    release_thread = std::jthread([&](const std::stop_token& stop) { releaser.Run(stop); });
  }
  armature::net::Server server(options, handler, metrics);
  if (armature::Status status = server.Start(); !status.ok()) {
    fmt::print(stderr, "net_bench: {}\n", status.message());
    return 1;
  }
  fmt::print("net_bench on http://127.0.0.1:{}\n", server.port());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  server.Stop(std::chrono::seconds(1));
  uint64_t requests = 0;
  for (size_t i = 0; i < server.reactor_count(); ++i)
    requests += metrics.GetCounter("armature_http_requests_total", "", fmt::format("reactor=\"{}\"", i)).value();
  fmt::print("requests={} cpu_micros_per_request={:.2f}\n", requests,
             requests ? CpuMicros() / static_cast<double>(requests) : 0.0);
  return 0;
}
