#include "front/dispatcher.h"

#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "front/audit_note.h"
#include "model/messages/requests.h"
#include "wire/envelope/envelope.h"

namespace armature::front {

using model::ApiResult;

Dispatcher::Dispatcher(DispatcherOptions options, RouteTable routes, RandomSource& random, Metrics& metrics)
    : options_(std::move(options)),
      routes_(std::move(routes)),
      random_(random),
      refused_(metrics, "none", "none"),
      limited_(options_.addresses
                   ? &metrics.GetCounter("armature_requests_limited_total",
                                         "Requests refused because their address or principal asked for too much.",
                                         R"(by="address")")
                   : nullptr) {}

bool Dispatcher::IsTooOften(const net::Exchange& exchange) const {
  return options_.addresses && !options_.addresses->Take(exchange.client_network());
}

Dispatcher::Found Dispatcher::Find(const net::HttpRequest& request) const {
  for (const auto& route : routes_)
    if (const CallStats* call = route->Match(request)) return {route.get(), call};
  std::abort();  // the last route takes everything
}

Task<void> Dispatcher::Handle(net::Exchange& exchange) {
  const int64_t started = MonotonicNanos();
  const net::HttpRequest& request = exchange.request();
  net::HttpResponse& response = exchange.response();
  char id[kRequestIdSize];
  WriteRequestId(random_, id);
  exchange.set_request_id({id, kRequestIdSize});  // a route may have its own kind

  const CallStats* call = &refused_;
  const ApiResult<void> allowed = options_.sites.Check(request);
  try {
    if (IsTooOften(exchange)) [[unlikely]] {
      limited_->Add();
      const Found found = Find(request);
      call = found.call;
      found.route->Refuse(exchange, {auth::AuthFaultKind::kThrottled, std::string(model::messages::kRateExceeded)});
    } else if (allowed) {
      const Found found = Find(request);
      call = found.call;
      co_await found.route->Answer(exchange, *call);
    } else {
      response.content_type = "application/x-amz-json-1.0";
      wire::SetError(allowed.error(), response);
      if (options_.audit) RecordTurnedAway(*options_.audit, exchange, allowed.error());
    }
    wire::Finish(request, exchange.request_id(), response);
    if (allowed) options_.sites.Grant(request, response);
  } catch (...) {
    Record(*call, 500, MonotonicNanos() - started, exchange.request_id());
    throw;
  }
  Record(*call, response.status, MonotonicNanos() - started, exchange.request_id());
}

void Dispatcher::Record(const CallStats& call, int status, int64_t nanos, std::string_view request_id) const {
  call.Record(status, nanos);
  if (nanos > options_.slow_request_millis * 1'000'000)
    LogWarn("slow request: operation={} millis={} status={} request_id={}", call.name(), nanos / 1'000'000, status,
            request_id);
}

void Dispatcher::Stop() {
  for (const auto& route : routes_) route->Stop();
}

}  // namespace armature::front
