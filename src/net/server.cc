#include "net/server.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

#include "net/worker.h"

namespace armature::net {
namespace {

// Descriptors the rest of the program may need: tables' files, logs, the listening sockets.
constexpr size_t kReservedDescriptors = 512;

// Raises the soft limit of descriptors as far as is useful and allowed; returns how many connections fit.
size_t FitConnections(size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t needed = wanted + kReservedDescriptors;
  if (limit.rlim_cur < needed && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = std::min<rlim_t>(needed, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= needed) return wanted;
  return limit.rlim_cur > 2 * kReservedDescriptors ? limit.rlim_cur - kReservedDescriptors : limit.rlim_cur / 2;
}

// Runs `action` on the reactor's thread.
template <class Action>
async_detail::Detached RunOn(Reactor& reactor, Action action) {
  co_await reactor.Enter();
  action();
}

// Counts down; waits with or without a limit.
class Countdown {
 public:
  explicit Countdown(size_t count) : left_(count) {}
  void Done() {
    std::lock_guard lock(mutex_);
    --left_;
    reached_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    reached_.wait(lock, [&] { return left_ == 0; });
  }
  bool WaitFor(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return reached_.wait_for(lock, patience, [&] { return left_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable reached_;
  size_t left_;  // guarded by mutex_
};

}  // namespace

struct Server::Shared {
  explicit Shared(const ServerOptions& options) : stats(options.max_buffered_bytes) {}
  ServerStats stats;
  SystemClock system_clock;
  CoarseMonotonicClock monotonic_clock;
};

Server::Server(ServerOptions options, Handler& handler, Metrics& metrics)
    : options_(std::move(options)), handler_(handler), metrics_(metrics), shared_(std::make_shared<Shared>(options_)) {}

Server::~Server() { Stop(std::chrono::milliseconds(0)); }

Status Server::Start() {
  const size_t threads = options_.threads > 0 ? static_cast<size_t>(options_.threads)
                                              : std::max<size_t>(1, std::thread::hardware_concurrency());
  auto listeners = OpenListeners(options_.host, options_.port, threads, options_.send_buffer_bytes);
  if (!listeners) return std::move(listeners).error();
  port_ = listeners->port;
  const Worker::Environment environment{
      .options = options_,
      .handler = handler_,
      .metrics = metrics_,
      .wall_clock = options_.clock ? *options_.clock : shared_->system_clock,
      .timer_clock = options_.timer_clock ? *options_.timer_clock : static_cast<const Clock&>(shared_->monotonic_clock),
      .stats = shared_->stats,
      .siblings = workers_,
      .max_connections = FitConnections(options_.max_connections),
  };
  for (size_t i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(environment, i, listeners->fds[i]));
  for (const auto& worker : workers_) {
    if (Status status = worker->Open(); !status.ok()) {
      workers_.clear();
      return status;
    }
  }
  metrics_.AddGauge("armature_http_connections", "Open connections.",
                    [shared = shared_] { return static_cast<double>(shared->stats.connections.load()); });
  metrics_.AddGauge("armature_http_buffered_bytes", "Memory held by large requests and unread answers.",
                    [shared = shared_] { return static_cast<double>(shared->stats.memory.total_bytes()); });
  metrics_.AddGauge("armature_http_in_flight_bytes", "The part of it that belongs to requests being executed.",
                    [shared = shared_] { return static_cast<double>(shared->stats.memory.in_flight_bytes()); });
  for (const auto& worker : workers_) worker->StartThread();
  running_ = true;
  return Status::Ok();
}

size_t Server::connection_count() const { return shared_->stats.connections.load(); }

void Server::Nudge() {
  for (const auto& worker : workers_) worker->reactor().Wake();
}

size_t Server::Stop(std::chrono::milliseconds patience) {
  if (!running_) return 0;
  running_ = false;

  // First nobody accepts any more; only then may a worker be found empty, as no sibling hands it work.
  Countdown accepting(workers_.size());
  for (const auto& worker : workers_)
    RunOn(worker->reactor(), [&] {
      worker->StopAccepting();
      accepting.Done();
    });
  accepting.Wait();

  // Shared: a worker may become empty after we have stopped waiting for it.
  auto draining = std::make_shared<Countdown>(workers_.size());
  for (const auto& worker : workers_)
    RunOn(worker->reactor(), [&, draining] { worker->Drain([draining] { draining->Done(); }); });
  draining->WaitFor(patience);

  std::atomic<size_t> cut_off{0};
  Countdown aborting(workers_.size());
  for (const auto& worker : workers_)
    RunOn(worker->reactor(), [&] {
      cut_off += worker->AbortAll();
      aborting.Done();
    });
  aborting.Wait();

  for (const auto& worker : workers_) worker->reactor().Stop();
  for (const auto& worker : workers_) worker->JoinThread();
  return cut_off;
}

}  // namespace armature::net
