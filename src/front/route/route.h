// Route: one way in. Which requests it takes, how it answers them, and as what they are counted.
//
// The dispatcher asks its routes in the order of their table (front/routes.h) and lets the first that takes a request
// answer it. One object serves all reactors: Match reads the request and nothing that changes; Answer runs on the
// exchange's reactor and holds no state between requests.
#pragma once

#include "auth/auth_fault.h"
#include "base/async.h"
#include "front/route/call_stats.h"
#include "net/handler.h"
#include "net/http_message.h"

namespace armature::front {

class Route {
 public:
  virtual ~Route() = default;

  // As what the request is counted; null: it is for another route. A few comparisons: every request is asked about.
  virtual const CallStats* Match(const net::HttpRequest& request) const = 0;

  // Fills the response, failures included. REQUIRES: Match gave `call` for this exchange's request.
  virtual Task<void> Answer(net::Exchange& exchange, const CallStats& call) = 0;

  // Fills the response with a fault that was found before the request was looked at, in the route's form.
  // REQUIRES: Match took this exchange's request.
  virtual void Refuse(net::Exchange& exchange, auth::AuthFault fault) const = 0;

  // Ends what still works for requests on another thread.
  virtual void Stop() {}
};

}  // namespace armature::front
