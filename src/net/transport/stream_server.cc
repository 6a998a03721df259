#include "net/transport/stream_server.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

#include "base/mutex.h"
#include "base/random.h"
#include "net/transport/listener.h"
#include "net/transport/server_thread.h"

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
    MutexLock lock(mutex_);
    --left_;
    reached_.notify_all();
  }
  void Wait() {
    MutexLock lock(mutex_);
    reached_.wait(lock, [&]() ARMATURE_WITH_LOCK(mutex_) { return left_ == 0; });
  }
  bool WaitFor(std::chrono::milliseconds patience) {
    MutexLock lock(mutex_);
    return reached_.wait_for(lock, patience, [&]() ARMATURE_WITH_LOCK(mutex_) { return left_ == 0; });
  }

 private:
  Mutex mutex_;
  Condition reached_;
  size_t left_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace

StreamStats::StreamStats(size_t max_buffered_bytes) : addresses(SystemRandom().NextU64()), memory(max_buffered_bytes) {}

StreamServer::StreamServer(StreamServerOptions options, MakeProtocol make_protocol, const StreamCounters& counters)
    : options_(std::move(options)),
      make_protocol_(std::move(make_protocol)),
      counters_(counters),
      stats_(std::make_shared<StreamStats>(options_.max_buffered_bytes)),
      own_clock_(std::make_unique<CoarseMonotonicClock>()) {}

StreamServer::~StreamServer() { Stop(std::chrono::milliseconds(0)); }

Result<std::vector<std::vector<Door>>> StreamServer::OpenDoors(size_t threads) {
  ARMATURE_TRY(const Listeners first, OpenListeners(options_.host, options_.port, threads, options_.send_buffer_bytes));
  port_ = first.port;
  std::vector<std::vector<Door>> doors(threads);
  for (size_t i = 0; i < threads; ++i) doors[i].push_back({first.fds[i], options_.tls && !options_.tls_port});
  if (!options_.tls_port) return doors;
  auto second = OpenListeners(options_.host, *options_.tls_port, threads, options_.send_buffer_bytes);
  if (!second) {
    for (const int fd : first.fds) close(fd);
    return std::move(second).error();
  }
  tls_port_ = second->port;
  for (size_t i = 0; i < threads; ++i) doors[i].push_back({second->fds[i], true});
  return doors;
}

Status StreamServer::Start() {
  const size_t count = options_.threads > 0 ? static_cast<size_t>(options_.threads)
                                            : std::max<size_t>(1, std::thread::hardware_concurrency());
  auto doors = OpenDoors(count);
  if (!doors) return std::move(doors).error();
  const ServerThread::Environment environment{
      .options = options_,
      .make_protocol = make_protocol_,
      .counters = counters_,
      .timer_clock = options_.timer_clock ? *options_.timer_clock : *own_clock_,
      .stats = *stats_,
      .siblings = threads_,
      .max_connections = FitConnections(options_.max_connections),
  };
  for (size_t i = 0; i < count; ++i)
    threads_.push_back(std::make_unique<ServerThread>(environment, i, std::move((*doors)[i])));
  for (const auto& thread : threads_) {
    if (Status status = thread->Open(); !status.ok()) {
      threads_.clear();
      return status;
    }
  }
  for (const auto& thread : threads_) thread->StartThread();
  running_ = true;
  return Status::Ok();
}

void StreamServer::Nudge() {
  for (const auto& thread : threads_) thread->reactor().Wake();
}

size_t StreamServer::Stop(std::chrono::milliseconds patience) {
  if (!running_) return 0;
  running_ = false;

  // First nobody accepts any more; only then may a thread be found empty, as no sibling hands it work.
  Countdown accepting(threads_.size());
  for (const auto& thread : threads_)
    RunOn(thread->reactor(), [&] {
      thread->StopAccepting();
      accepting.Done();
    });
  accepting.Wait();

  // Shared: a thread may become empty after we have stopped waiting for it.
  auto draining = std::make_shared<Countdown>(threads_.size());
  for (const auto& thread : threads_)
    RunOn(thread->reactor(), [&, draining] { thread->Drain([draining] { draining->Done(); }); });
  draining->WaitFor(patience);

  std::atomic<size_t> cut_off{0};
  Countdown aborting(threads_.size());
  for (const auto& thread : threads_)
    RunOn(thread->reactor(), [&] {
      cut_off += thread->AbortAll();
      aborting.Done();
    });
  aborting.Wait();

  for (const auto& thread : threads_) thread->reactor().Stop();
  for (const auto& thread : threads_) thread->JoinThread();
  return cut_off;
}

void StreamServer::Release() {
  for (const auto& thread : threads_) thread->Release();
}

}  // namespace armature::net
