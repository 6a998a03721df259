// RestJsonRoute: AWS's REST-JSON protocol, where method and path name the operation: Lambda's event source mappings.
//
// What wraps an operation is the Pipeline's; which paths there are and how requests are read is lambda/'s.
#pragma once

#include <vector>

#include "base/metrics.h"
#include "front/audit_note.h"
#include "front/pipeline.h"
#include "front/route/route.h"

namespace armature::triggers {
class Triggers;
}

namespace armature::front {

class RestJsonRoute final : public Route {
 public:
  // All three must outlive the route.
  RestJsonRoute(const Pipeline& pipeline, triggers::Triggers& triggers, Metrics& metrics);

  const CallStats* Match(const net::HttpRequest& request) const override;
  Task<void> Answer(net::Exchange& exchange, const CallStats& call) override;
  void Refuse(net::Exchange& exchange, auth::AuthFault fault) const override;

 private:
  // `note` is null where there is no audit; `caller` is filled in.
  Task<model::ApiResult<void>> Run(net::Exchange& exchange, size_t operation, Caller& caller, AuditNote* note);

  const Pipeline& pipeline_;
  triggers::Triggers& triggers_;
  std::vector<CallStats> stats_;           // by operation
  std::vector<AuditedOperation> audited_;  // the same
};

}  // namespace armature::front
