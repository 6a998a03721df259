// StreamServer: listens on a port and serves every connection by a protocol. One reactor thread per core.
//
// Owns the sockets, the reactor threads and every connection. Guarantees for any protocol: memory for unfinished
// messages and unread answers is bounded; a slow, silent, broken or hostile peer costs its own connection and nothing
// else; stopping drains. Start, Stop and Nudge are called from one thread outside the reactors. Used by Server, which
// speaks HTTP.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits/keyed_counts.h"
#include "base/metrics.h"
#include "base/result.h"
#include "net/transport/memory_ledger.h"
#include "net/transport/session.h"
#include "net/transport/transport_context.h"

namespace armature::net {

class ServerThread;
class TlsAcceptor;

struct StreamServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 0;  // 0: any free port, see port()
  int threads = 0;    // 0: one per core

  std::shared_ptr<TlsAcceptor> tls;  // what is spoken goes through TLS; null: it does not
  // Then `port` is without TLS, and this is a second one with it. REQUIRES: tls.
  std::optional<uint16_t> tls_port;

  size_t max_connections = 20'000;                // over all reactors; beyond it a peer is refused and closed
  size_t max_connections_per_address = 0;         // the same for those of one NetworkNumber; 0: no limit
  size_t max_buffered_bytes = 512 * 1024 * 1024;  // see memory_ledger.h
  TransportLimits limits;

  std::function<bool()> overloaded;        // the process is short of memory; cheap and thread-safe; may be empty
  const Clock* timer_clock = nullptr;      // for all timeouts; null: a monotonic one. A stepped clock needs Nudge().
  int send_buffer_bytes = 0;               // SO_SNDBUF of connections; 0: the system's choice
  std::chrono::microseconds busy_poll{0};  // see Reactor::SetBusyPoll
};

struct StreamCounters {
  Counter& accepted;
  Counter& refused;             // connections over the limit
  Counter& refused_of_address;  // over that of their address
  Counter& evicted;
  Counter& timed_out;
};

// May outlive the server, if a metrics gauge still reads it.
struct StreamStats {
  explicit StreamStats(size_t max_buffered_bytes);
  std::atomic<size_t> connections{0};
  KeyedCounts addresses;  // connections by NetworkNumber; where they are limited
  MemoryLedger memory;
};

// A listening socket of one thread.
struct Door {
  int fd = -1;
  bool is_secure = false;  // connections that come through it speak TLS
};

// Called once for each reactor, before it runs.
using MakeProtocol = std::function<std::unique_ptr<Protocol>(size_t reactor_index)>;

class StreamServer {
 public:
  // The counters and the clock must outlive the server.
  StreamServer(StreamServerOptions options, MakeProtocol make_protocol, const StreamCounters& counters);
  // Stops without waiting for what is being worked on, unless Stop was called.
  ~StreamServer();
  StreamServer(const StreamServer&) = delete;
  StreamServer& operator=(const StreamServer&) = delete;

  // Opens the sockets and starts the reactors. A port in use is kLocked, anything else that is wrong
  // with the address kInvalidArgument; the message is one line fit for a user.
  Status Start();

  // The ports really listened on. REQUIRES: started; there is a second one.
  uint16_t port() const { return port_; }
  uint16_t tls_port() const { return tls_port_; }
  const std::shared_ptr<StreamStats>& stats() const { return stats_; }
  size_t reactor_count() const { return threads_.size(); }

  // Makes every reactor look at the timer clock now. For clocks that are stepped by hand.
  void Nudge();

  // Accepts no more, closes idle connections, lets busy sessions finish and answer, joins the reactors. What is
  // unfinished after `patience` is cut off; returns how many busy sessions that were. Their coroutines are never
  // resumed, so their frames stay allocated.
  size_t Stop(std::chrono::milliseconds patience);
  // For one that has to stay, because somebody may still post what was cut off to its reactors: all they have but
  // themselves is given back, descriptors too. REQUIRES: stopped. Nothing else is called any more.
  void Release();

 private:
  // The sockets that each thread listens on.
  Result<std::vector<std::vector<Door>>> OpenDoors(size_t threads);

  const StreamServerOptions options_;
  const MakeProtocol make_protocol_;
  const StreamCounters counters_;
  const std::shared_ptr<StreamStats> stats_;
  const std::unique_ptr<Clock> own_clock_;
  uint16_t port_ = 0;
  uint16_t tls_port_ = 0;
  bool running_ = false;
  std::vector<std::unique_ptr<ServerThread>> threads_;
};

}  // namespace armature::net
