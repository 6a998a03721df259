// ConnectionContext: what all connections of one reactor share.
//
// Pools, the response writer, limits and counters; owned by a worker, used only on its reactor's
// thread. ServerStats is the exception: it is shared by all reactors and thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/metrics.h"
#include "net/buffer.h"
#include "net/handler.h"
#include "net/http_parser.h"
#include "net/memory_ledger.h"
#include "net/reactor.h"
#include "net/response_writer.h"
#include "net/room_queue.h"
#include "net/server.h"

namespace armature::net {

class Connection;

// Outlives the server if a metrics gauge still reads it.
struct ServerStats {
  explicit ServerStats(size_t max_buffered_bytes) : memory(max_buffered_bytes) {}
  std::atomic<size_t> connections{0};
  MemoryLedger memory;
};

struct NetCounters {
  NetCounters(Metrics& metrics, size_t reactor_index);
  Counter& requests;   // of this reactor
  Counter& accepted;   // the others are of the whole server
  Counter& refused;    // connections over the limit
  Counter& shed;       // requests answered 503 under pressure
  Counter& evicted;    // connections closed because they held memory and did not move
  Counter& malformed;  // requests answered 400, 413, 417, 501, 505
  Counter& timed_out;  // connections closed for slowness
  Counter& failed;     // handlers that threw
};

class ExchangePool {
 public:
  Exchange* Take() {
    if (spare_.empty()) return new Exchange();
    Exchange* exchange = spare_.back().release();
    spare_.pop_back();
    return exchange;
  }
  // REQUIRES: the exchange is cleared.
  void Give(Exchange* exchange) {
    std::unique_ptr<Exchange> owner(exchange);
    if (spare_.size() < kKept) spare_.push_back(std::move(owner));
  }

 private:
  static constexpr size_t kKept = 256;
  std::vector<std::unique_ptr<Exchange>> spare_;
};

struct ConnectionContext {
  Reactor& reactor;
  Handler& handler;
  const ServerOptions& options;
  ServerStats& stats;
  HeadLimits head_limits;
  NetCounters counters;
  ResponseWriter writer;
  BufferPool buffers;
  ExchangePool exchanges;
  RoomQueue room;
  bool is_draining = false;
  int64_t drain_until_millis = 0;           // what is not yet a whole request then is dropped
  Connection* connections = nullptr;        // head of the list of open ones
  std::atomic<size_t> connection_count{0};  // written here, read by other reactors to spread load

  // Called by a connection that has left the list; set by the worker.
  std::function<void()> on_connection_gone;
};

}  // namespace armature::net
