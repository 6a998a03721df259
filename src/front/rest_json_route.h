// RestJsonRoute: AWS's REST-JSON protocol, where method and path name the operation: Lambda's event source mappings.
//
// What wraps an operation is the Pipeline's; which paths there are and how requests are read is api/lambda's.
#pragma once

#include <vector>

#include "base/metrics.h"
#include "front/pipeline.h"
#include "front/route.h"

namespace armature::front {

class RestJsonRoute final : public Route {
 public:
  // Both must outlive the route. REQUIRES: the pipeline's services have triggers.
  RestJsonRoute(const Pipeline& pipeline, Metrics& metrics);

  const CallStats* Match(const net::HttpRequest& request) const override;
  Task<void> Answer(net::Exchange& exchange, const CallStats& call) override;

 private:
  Task<model::ApiResult<void>> Run(net::Exchange& exchange, size_t operation);

  const Pipeline& pipeline_;
  std::vector<CallStats> stats_;  // by operation
};

}  // namespace armature::front
