#include "net/http_protocol.h"

#include <fmt/core.h>

#include "net/http_session.h"

namespace armature::net {

HttpCounters::HttpCounters(Metrics& metrics, size_t reactor_index)
    : requests(metrics.GetCounter("armature_http_requests_total", "HTTP requests received whole.",
                                  fmt::format("reactor=\"{}\"", reactor_index))),
      shed(metrics.GetCounter("armature_http_requests_shed_total",
                              "Requests answered 503 under memory pressure or overload.")),
      malformed(
          metrics.GetCounter("armature_http_requests_malformed_total", "Requests that were not acceptable HTTP.")),
      failed(metrics.GetCounter("armature_http_handler_failures_total", "Requests whose handler threw an exception.")) {
}

std::unique_ptr<Session> HttpProtocol::MakeSession(Transport& transport) {
  return std::make_unique<HttpSession>(context_, transport);
}

}  // namespace armature::net
