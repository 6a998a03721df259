#include "front/pipeline.h"

#include <utility>

#include "auth/access_witness.h"
#include "wire/envelope/envelope.h"
#include "wire/validate.h"

namespace armature::front {

using model::ApiResult;

Pipeline::Pipeline(PipelineOptions options, const api::Services& services, const auth::Verifier& verifier,
                   const audit::Audit* audit)
    : options_(std::move(options)), services_(services), verifier_(verifier), audit_(audit) {}

ApiResult<void> Pipeline::Prepare(const net::HttpRequest& request, const wire::OperationSchema* schema, Arena& arena,
                                  Call& call, const auth::Expected& expected) const {
  std::string decompressed;
  ARMATURE_TRY(const std::string_view body, wire::RequestBody(request, decompressed));
  // An empty body is the last of these faults, not the first: it must not hide a bad target or signature.
  ApiResult<wire::JsonDocument> document = wire::JsonDocument::ParsePadded(body);
  if (!document && !body.empty()) return std::move(document).error();
  call.schema = schema;
  call.operation = schema ? api::FindOperation(*schema) : nullptr;
  if (!call.operation) return model::UnknownOperationException();
  call.is_refused = true;
  ARMATURE_TRY(call.caller, Authenticate(request, arena, expected));
  call.is_refused = false;
  if (!document) return std::move(document).error();
  return Decode(std::move(document).value(), arena, call);
}

ApiResult<void> Pipeline::PrepareOwn(std::string_view json, const wire::OperationSchema& schema, Caller caller,
                                     Arena& arena, Call& call) const {
  ARMATURE_TRY(wire::JsonDocument document, wire::JsonDocument::ParsePadded(json));
  call.schema = &schema;
  call.operation = api::FindOperation(schema);
  if (!call.operation) return model::UnknownOperationException();
  call.caller = std::move(caller);
  return Decode(std::move(document), arena, call);
}

ApiResult<void> Pipeline::Decode(wire::JsonDocument document, Arena& arena, Call& call) const {
  const auto numbers =
      services_.compatibility.reads_numbers_from_text ? wire::NumberForm::kTextToo : wire::NumberForm::kNumbersOnly;
  call.request = call.operation->make_request(arena);
  ARMATURE_CHECK_OK(
      wire::DecodeRequest(*call.schema, document.root(), arena, call.value_errors, call.request, numbers));
  call.is_decoded = true;
  ARMATURE_CHECK_OK(wire::ValidateRequest(*call.schema, call.value_errors.WordingOf(*call.schema), call.request));
  // Many large requests may wait for the disk at once: none keeps what it needs no more, and the rest is counted.
  document.KeepStringsOnly();
  call.document.emplace(std::move(document));
  return {};
}

Task<ApiResult<void>> Pipeline::Execute(Call& call, const net::HttpRequest& request, Arena& arena,
                                        std::string& body) const {
  api::RequestContext& context =
      call.context.emplace(MakeContext(call.caller, call.schema->iam_action, request, arena, body, call.witness));
  context.wording = &call.value_errors.WordingOf(*call.schema);
  return call.operation->execute(context, call.request);
}

auth::AuthResult<Caller> Pipeline::Identify(const net::HttpRequest& request, const auth::Expected& expected,
                                            Arena& arena) const {
  ARMATURE_TRY(auth::Verified verified, verifier_.Verify(request, expected, arena));
  const bool is_address_asked = AuthorizerOf(verified.is_unproven) && expected.client;
  return Caller{std::move(verified.principal),
                options_.has_region_of_its_own ? std::string_view(options_.region) : verified.region,
                is_address_asked ? arena.Copy(expected.client->Text()) : std::string_view(), expected.is_secure,
                verified.is_unproven};
}

ApiResult<Caller> Pipeline::Authenticate(const net::HttpRequest& request, Arena& arena,
                                         const auth::Expected& expected) const {
  auth::AuthResult<Caller> caller = Identify(request, expected, arena);
  if (!caller) return auth::ToApiError(std::move(caller).error());
  return std::move(caller).value();
}

// Nobody looks at them where everybody may do everything.
auth::Circumstances Pipeline::CircumstancesOf(const net::HttpRequest& request, const Caller& caller,
                                              int64_t now_millis) const {
  if (!AuthorizerOf(caller.is_unproven)) return {};
  return {.source_ip = caller.source_ip,
          .is_secure = caller.is_secure,
          .user_agent = request.Value("user-agent"),
          .referer = request.Value("referer"),
          .requested_region = caller.region,
          .now_millis = now_millis};
}

api::RequestContext Pipeline::MakeContext(const Caller& caller, std::string_view iam_action,
                                          const net::HttpRequest& request, Arena& arena, std::string& body,
                                          auth::AccessWitness* witness) const {
  const int64_t now_millis = services_.clock.NowMillis();
  const auth::Authorizer* const authorizer = AuthorizerOf(caller.is_unproven);
  // One who waits for denials only has nothing to see where nobody denies.
  if (witness && !authorizer && !witness->collects_all()) witness = nullptr;
  return {.services = services_,
          .arena = arena,
          .caller = caller.principal,
          .authorizer = authorizer,
          .witness = witness,
          .account = caller.principal.account,
          .region = caller.region,
          .iam_action = iam_action,
          .host = request.Value("host"),
          .now_millis = now_millis,
          .circumstances = CircumstancesOf(request, caller, now_millis),
          .body = body};
}

}  // namespace armature::front
