#include "front/dax_route.h"

#include <string>
#include <string_view>
#include <utility>

#include "dax/control/operations/control_operations.h"
#include "front/peer_address.h"
#include "wire/decode.h"
#include "wire/envelope/envelope.h"

namespace armature::front {

using model::ApiResult;

namespace {

constexpr std::string_view kAmzJson = "application/x-amz-json-1.1";
constexpr std::array<std::string_view, 1> kSigningNames{"dax"};

// What the target has behind the prefix and the dot; nothing if it has another prefix.
std::optional<std::string_view> NameIn(std::string_view target) {
  constexpr std::string_view kPrefix = wire::dax::kTargetPrefix;
  if (!target.starts_with(kPrefix) || target.size() == kPrefix.size() || target[kPrefix.size()] != '.')
    return std::nullopt;
  return target.substr(kPrefix.size() + 1);
}

bool HasJson(const net::HttpRequest& request) {
  std::string_view type = request.Value("Content-Type");
  type = type.substr(0, type.find_first_of("; \t"));
  return net::EqualsIgnoreCase(type, kAmzJson);
}

// As net/ answers a body that says so beforehand: with a status alone.
model::ApiError TooLarge() {
  model::ApiError error;
  error.http_status = 413;
  return error;
}

}  // namespace

DaxRoute::DaxRoute(const Pipeline& pipeline, dax::control::ClusterBook& book, Metrics& metrics)
    : pipeline_(pipeline), book_(book) {
  for (const wire::OperationSchema& schema : wire::dax::Operations()) {
    // Some are called as operations of DynamoDB are.
    stats_[schema.index] = CallStats(metrics, schema.name, schema.name, schema.index);
    audited_[schema.index] = AuditedAsDax(schema);
  }
  stats_.back() = CallStats(metrics, "none", "none", wire::dax::kOperationCount);
}

const CallStats* DaxRoute::Match(const net::HttpRequest& request) const {
  if (request.method != net::Method::kPost || request.path != "/") return nullptr;
  const auto name = NameIn(request.Value("X-Amz-Target"));
  if (!name || !HasJson(request)) return nullptr;
  const wire::OperationSchema* const schema = wire::dax::FindOperation(*name);
  return schema ? &stats_[schema->index] : &stats_.back();
}

Task<ApiResult<void>> DaxRoute::Run(net::Exchange& exchange, const wire::OperationSchema* schema, Asked& asked,
                                    AuditNote* note) const {
  const net::HttpRequest& request = exchange.request();
  if (request.body.size() > kMaxControlBody) co_return TooLarge();
  std::string decompressed;
  ARMATURE_CO_TRY(const std::string_view body, wire::RequestBody(request, decompressed));
  if (body.size() > kMaxControlBody) co_return TooLarge();
  ARMATURE_CO_TRY(asked.document, wire::JsonDocument::ParsePadded(body));
  if (!schema) co_return model::UnknownOperationException();
  const PeerAddress client(exchange);
  const auth::Expected expected{
      .services = kSigningNames, .client = &client, .is_secure = exchange.is_secure(), .exchange = &exchange};
  if (note) note->Refused();
  ARMATURE_CO_TRY(asked.caller, pipeline_.Authenticate(request, exchange.arena(), expected));
  if (note) note->Believed();

  wire::DecodeErrors errors;
  void* const input = exchange.arena().Allocate(schema->input->size);
  ARMATURE_CO_CHECK_OK(wire::DecodeRequest(*schema, asked.document->root(), exchange.arena(), errors, input));
  if (note) note->Asked(*schema->input, input);
  ARMATURE_CO_CHECK_OK(wire::ValidateRequest(*schema, *schema->wording, input));

  std::string& reply = exchange.response().body;
  const api::RequestContext made = pipeline_.MakeContext(asked.caller, schema->iam_action, request, exchange.arena(),
                                                         reply, note ? &note->witness() : nullptr);
  const dax::control::ControlContext context{.book = book_,
                                             .caller = made.caller,
                                             .authorizer = made.authorizer,
                                             .witness = made.witness,
                                             .circumstances = made.circumstances,
                                             .place = {std::string(made.account), std::string(made.region)},
                                             .iam_action = made.iam_action};
  co_return co_await dax::control::RunControlOperation(*schema, context, input, reply);
}

Task<void> DaxRoute::Answer(net::Exchange& exchange, const CallStats& call) {
  net::HttpResponse& response = exchange.response();
  response.content_type = kAmzJson;
  const wire::OperationSchema* const schema =
      call.operation() < wire::dax::kOperationCount ? &wire::dax::Operations()[call.operation()] : nullptr;
  Asked asked;
  AuditNoteSlot note;
  if (pipeline_.audit() && schema) note.Make(pipeline_, exchange, audited_[schema->index], asked.caller);
  const ApiResult<void> answered = co_await Run(exchange, schema, asked, note.get());
  if (!answered) wire::SetError(answered.error(), response);
  if (!note) co_return;
  if (answered) note->Succeeded();
  else note->Failed(answered.error());
}

void DaxRoute::Refuse(net::Exchange& exchange, auth::AuthFault fault) const {
  exchange.response().content_type = kAmzJson;
  wire::SetError(auth::ToApiError(std::move(fault)), exchange.response());
}

}  // namespace armature::front
