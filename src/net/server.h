// Server: the HTTP/1.1 front of the house. One reactor thread per core, each with its own listening socket.
//
// A StreamServer that speaks HTTP: owns the sockets, the reactor threads and every connection. Guarantees: answers
// leave in the order of their requests; memory for unfinished requests and unread answers is bounded; a slow, silent,
// broken or hostile client costs its own connection and nothing else. Start, Stop and Nudge are called from one thread
// outside the reactors. Built by server/; never looks into bodies.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "net/handler.h"

namespace armature::net {

class StreamServer;
class TlsAcceptor;

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;  // 0: any free port, see Server::port()
  int threads = 0;       // 0: one per core

  std::shared_ptr<TlsAcceptor> tls;  // HTTPS instead of HTTP; null: HTTP
  // HTTP on `port`, and beside it HTTPS on this one; 0: any free port. REQUIRES: tls.
  std::optional<uint16_t> tls_port;

  size_t max_connections = 20'000;  // over all reactors; beyond it a client is told 503 and closed
  // The same for one address, of IPv6 for one network of 64 bits; who comes by TLS is not told. 0: no limit.
  size_t max_connections_per_address = 0;
  size_t max_body_bytes = 16 * 1024 * 1024;
  size_t max_request_line_bytes = 16 * 1024;
  size_t max_header_bytes = 16 * 1024;
  // Requests being received or executed and answers waiting for their readers, together, beyond the small buffers
  // of every busy connection. Near it clients that do not move are closed, then large requests wait for those being
  // executed; only if neither makes room is a large request answered 503. See transport/memory_ledger.h.
  size_t max_buffered_bytes = 512 * 1024 * 1024;

  int64_t idle_timeout_millis = 120'000;        // between two requests
  int64_t request_timeout_millis = 20'000;      // from a request's first byte to its last ...
  int64_t min_bytes_per_second = 32 * 1024;     // ... plus what this rate allows for the bytes that came
  int64_t write_stall_timeout_millis = 30'000;  // an answer of which the client takes nothing

  // Asked before each request is handed up: true closes clients that hold memory and do not move; if there are none
  // the request is shed with 503. Must be cheap and thread-safe.
  std::function<bool()> overloaded;

  const Clock* clock = nullptr;        // for the Date header; null: the system's
  const Clock* timer_clock = nullptr;  // for all timeouts; null: a monotonic one. A stepped clock needs Nudge().
  int send_buffer_bytes = 0;           // SO_SNDBUF of connections; 0: the system's choice
};

class Server {
 public:
  // `handler`, `metrics` and the clocks must outlive the server.
  Server(ServerOptions options, Handler& handler, Metrics& metrics);
  // Stops without waiting for requests in flight, unless Stop was called.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Opens the sockets and starts the reactors. A port in use is kLocked, anything else that is wrong
  // with the address kInvalidArgument; the message is one line fit for a user.
  Status Start();

  // The ports really listened on. REQUIRES: started; there is a second one.
  uint16_t port() const;
  uint16_t tls_port() const;
  size_t connection_count() const;
  size_t reactor_count() const;

  // Makes every reactor look at the timer clock now. For clocks that are stepped by hand.
  void Nudge();

  // Accepts no more, closes idle connections, lets requests in flight finish and be answered, joins
  // the reactors. What is unfinished after `patience` is cut off; returns how many requests that were.
  // Their coroutines are never resumed, so their frames stay allocated.
  size_t Stop(std::chrono::milliseconds patience);

 private:
  const ServerOptions options_;
  const SystemClock system_clock_;
  Handler& handler_;
  Metrics& metrics_;
  std::unique_ptr<StreamServer> streams_;
};

}  // namespace armature::net
