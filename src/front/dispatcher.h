// Dispatcher: from an HTTP exchange to its route and back.
//
// What holds for every request, whatever its route: may this address ask so often, may this host name or web page speak
// to us at all (our own first checks), the request id, the reply's checksum and compression, metrics and the log of
// slow requests. Runs on the reactor of the exchange; holds no state of a request. Built by server/.
#pragma once

#include <cstdint>

#include "audit/audit.h"
#include "auth/site_policy.h"
#include "base/limits/token_buckets.h"
#include "base/metrics.h"
#include "base/random.h"
#include "front/route/call_stats.h"
#include "front/routes.h"
#include "net/handler.h"

namespace armature::front {

struct DispatcherOptions {
  auth::SitePolicy sites{"127.0.0.1", {}, {}};  // whose requests are taken at all
  int64_t slow_request_millis = 500;
  const audit::Audit* audit = nullptr;  // is told of what the site policy turns away; null: nobody
  TokenBuckets* addresses = nullptr;    // how often one may ask (Exchange::client_network); null: as often as it likes
};

class Dispatcher final : public net::Handler {
 public:
  // REQUIRES: the last route takes every request. What is referred to must outlive the dispatcher.
  Dispatcher(DispatcherOptions options, RouteTable routes, RandomSource& random, Metrics& metrics);

  // A request that ends in an exception is counted here and answered by net/.
  Task<void> Handle(net::Exchange& exchange) override;

  // Ends what still works for requests on another thread: when the server has stopped, and before its reactors go,
  // which such work wakes.
  void Stop();

 private:
  struct Found {
    Route* route;
    const CallStats* call;
  };
  Found Find(const net::HttpRequest& request) const;
  bool IsTooOften(const net::Exchange& exchange) const;
  void Record(const CallStats& call, int status, int64_t nanos, std::string_view request_id) const;

  const DispatcherOptions options_;
  const RouteTable routes_;
  RandomSource& random_;
  const CallStats refused_;  // by the site policy
  Counter* const limited_;   // of requests that came too often; where that is counted
};

}  // namespace armature::front
