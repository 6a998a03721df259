// AuditNote: what the audit is told of one request, gathered by its route and recorded when the request ends.
//
// Every route that has operations makes one where there is an audit, so all operations are recorded at one place,
// whatever becomes of them: one that ends in an exception is recorded too. Lives on the route's stack, behind what it
// is told of, and costs a call that is not recorded a few comparisons. Used inside front/.
#pragma once

#include <new>
#include <optional>
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

// What the audit calls an operation; made once for each, by its route.
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
AuditedOperation AuditedAsDax(const wire::OperationSchema& schema);
AuditedOperation AuditedAsLambdas(std::string_view name);

class AuditNote {
 public:
  // `caller` is filled in once it is known. All must outlive the note. REQUIRES: the pipeline has an audit.
  AuditNote(const Pipeline& pipeline, net::Exchange& exchange, const AuditedOperation& operation, const Caller& caller)
      : pipeline_(pipeline), exchange_(exchange), operation_(operation), caller_(caller) {
    if (pipeline.audit()->Wants(operation.kind)) witness_.CollectAll();
  }
  // Records, if it is to be recorded.
  ~AuditNote() {
    if (IsWanted()) Record();
  }
  AuditNote(const AuditNote&) = delete;
  AuditNote& operator=(const AuditNote&) = delete;

  // Is told of what the operation touches.
  auth::AccessWitness& witness() { return witness_; }
  // The reply of IAM or STS is written here as well; null: it is not told.
  wire::ReplyWriter* elements() { return operation_.tells_reply ? &elements_.emplace() : nullptr; }

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
  bool IsDenied() const { return is_refused_ || witness_.is_denied() || is_denial_; }
  audit::CallKind Kind() const {
    return operation_.is_partiql && !witness_.writes() ? audit::CallKind::kDataRead : operation_.kind;
  }
  bool IsWanted() const { return !is_forgotten_ && (IsDenied() || pipeline_.audit()->Wants(Kind())); }
  void Record() noexcept;
  void RecordAll();
  std::string RequestParameters() const;
  std::string ResponseElements();
  void AddResources(audit::Event& event) const;

  const Pipeline& pipeline_;
  net::Exchange& exchange_;
  const AuditedOperation& operation_;
  const Caller& caller_;
  auth::AccessWitness witness_;
  std::optional<audit::ElementsWriter> elements_;
  const wire::ShapeDesc* shape_ = nullptr;
  const void* request_ = nullptr;
  std::string json_request_;
  std::string error_code_;
  std::string error_message_;
  bool is_forgotten_ = false;
  bool is_refused_ = false;
  bool is_denial_ = false;  // by the error's name
  bool has_ended_ = false;
};

// Where a route keeps its note: in the exchange's arena, if there is an audit. A word where there is none: a coroutine
// fills its whole frame in.
class AuditNoteSlot {
 public:
  AuditNoteSlot() = default;
  ~AuditNoteSlot() {
    if (note_) note_->~AuditNote();
  }
  AuditNoteSlot(const AuditNoteSlot&) = delete;
  AuditNoteSlot& operator=(const AuditNoteSlot&) = delete;

  // REQUIRES: it is empty, and what AuditNote requires.
  AuditNote& Make(const Pipeline& pipeline, net::Exchange& exchange, const AuditedOperation& operation,
                  const Caller& caller) {
    note_ = new (exchange.arena().Allocate(sizeof(AuditNote))) AuditNote(pipeline, exchange, operation, caller);
    return *note_;
  }
  AuditNote* get() const { return note_; }
  AuditNote* operator->() const { return note_; }
  explicit operator bool() const { return note_ != nullptr; }

 private:
  AuditNote* note_ = nullptr;
};

// A request that the site policy turned away, whatever it was for.
void RecordTurnedAway(const audit::Audit& audit, const net::Exchange& exchange, const model::ApiError& error) noexcept;

}  // namespace armature::front
