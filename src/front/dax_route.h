// DaxRoute: AWS JSON 1.1 with the target prefix AmazonDAXV3: the control plane of DAX, on the same port as DynamoDB.
//
// Body, JSON, target, signature, decoding, constraints, operation, in DynamoDB's order. What a cluster is, dax/control
// knows; what a request is, the schema says (wire/services/dax.h). Requests of this plane are small and rare: longer
// ones than kMaxControlBody are refused unread.
#pragma once

#include <array>
#include <optional>

#include "base/metrics.h"
#include "dax/control/cluster_book.h"
#include "front/audit_note.h"
#include "front/pipeline.h"
#include "front/route/route.h"
#include "wire/json/json_document.h"
#include "wire/services/dax.h"

namespace armature::front {

inline constexpr size_t kMaxControlBody = 256 * 1024;

class DaxRoute final : public Route {
 public:
  // All must outlive the route.
  DaxRoute(const Pipeline& pipeline, dax::control::ClusterBook& book, Metrics& metrics);

  const CallStats* Match(const net::HttpRequest& request) const override;
  Task<void> Answer(net::Exchange& exchange, const CallStats& call) override;
  void Refuse(net::Exchange& exchange, auth::AuthFault fault) const override;

 private:
  // What the note is told of, and so outlives it.
  struct Asked {
    Caller caller;
    std::optional<wire::JsonDocument> document;
  };

  // `note` is null where there is no audit; `asked` is filled in.
  Task<model::ApiResult<void>> Run(net::Exchange& exchange, const wire::OperationSchema* schema, Asked& asked,
                                   AuditNote* note) const;

  const Pipeline& pipeline_;
  dax::control::ClusterBook& book_;
  // By operation; the last is for targets that name none.
  std::array<CallStats, wire::dax::kOperationCount + 1> stats_;
  std::array<AuditedOperation, wire::dax::kOperationCount> audited_;
};

}  // namespace armature::front
