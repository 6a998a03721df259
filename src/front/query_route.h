// QueryRoute: AWS's Query protocol, forms in and XML out: IAM and STS, on the same port as DynamoDB.
//
// Which operation → signature → form → constraints → operation, in AWS's order. How requests are read and replies
// written is wire/query/'s, which operations there are query/'s (QueryOperations). The request id is a UUID, as these
// services have it, and stands in the body too.
#pragma once

#include <vector>

#include "base/metrics.h"
#include "front/audit_note.h"
#include "front/pipeline.h"
#include "front/route/route.h"
#include "query/query_operations.h"
#include "wire/query/query_reply.h"
#include "wire/query/query_request.h"

namespace armature::front {

class QueryRoute final : public Route {
 public:
  // All three must outlive the route.
  QueryRoute(const Pipeline& pipeline, const query::QueryOperations& operations, Metrics& metrics);

  const CallStats* Match(const net::HttpRequest& request) const override;
  Task<void> Answer(net::Exchange& exchange, const CallStats& call) override;
  void Refuse(net::Exchange& exchange, auth::AuthFault fault) const override;

 private:
  // `note` is null where there is no audit; `caller` is filled in where there is one.
  Task<query::QueryResult> Run(net::Exchange& exchange, const wire::QueryTarget& target, wire::ReplyTarget reply,
                               Caller& caller, AuditNote* note) const;
  model::ApiResult<Caller> Authenticate(net::Exchange& exchange, const wire::QueryService& service) const;

  const Pipeline& pipeline_;
  const query::QueryOperations& operations_;
  std::vector<CallStats> stats_;           // by operation; the last is for requests that name none
  std::vector<AuditedOperation> audited_;  // by operation
};

}  // namespace armature::front
