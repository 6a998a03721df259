#include "net/transport/server_thread.h"

#include <cerrno>
#include <cstring>

#include <fmt/core.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "net/transport/transport.h"

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

ServerThread::ServerThread(const Environment& environment, size_t index, int listen_fd)
    : environment_(environment),
      index_(index),
      listen_fd_(listen_fd),
      reactor_(environment.timer_clock),
      protocol_(environment.make_protocol(index)),
      context_{.reactor = reactor_,
               .memory = environment.stats.memory,
               .limits = environment.options.limits,
               .counters = {environment.counters.evicted, environment.counters.timed_out},
               .overloaded = environment.options.overloaded,
               .on_gone = [this] { OnTransportGone(); }} {}

ServerThread::~ServerThread() {
  if (listen_fd_ >= 0) close(listen_fd_);
}

Status ServerThread::Open() {
  if (Status status = reactor_.Open(); !status.ok()) return status;
  return reactor_.Add(listen_fd_, EPOLLIN, *this);
}

void ServerThread::StartThread() {
  thread_ = std::thread([this] { reactor_.Run(); });
  pthread_setname_np(thread_.native_handle(), fmt::format("reactor-{}", index_).c_str());
}

void ServerThread::JoinThread() {
  if (thread_.joinable()) thread_.join();
}

void ServerThread::OnEvents(uint32_t) {
  for (int i = 0; i < kAcceptsPerTurn && listen_fd_ >= 0; ++i)
    if (!AcceptOne()) return;
}

bool ServerThread::AcceptOne() {
  sockaddr_in6 peer{};
  socklen_t size = sizeof(peer);
  const int fd = accept4(listen_fd_, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) PauseAccepting(error);
    // A client that gave up while queued is no reason to stop.
    return error == EINTR || error == ECONNABORTED;
  }
  environment_.counters.accepted.Add();
  const size_t count = environment_.stats.connections.fetch_add(1, std::memory_order_relaxed) + 1;
  if (count > environment_.max_connections) {
    environment_.counters.refused.Add();
    if (count > environment_.max_connections + kRefusedAtOnce) {
      environment_.stats.connections.fetch_sub(1, std::memory_order_relaxed);
      close(fd);
      return true;
    }
    Adopt(fd, peer, true);
    return true;
  }
  ServerThread& target = LeastLoaded();
  if (&target == this) {
    Adopt(fd, peer, false);
    return true;
  }
  try {
    HandOver(target, fd, peer);
  } catch (const std::bad_alloc&) { Adopt(fd, peer, false); }
  return true;
}

// Out of descriptors: the level-triggered listener would spin, so it is taken out of the loop for a while.
void ServerThread::PauseAccepting(int error) {
  LogWarn("cannot accept connections: {}; trying again in {} ms", strerror(error), kAcceptPauseMillis);
  reactor_.Remove(listen_fd_);
  is_paused_ = true;
  reactor_.Schedule(*this, reactor_.now_millis() + kAcceptPauseMillis);
}

void ServerThread::OnTimer(int64_t) {
  if (!is_paused_ || listen_fd_ < 0) return;
  is_paused_ = false;
  if (Status status = reactor_.Add(listen_fd_, EPOLLIN, *this); !status.ok()) PauseAccepting(ENOMEM);
}

ServerThread& ServerThread::LeastLoaded() {
  ServerThread* best = this;
  size_t fewest = context_.open_count.load(std::memory_order_relaxed);
  for (const auto& sibling : environment_.siblings) {
    const size_t count = sibling->context_.open_count.load(std::memory_order_relaxed);
    if (count < fewest) {
      fewest = count;
      best = sibling.get();
    }
  }
  return *best;
}

async_detail::Detached ServerThread::HandOver(ServerThread& target, int fd, sockaddr_in6 peer) {
  // Counted here already, so that a burst of connections is spread and not sent to one thread.
  target.context_.open_count.fetch_add(1, std::memory_order_relaxed);
  co_await target.reactor_.Enter();
  target.context_.open_count.fetch_sub(1, std::memory_order_relaxed);
  target.Adopt(fd, peer, false);
}

// Without memory for a connection its client is given up; the server is not.
void ServerThread::Adopt(int fd, const sockaddr_in6& peer, bool is_refused) {
  Transport* transport = nullptr;
  try {
    transport = new Transport(context_, fd, peer);
    if (transport->Open(protocol_->MakeSession(*transport)) && is_refused) transport->Refuse();
  } catch (const std::bad_alloc&) {
    if (transport != nullptr) return transport->Close();
    close(fd);
    environment_.stats.connections.fetch_sub(1, std::memory_order_relaxed);
  }
}

void ServerThread::StopAccepting() {
  if (listen_fd_ < 0) return;
  // Clients whose connection the kernel has already completed are still served.
  while (!is_paused_ && AcceptOne()) {}
  close(listen_fd_);
  listen_fd_ = -1;
}

void ServerThread::Drain(std::function<void()> on_empty) {
  on_empty_ = std::move(on_empty);
  context_.is_draining = true;
  context_.drain_until_millis = reactor_.now_millis() + kDrainRequestMillis;
  for (Transport* transport = context_.transports; transport != nullptr;) {
    Transport* const next = transport->next();
    transport->Drain();
    transport = next;
  }
  CheckEmpty();
}

size_t ServerThread::AbortAll() {
  size_t in_flight = 0;
  while (context_.transports != nullptr)
    if (context_.transports->Abort()) ++in_flight;
  return in_flight;
}

void ServerThread::OnTransportGone() {
  environment_.stats.connections.fetch_sub(1, std::memory_order_relaxed);
  CheckEmpty();
}

void ServerThread::CheckEmpty() {
  if (on_empty_ && context_.transports == nullptr) std::exchange(on_empty_, nullptr)();
}

}  // namespace armature::net
