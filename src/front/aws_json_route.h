// AwsJsonRoute: DynamoDB's own protocol, AWS JSON 1.0: POST / with the operation in X-Amz-Target.
//
// Takes requests through the Pipeline; large bodies are unpacked, parsed and decoded on a thread of the route's.
#pragma once

#include <array>

#include "base/metrics.h"
#include "front/audit_note.h"
#include "front/pipeline.h"
#include "front/route/route.h"
#include "storage/job_thread.h"

namespace armature::front {

class AwsJsonRoute final : public Route {
 public:
  // Both must outlive the route.
  AwsJsonRoute(const Pipeline& pipeline, Metrics& metrics);

  const CallStats* Match(const net::HttpRequest& request) const override;
  Task<void> Answer(net::Exchange& exchange, const CallStats& call) override;
  void Refuse(net::Exchange& exchange, auth::AuthFault fault) const override;
  void Stop() override { heavy_.Stop(); }

 private:
  model::ApiResult<void> PrepareHere(net::Exchange& exchange, const wire::OperationSchema* schema, Call& call) const;
  Task<model::ApiResult<void>> PrepareElsewhere(net::Exchange& exchange, const wire::OperationSchema* schema,
                                                Call& call);

  const Pipeline& pipeline_;
  storage::JobThread heavy_;  // prepares large requests
  // By operation; the last is for targets that name none.
  std::array<CallStats, wire::kOperationCount + 1> stats_;
  std::array<AuditedOperation, wire::kOperationCount> audited_;
};

}  // namespace armature::front
