#include "front/rest_json_route.h"

#include <array>
#include <string>
#include <string_view>

#include "front/peer_address.h"
#include "lambda/lambda_api.h"
#include "wire/envelope/envelope.h"

namespace armature::front {

using model::ApiResult;

namespace {

constexpr std::array<std::string_view, 1> kSigningNames{"lambda"};

// As services other than DynamoDB refuse a signature, and Lambda who asks too often.
model::ApiError RestErrorOf(auth::AuthFault fault) {
  const bool is_throttled = fault.kind == auth::AuthFaultKind::kThrottled;
  model::ApiError error = auth::ToApiError(std::move(fault));
  error.http_status = is_throttled ? 429 : 403;
  if (is_throttled) error.name = "TooManyRequestsException";
  return error;
}

}  // namespace

RestJsonRoute::RestJsonRoute(const Pipeline& pipeline, triggers::Triggers& triggers, Metrics& metrics)
    : pipeline_(pipeline), triggers_(triggers) {
  for (const lambda::RestOperation& operation : lambda::RestOperations()) {
    stats_.emplace_back(metrics, operation.name, operation.name, stats_.size());
    audited_.push_back(AuditedAsLambdas(operation.name));
  }
}

const CallStats* RestJsonRoute::Match(const net::HttpRequest& request) const {
  const auto operation = lambda::FindRestOperation(request);
  return operation ? &stats_[*operation] : nullptr;
}

Task<ApiResult<void>> RestJsonRoute::Run(net::Exchange& exchange, size_t operation, Caller& caller, AuditNote* note) {
  const net::HttpRequest& request = exchange.request();
  const PeerAddress client(exchange);
  auth::AuthResult<Caller> believed = pipeline_.Identify(
      request, {.services = kSigningNames, .client = &client, .is_secure = exchange.is_secure(), .exchange = &exchange},
      exchange.arena());
  if (!believed) {
    if (note) note->Refused();
    co_return RestErrorOf(std::move(believed).error());
  }
  caller = std::move(believed).value();
  std::string decompressed;
  ARMATURE_CO_TRY(const std::string_view body, wire::RequestBody(request, decompressed));
  exchange.set_extra_bytes(decompressed.capacity());
  const lambda::RestOperation& rest = lambda::RestOperations()[operation];
  if (note) note->AskedInJson(body, rest.has_uuid ? lambda::MappingNamedIn(request) : std::string());
  api::RequestContext context = pipeline_.MakeContext(caller, rest.iam_action, request, exchange.arena(),
                                                      exchange.response().body, note ? &note->witness() : nullptr);
  co_return co_await lambda::RunRestOperation(rest, triggers_, context, request, body);
}

Task<void> RestJsonRoute::Answer(net::Exchange& exchange, const CallStats& call) {
  net::HttpResponse& response = exchange.response();
  response.content_type = "application/json";
  response.status = lambda::RestOperations()[call.operation()].success_status;
  Caller caller;
  AuditNoteSlot note;
  if (pipeline_.audit()) note.Make(pipeline_, exchange, audited_[call.operation()], caller);
  const ApiResult<void> answered = co_await Run(exchange, call.operation(), caller, note.get());
  if (!answered) lambda::SetRestError(answered.error(), response);
  if (!note) co_return;
  if (answered) note->Succeeded();
  else note->Failed(answered.error());
}

void RestJsonRoute::Refuse(net::Exchange& exchange, auth::AuthFault fault) const {
  exchange.response().content_type = "application/json";
  lambda::SetRestError(RestErrorOf(std::move(fault)), exchange.response());
}

}  // namespace armature::front
