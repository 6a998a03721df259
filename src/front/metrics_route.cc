#include "front/metrics_route.h"

#include <string_view>
#include <utility>

namespace armature::front {

namespace {

constexpr const char* kTokenWanted = "The metrics of this server are given to whoever brings its token.\n";
constexpr const char* kOnlyHere =
    "The metrics of this server are for programs on its own machine (--metrics-token gives them to others).\n";

// What stands behind "Bearer"; empty: nothing.
std::string_view BearerToken(const net::HttpRequest& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view value = request.Value("Authorization");
  if (value.size() <= kScheme.size() || !net::EqualsIgnoreCase(value.substr(0, kScheme.size()), kScheme)) return {};
  return value.substr(kScheme.size());
}

}  // namespace

MetricsRoute::MetricsRoute(Metrics& metrics, MetricsAccess access)
    : metrics_(metrics), access_(std::move(access)), stats_(metrics, "none", "none") {}

const CallStats* MetricsRoute::Match(const net::HttpRequest& request) const {
  return request.method == net::Method::kGet && request.path == "/metrics" ? &stats_ : nullptr;
}

const char* MetricsRoute::WhyNot(const net::Exchange& exchange) const {
  if (!access_.token.empty()) return access_.token.Equals(BearerToken(exchange.request())) ? nullptr : kTokenWanted;
  const bool is_for_all = !access_.keeps_out_others || !access_.keeps_out_others();
  return is_for_all || exchange.is_from_loopback() ? nullptr : kOnlyHere;
}

Task<void> MetricsRoute::Answer(net::Exchange& exchange, const CallStats&) {
  net::HttpResponse& response = exchange.response();
  response.content_type = "text/plain; version=0.0.4";
  if (const char* const why_not = WhyNot(exchange)) {
    response.status = access_.token.empty() ? 403 : 401;
    if (!access_.token.empty()) response.AddHeader("WWW-Authenticate", "Bearer");
    response.body = why_not;
  } else {
    response.body = metrics_.RenderPrometheus();
  }
  co_return;
}

void MetricsRoute::Refuse(net::Exchange& exchange, auth::AuthFault fault) const {
  net::HttpResponse& response = exchange.response();
  response.status = 429;
  response.content_type = "text/plain";
  response.body = std::move(fault.message);
}

}  // namespace armature::front
