// MetricsPage: Prometheus's page of a process that has no HTTP server of its own.
//
// GET /metrics, under the same rules as a server's (front/metrics_route.h), on one thread. Start and Stop are called
// from the main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/memory/secret.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/result.h"
#include "front/dispatcher.h"
#include "net/server.h"

namespace armature::server {

struct MetricsPageOptions {
  std::string host;
  uint16_t port = 0;  // 0: any free one
  Secret token;
  std::function<bool()> keeps_out_others;  // see front::MetricsAccess
};

class MetricsPage {
 public:
  // Random source and metrics must outlive it.
  MetricsPage(MetricsPageOptions options, RandomSource& random, Metrics& metrics);

  // The error is one line fit for a user.
  Status Start() { return server_.Start(); }
  uint16_t port() const { return server_.port(); }  // REQUIRES: started
  void Stop();

 private:
  front::Dispatcher dispatcher_;
  net::Server server_;
};

}  // namespace armature::server
