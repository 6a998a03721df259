// MetricsRoute: GET /metrics, for Prometheus, and to whom it is given.
//
// With a token to whoever brings it (Authorization: Bearer TOKEN, as Prometheus's `authorization` has it), from
// wherever he comes. Without one to programs of this machine, and to others as long as everybody is believed anyway:
// the numbers have names of tables in them. Counted as "none".
#pragma once

#include <functional>

#include "base/memory/secret.h"
#include "base/metrics.h"
#include "front/route/route.h"

namespace armature::front {

struct MetricsAccess {
  Secret token{};                            // empty: there is none
  std::function<bool()> keeps_out_others{};  // asked without a token: only loopback may see them; empty: everybody may
};

class MetricsRoute final : public Route {
 public:
  // The metrics must outlive the route.
  MetricsRoute(Metrics& metrics, MetricsAccess access);

  const CallStats* Match(const net::HttpRequest& request) const override;
  Task<void> Answer(net::Exchange& exchange, const CallStats& call) override;
  void Refuse(net::Exchange& exchange, auth::AuthFault fault) const override;

 private:
  // Null: he may see them.
  const char* WhyNot(const net::Exchange& exchange) const;

  const Metrics& metrics_;
  const MetricsAccess access_;
  const CallStats stats_;
};

}  // namespace armature::front
