#include "net/transport/server_thread.h"

#include <cerrno>
#include <cstring>

#include <fmt/core.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "net/tls/tls_acceptor.h"
#include "net/transport/transport.h"

namespace armature::net {
namespace {

constexpr int kAcceptsPerTurn = 64;
// Connections over the limit that may be told so at the same time; more are closed without a word.
constexpr size_t kRefusedAtOnce = 256;
// And of one address.
constexpr size_t kRefusedOfAddressAtOnce = 8;
// How long to wait for descriptors to become free again.
constexpr int64_t kAcceptPauseMillis = 100;
// How long the rest of a request that has begun may take when the server stops.
constexpr int64_t kDrainRequestMillis = 1'000;

}  // namespace

ServerThread::ServerThread(const Environment& environment, size_t index, const std::vector<Door>& doors)
    : environment_(environment),
      index_(index),
      reactor_(environment.timer_clock),
      protocol_(environment.make_protocol(index)),
      context_{.reactor = reactor_,
               .memory = environment.stats.memory,
               .limits = environment.options.limits,
               .counters = {environment.counters.evicted, environment.counters.timed_out},
               .overloaded = environment.options.overloaded,
               .on_gone = [this](const Peer& peer) { OnTransportGone(peer); }} {
  reactor_.SetBusyPoll(environment.options.busy_poll);
  for (const Door& door : doors) listeners_.push_back(std::make_unique<Listener>(*this, door));
}

ServerThread::~ServerThread() {
  for (const auto& listener : listeners_) close(listener->door.fd);
}

Status ServerThread::Open() {
  if (Status status = reactor_.Open(); !status.ok()) return status;
  return Watch();
}

Status ServerThread::Watch() {
  for (const auto& listener : listeners_)
    if (Status status = reactor_.Add(listener->door.fd, EPOLLIN, *listener); !status.ok()) return status;
  return Status::Ok();
}

void ServerThread::StartThread() {
  thread_ = std::thread([this] { reactor_.Run(); });
  pthread_setname_np(thread_.native_handle(), fmt::format("reactor-{}", index_).c_str());
}

void ServerThread::JoinThread() {
  if (thread_.joinable()) thread_.join();
}

void ServerThread::Release() {
  protocol_.reset();
  reactor_.Release();
}

void ServerThread::Listener::OnEvents(uint32_t) {
  for (int i = 0; i < kAcceptsPerTurn && door.fd >= 0; ++i)
    if (!thread.AcceptOne(door)) return;
}

bool ServerThread::AcceptOne(const Door& door) {
  Arrival arrival{.fd = -1, .peer = {}, .is_secure = door.is_secure, .is_refused = false};
  socklen_t size = sizeof(arrival.peer);
  const int fd = accept4(door.fd, reinterpret_cast<sockaddr*>(&arrival.peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  arrival.fd = fd;
  if (fd < 0) {
    const int error = errno;
    if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) PauseAccepting(error);
    // A client that gave up while queued is no reason to stop.
    return error == EINTR || error == ECONNABORTED;
  }
  environment_.counters.accepted.Add();
  Welcome welcome = Welcome::kServed;
  try {
    welcome = Greet(arrival);
  } catch (const std::bad_alloc&) {  // nothing was counted
    close(fd);
    return true;
  }
  if (welcome == Welcome::kClosed) {
    CountGone(arrival.peer);
    close(fd);
    return true;
  }
  if (welcome == Welcome::kRefused) {
    arrival.is_refused = true;
    Adopt(arrival);
    return true;
  }
  ServerThread& target = LeastLoaded();
  if (&target == this) {
    Adopt(arrival);
    return true;
  }
  try {
    HandOver(target, arrival);
  } catch (const std::bad_alloc&) { Adopt(arrival); }
  return true;
}

ServerThread::Welcome ServerThread::Greet(const Arrival& arrival) {
  // Counted first, whatever becomes of it: it is counted down when it is gone.
  const size_t most_of_address = environment_.options.max_connections_per_address;
  const size_t of_address = most_of_address == 0 ? 0 : environment_.stats.addresses.Enter(NetworkNumber(arrival.peer));
  const size_t count = environment_.stats.connections.fetch_add(1, std::memory_order_relaxed) + 1;
  if (of_address > most_of_address) {
    environment_.counters.refused_of_address.Add();
    // Nobody may have the server shake hands with him as often as he likes, nor hold many connections while he is told.
    const bool is_told = !arrival.is_secure && of_address <= most_of_address + kRefusedOfAddressAtOnce;
    return is_told ? Welcome::kRefused : Welcome::kClosed;
  }
  if (count <= environment_.max_connections) return Welcome::kServed;
  environment_.counters.refused.Add();
  return count > environment_.max_connections + kRefusedAtOnce ? Welcome::kClosed : Welcome::kRefused;
}

void ServerThread::CountGone(const sockaddr_in6& peer) {
  environment_.stats.connections.fetch_sub(1, std::memory_order_relaxed);
  if (environment_.options.max_connections_per_address != 0) environment_.stats.addresses.Leave(NetworkNumber(peer));
}

// Out of descriptors: the level-triggered listeners would spin, so they are taken out of the loop for a while.
void ServerThread::PauseAccepting(int error) {
  LogWarn("cannot accept connections: {}; trying again in {} ms", strerror(error), kAcceptPauseMillis);
  for (const auto& listener : listeners_) reactor_.Remove(listener->door.fd);
  is_paused_ = true;
  reactor_.Schedule(*this, reactor_.now_millis() + kAcceptPauseMillis);
}

void ServerThread::OnTimer(int64_t) {
  if (!is_paused_ || listeners_.empty()) return;
  is_paused_ = false;
  if (Status status = Watch(); !status.ok()) PauseAccepting(ENOMEM);
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

async_detail::Detached ServerThread::HandOver(ServerThread& target, Arrival arrival) {
  // Counted here already, so that a burst of connections is spread and not sent to one thread.
  target.context_.open_count.fetch_add(1, std::memory_order_relaxed);
  co_await target.reactor_.Enter();
  target.context_.open_count.fetch_sub(1, std::memory_order_relaxed);
  target.Adopt(arrival);
}

// Without memory for a connection its client is given up; the server is not.
void ServerThread::Adopt(const Arrival& arrival) {
  Transport* transport = nullptr;
  try {
    transport = new Transport(context_, arrival.fd, arrival.peer);
    if (OpenTransport(*transport, arrival) && arrival.is_refused) transport->Refuse();
  } catch (const std::bad_alloc&) {
    if (transport != nullptr) return transport->Close();
    close(arrival.fd);
    CountGone(arrival.peer);
  }
}

bool ServerThread::OpenTransport(Transport& transport, const Arrival& arrival) {
  if (!arrival.is_secure) return transport.Open(protocol_->MakeSession(transport));
  std::unique_ptr<TlsStream> stream = environment_.options.tls->Accept(arrival.fd);
  if (!stream) throw std::bad_alloc();
  return transport.OpenTls(protocol_->MakeSession(transport), std::move(stream));
}

void ServerThread::StopAccepting() {
  // Clients whose connection the kernel has already completed are still served.
  for (const auto& listener : listeners_) {
    while (!is_paused_ && AcceptOne(listener->door)) {}
    close(listener->door.fd);
  }
  listeners_.clear();
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

void ServerThread::OnTransportGone(const Peer& peer) {
  CountGone(peer.address);
  CheckEmpty();
}

void ServerThread::CheckEmpty() {
  if (on_empty_ && context_.transports == nullptr) std::exchange(on_empty_, nullptr)();
}

}  // namespace armature::net
