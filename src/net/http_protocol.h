// HttpProtocol: HTTP/1.1 on the connections of one reactor, and what its sessions share.
//
// The handler, limits, counters, the response writer and spare exchanges. One per reactor, made by the server; used
// only on the reactor's thread, but for the counters, which are shared and thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "net/handler.h"
#include "net/http_parser.h"
#include "net/response_writer.h"
#include "net/transport/session.h"

namespace armature::net {

struct HttpCounters {
  HttpCounters(Metrics& metrics, size_t reactor_index);
  Counter& requests;   // of this reactor
  Counter& shed;       // requests answered 503 under pressure; like those below of the whole server
  Counter& malformed;  // requests answered 400, 413, 417, 501, 505
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

struct HttpContext {
  Handler& handler;
  HeadLimits head_limits;
  size_t max_body_bytes;
  HttpCounters counters;
  ResponseWriter writer;
  ExchangePool exchanges{};
};

class HttpProtocol final : public Protocol {
 public:
  explicit HttpProtocol(HttpContext context) : context_(std::move(context)) {}
  std::unique_ptr<Session> MakeSession(Transport& transport) override;

 private:
  HttpContext context_;
};

}  // namespace armature::net
