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
}

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
  ApiResult<Caller> believed = pipeline_.Authenticate(
      request, exchange.arena(), {.services = kSigningNames, .client = &client, .is_secure = exchange.is_secure()});
  if (!believed) {
    if (note) note->Refused();
    model::ApiError error = std::move(believed).error();
    error.http_status = 403;  // as services other than DynamoDB refuse a signature
    co_return error;
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

}  // namespace armature::front
