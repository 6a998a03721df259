// Pipeline: the way of a request to its operation, without the network.
//
// body → JSON → target → signature → decoding → constraints → context → operation, in AWS's order, which decides which
// of several faults a request is told (docs/dynamodb.md 1.4). The routes walk requests through it; tests call the very
// same steps with requests of their own making (front/local_call.h). Immutable, hence shared by all threads; what is
// one request's stands in a Call.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/registry.h"
#include "api/request_context.h"
#include "audit/audit.h"
#include "auth/access.h"
#include "auth/principal.h"
#include "auth/verifier.h"
#include "base/async.h"
#include "base/memory/arena.h"
#include "model/api_error.h"
#include "net/http_message.h"
#include "wire/decode.h"
#include "wire/json/json_document.h"

namespace armature::front {

struct PipelineOptions {
  std::string region;                  // the server's
  bool has_region_of_its_own = false;  // a signature's Region does not matter: all tables lie in the server's
};

// On whose behalf, in which Region, and from where.
struct Caller {
  auth::Principal principal;
  std::string_view region;
  std::string_view source_ip{};  // where policies are asked; in the request's arena
  bool is_secure = false;        // through TLS
  bool is_unproven = false;      // see auth::Verified
};

// One request on its way. It stays where it is: what is decoded points into it.
struct Call {
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const wire::OperationSchema* schema = nullptr;
  const api::Operation* operation = nullptr;
  Caller caller;
  bool is_refused = false;                     // the signature was not believed
  bool is_decoded = false;                     // `request` can be looked at
  auth::AccessWitness* witness = nullptr;      // of what the operation touches; null: nobody
  std::optional<wire::JsonDocument> document;  // of which only the strings are kept
  wire::DecodeErrors value_errors;
  void* request = nullptr;  // decoded, in the arena
  std::optional<api::RequestContext> context;
};

class Pipeline {
 public:
  // Everything passed in must outlive the pipeline.
  // `audit` is for the routes, who record what they took through; null: nothing is recorded.
  Pipeline(PipelineOptions options, const api::Services& services, const auth::Verifier& verifier,
           const audit::Audit* audit = nullptr);

  // Everything before the execution. `schema` is what wire::RouteTarget made of the request: null is told in its turn.
  // May run on any thread.
  model::ApiResult<void> Prepare(const net::HttpRequest& request, const wire::OperationSchema* schema, Arena& arena,
                                 Call& call, const auth::Expected& expected = {}) const;
  // The same for a request that this process makes itself on behalf of `caller`: nobody signed it. REQUIRES:
  // simdjson::SIMDJSON_PADDING readable bytes behind `json`, unchanged while this runs.
  model::ApiResult<void> PrepareOwn(std::string_view json, const wire::OperationSchema& schema, Caller caller,
                                    Arena& arena, Call& call) const;
  // Appends the reply to `body`. REQUIRES: one of them succeeded; call, request, arena and body hold until the task is
  // done.
  Task<model::ApiResult<void>> Execute(Call& call, const net::HttpRequest& request, Arena& arena,
                                       std::string& body) const;

  // The steps of it that routes with another form of request share. Identify tells a fault in a form of which each
  // protocol makes its own error, Authenticate in DynamoDB's.
  auth::AuthResult<Caller> Identify(const net::HttpRequest& request, const auth::Expected& expected,
                                    Arena& arena) const;
  model::ApiResult<Caller> Authenticate(const net::HttpRequest& request, Arena& arena,
                                        const auth::Expected& expected = {}) const;
  api::RequestContext MakeContext(const Caller& caller, std::string_view iam_action, const net::HttpRequest& request,
                                  Arena& arena, std::string& body, auth::AccessWitness* witness = nullptr) const;

  const api::Services& services() const { return services_; }
  const audit::Audit* audit() const { return audit_; }

 private:
  model::ApiResult<void> Decode(wire::JsonDocument document, Arena& arena, Call& call) const;
  const auth::Authorizer* AuthorizerOf(bool is_unproven) const { return is_unproven ? nullptr : services_.authorizer; }
  auth::Circumstances CircumstancesOf(const net::HttpRequest& request, const Caller& caller, int64_t now_millis) const;
  const PipelineOptions options_;
  const api::Services& services_;
  const auth::Verifier& verifier_;
  const audit::Audit* const audit_;
};

}  // namespace armature::front
