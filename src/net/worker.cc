#include "net/worker.h"

#include <cerrno>
#include <cstring>

#include <fmt/core.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "net/connection.h"

namespace armature::net {
namespace {

constexpr int kAcceptsPerTurn = 64;
// Connections over the limit that may be told so at the same time; more are closed without a word.
constexpr size_t kRefusedAtOnce = 256;
// How long to wait for descriptors to become free again.
constexpr int64_t kAcceptPauseMillis = 100;
// How long the rest of a request that has begun may take when the server stops.
constexpr int64_t kDrainRequestMillis = 1'000;

}  // namespace

NetCounters::NetCounters(Metrics& metrics, size_t reactor_index)
    : requests(metrics.GetCounter("armature_http_requests_total", "HTTP requests received whole.",
                                  fmt::format("reactor=\"{}\"", reactor_index))),
      accepted(metrics.GetCounter("armature_http_connections_accepted_total", "Connections accepted.")),
      refused(metrics.GetCounter("armature_http_connections_refused_total",
                                 "Connections refused at the connection limit.")),
      shed(metrics.GetCounter("armature_http_requests_shed_total",
                              "Requests answered 503 under memory pressure or overload.")),
      evicted(metrics.GetCounter("armature_http_connections_evicted_total",
                                 "Connections closed under memory pressure because their clients did not move.")),
      malformed(
          metrics.GetCounter("armature_http_requests_malformed_total", "Requests that were not acceptable HTTP.")),
      timed_out(
          metrics.GetCounter("armature_http_timeouts_total", "Connections closed because the client was too slow.")),
      failed(metrics.GetCounter("armature_http_handler_failures_total", "Requests whose handler threw an exception.")) {
}

Worker::Worker(const Environment& environment, size_t index, int listen_fd)
    : environment_(environment),
      index_(index),
      listen_fd_(listen_fd),
      reactor_(environment.timer_clock),
      context_{.reactor = reactor_,
               .handler = environment.handler,
               .options = environment.options,
               .stats = environment.stats,
               .head_limits = {environment.options.max_request_line_bytes, environment.options.max_header_bytes},
               .counters = NetCounters(environment.metrics, index),
               .writer = ResponseWriter(environment.wall_clock),
               .buffers = {},
               .exchanges = {},
               .room = RoomQueue(reactor_),
               .on_connection_gone = [this] { CheckEmpty(); }} {}

Worker::~Worker() {
  if (listen_fd_ >= 0) close(listen_fd_);
}

Status Worker::Open() {
  if (Status status = reactor_.Open(); !status.ok()) return status;
  return reactor_.Add(listen_fd_, EPOLLIN, *this);
}

void Worker::StartThread() {
  thread_ = std::thread([this] { reactor_.Run(); });
  pthread_setname_np(thread_.native_handle(), fmt::format("reactor-{}", index_).c_str());
}

void Worker::JoinThread() {
  if (thread_.joinable()) thread_.join();
}

void Worker::OnEvents(uint32_t) {
  for (int i = 0; i < kAcceptsPerTurn && listen_fd_ >= 0; ++i)
    if (!AcceptOne()) return;
}

bool Worker::AcceptOne() {
  sockaddr_in6 peer{};
  socklen_t size = sizeof(peer);
  const int fd = accept4(listen_fd_, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) PauseAccepting(error);
    // A client that gave up while queued is no reason to stop.
    return error == EINTR || error == ECONNABORTED;
  }
  context_.counters.accepted.Add();
  const size_t count = environment_.stats.connections.fetch_add(1, std::memory_order_relaxed) + 1;
  if (count > environment_.max_connections) {
    context_.counters.refused.Add();
    if (count > environment_.max_connections + kRefusedAtOnce) {
      environment_.stats.connections.fetch_sub(1, std::memory_order_relaxed);
      close(fd);
      return true;
    }
    Adopt(fd, peer, true);
    return true;
  }
  if (Worker& target = LeastLoaded(); &target != this) HandOver(target, fd, peer);
  else Adopt(fd, peer, false);
  return true;
}

// Out of descriptors: the level-triggered listener would spin, so it is taken out of the loop for a while.
void Worker::PauseAccepting(int error) {
  LogWarn("cannot accept connections: {}; trying again in {} ms", strerror(error), kAcceptPauseMillis);
  reactor_.Remove(listen_fd_);
  is_paused_ = true;
  reactor_.Schedule(*this, reactor_.now_millis() + kAcceptPauseMillis);
}

void Worker::OnTimer(int64_t) {
  if (!is_paused_ || listen_fd_ < 0) return;
  is_paused_ = false;
  if (Status status = reactor_.Add(listen_fd_, EPOLLIN, *this); !status.ok()) PauseAccepting(ENOMEM);
}

Worker& Worker::LeastLoaded() {
  Worker* best = this;
  size_t fewest = context_.connection_count.load(std::memory_order_relaxed);
  for (const auto& sibling : environment_.siblings) {
    const size_t count = sibling->context_.connection_count.load(std::memory_order_relaxed);
    if (count < fewest) {
      fewest = count;
      best = sibling.get();
    }
  }
  return *best;
}

async_detail::Detached Worker::HandOver(Worker& target, int fd, sockaddr_in6 peer) {
  // Counted here already, so that a burst of connections is spread and not sent to one worker.
  target.context_.connection_count.fetch_add(1, std::memory_order_relaxed);
  co_await target.reactor_.Enter();
  target.context_.connection_count.fetch_sub(1, std::memory_order_relaxed);
  target.Adopt(fd, peer, false);
}

void Worker::Adopt(int fd, const sockaddr_in6& peer, bool is_refused) {
  auto* connection = new Connection(context_, fd, peer);
  if (!connection->Open()) return;
  if (is_refused) connection->Refuse();
}

void Worker::StopAccepting() {
  if (listen_fd_ < 0) return;
  // Clients whose connection the kernel has already completed are still served.
  while (!is_paused_ && AcceptOne()) {}
  close(listen_fd_);
  listen_fd_ = -1;
}

void Worker::Drain(std::function<void()> on_empty) {
  on_empty_ = std::move(on_empty);
  context_.is_draining = true;
  context_.drain_until_millis = reactor_.now_millis() + kDrainRequestMillis;
  for (Connection* connection = context_.connections; connection != nullptr;) {
    Connection* const next = connection->next_;
    connection->Drain();
    connection = next;
  }
  CheckEmpty();
}

size_t Worker::AbortAll() {
  size_t in_flight = 0;
  while (context_.connections != nullptr)
    if (context_.connections->Abort()) ++in_flight;
  return in_flight;
}

void Worker::CheckEmpty() {
  if (on_empty_ && context_.connections == nullptr) std::exchange(on_empty_, nullptr)();
}

}  // namespace armature::net
