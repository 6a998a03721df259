// Routes without an operation behind them: a test, and an answer that is ready at once.
//
// Health, the question of a web page whether it may call, and "no such thing". All are counted as "none".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/metrics.h"
#include "front/route/route.h"

namespace armature::front {

class PlainRoute final : public Route {
 public:
  using Test = std::function<bool(const net::HttpRequest& request)>;
  using Reply = std::function<void(const net::HttpRequest& request, net::HttpResponse& response)>;

  PlainRoute(Metrics& metrics, Test test, Reply reply)
      : stats_(metrics, "none", "none"), test_(std::move(test)), reply_(std::move(reply)) {}

  const CallStats* Match(const net::HttpRequest& request) const override { return test_(request) ? &stats_ : nullptr; }
  Task<void> Answer(net::Exchange& exchange, const CallStats&) override {
    reply_(exchange.request(), exchange.response());
    co_return;
  }
  void Refuse(net::Exchange& exchange, auth::AuthFault fault) const override;

 private:
  const CallStats stats_;
  const Test test_;
  const Reply reply_;
};

// --- tests

// GET of exactly this path.
PlainRoute::Test IsGetOf(std::string_view path);
// A web page asks through its browser what it may send; whether it may at all is auth::SitePolicy's matter.
bool IsPreflight(const net::HttpRequest& request);
// Neither a call nor a preflight.
bool IsProbe(const net::HttpRequest& request);
bool IsAnything(const net::HttpRequest& request);

// --- answers

// As AWS's endpoints do, with the name the client came by; `region` is the server's.
PlainRoute::Reply Healthy(std::string region);
void AnswerPreflight(const net::HttpRequest& request, net::HttpResponse& response);
// As DynamoDB Local answers whoever comes without a signature.
void AskForToken(const net::HttpRequest& request, net::HttpResponse& response);
void AnswerNotFound(const net::HttpRequest& request, net::HttpResponse& response);

}  // namespace armature::front
