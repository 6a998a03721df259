// AuditNote: what the audit is told of one request, gathered by its route and recorded when the request ends.
//
// Every route that has operations makes one where there is an audit, so all operations are recorded at one place,
// whatever becomes of them: one that ends in an exception is recorded too. Lives on the route's stack, behind what it
// is told of, and costs a call that is not recorded a few comparisons. Used inside front/.
#pragma once

#include <string>
#include <string_view>

#include "audit/audit.h"
#include "audit/elements.h"
#include "auth/access_witness.h"
#include "front/pipeline.h"
#include "net/handler.h"
#include "wire/query/query_schema.h"
#include "wire/shape.h"

namespace armature::front {

// What the audit calls an operation.
struct AuditedOperation {
  std::string_view service;
  std::string_view name;
  std::string_view api_version;
  std::string_view name_suffix{};  // Lambda's events have the version in their names
  audit::CallKind kind = audit::CallKind::kManagement;
  bool is_read_only = false;
  bool is_partiql = false;  // only its statements tell whether it writes
  bool tells_reply = false;
  bool is_query = false;  // of the Query protocol: its reply is given to elements()
};
AuditedOperation AuditedAs(const wire::OperationSchema& schema);
AuditedOperation AuditedAs(const wire::QueryOperationSchema& schema);
AuditedOperation AuditedAsLambdas(std::string_view name);

class AuditNote {
 public:
  // `caller` is filled in once it is known. All must outlive the note. REQUIRES: the pipeline has an audit.
  AuditNote(const Pipeline& pipeline, net::Exchange& exchange, const AuditedOperation& operation, const Caller& caller);
  // Records, if it is to be recorded.
  ~AuditNote();
  AuditNote(const AuditNote&) = delete;
  AuditNote& operator=(const AuditNote&) = delete;

  // Is told of what the operation touches.
  auth::AccessWitness& witness() { return witness_; }
  // The reply of IAM or STS is written here as well; null: it is not told.
  wire::ReplyWriter* elements() { return operation_.tells_reply ? &elements_ : nullptr; }

  // Nobody is recorded as having called what does not exist.
  void Forget() { is_forgotten_ = true; }
  // The signature was not believed.
  void Refused() { is_refused_ = true; }
  void Believed() { is_refused_ = false; }
  // What was asked for: by its schema, in memory that outlives the note; or as JSON.
  void Asked(const wire::ShapeDesc& shape, const void* request) { shape_ = &shape, request_ = request; }
  void AskedInJson(std::string_view body, std::string_view uuid);
  // How it ended. A note that is not told records a failure of the server.
  void Succeeded() { has_ended_ = true; }
  void Failed(const model::ApiError& error);

 private:
  struct Outcome {
    bool is_denied;
    bool is_wanted;
  };
  Outcome Judge() const;
  void Record(bool is_denied);
  std::string RequestParameters() const;
  std::string ResponseElements();
  void AddResources(audit::Event& event) const;

  const Pipeline& pipeline_;
  net::Exchange& exchange_;
  const AuditedOperation operation_;
  const Caller& caller_;
  auth::AccessWitness witness_;
  audit::ElementsWriter elements_;
  const wire::ShapeDesc* shape_ = nullptr;
  const void* request_ = nullptr;
  std::string json_request_;
  std::string error_code_;
  std::string error_message_;
  bool is_forgotten_ = false;
  bool is_refused_ = false;
  bool has_ended_ = false;
};

// A request that the site policy turned away, whatever it was for.
void RecordTurnedAway(const audit::Audit& audit, const net::Exchange& exchange, const model::ApiError& error) noexcept;

}  // namespace armature::front
