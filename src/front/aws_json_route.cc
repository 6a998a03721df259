#include "front/aws_json_route.h"

#include <exception>
#include <utility>

#include "front/peer_address.h"
#include "wire/envelope/envelope.h"
#include "wire/query/query_request.h"

namespace armature::front {

using model::ApiResult;

namespace {

// Bodies from here on, and compressed ones beyond a trifle, are prepared on a thread of their own.
constexpr size_t kHeavyBodyBytes = 512 * 1024;
constexpr size_t kLightCodedBytes = 1024;
// What that takes for each byte of the body, about.
constexpr size_t kHeldPerBodyByte = 3;

bool IsHeavy(const net::HttpRequest& request) {
  if (request.body.size() > kHeavyBodyBytes) return true;
  return request.body.size() > kLightCodedBytes && request.Find("Content-Encoding") != nullptr;
}

// What the audit is to know of a call that has ended.
void Conclude(const Call& call, const ApiResult<void>& answered, AuditNote& note) {
  if (!call.operation) return note.Forget();
  if (call.is_refused) note.Refused();
  if (call.is_decoded) note.Asked(*call.schema->input, call.request);
  if (answered) note.Succeeded();
  else note.Failed(answered.error());
}

}  // namespace

AwsJsonRoute::AwsJsonRoute(const Pipeline& pipeline, Metrics& metrics) : pipeline_(pipeline) {
  // Only what the server answers gets a series of its own.
  for (const wire::OperationSchema& schema : wire::AllOperations()) {
    stats_[schema.index] =
        CallStats(metrics, schema.name, api::FindOperation(schema) ? schema.name : "unknown", schema.index);
    audited_[schema.index] = AuditedAs(schema);
  }
  stats_[wire::kOperationCount] = CallStats(metrics, "none", "none", wire::kOperationCount);
}

const CallStats* AwsJsonRoute::Match(const net::HttpRequest& request) const {
  if (wire::AwsJsonType(request).empty()) return nullptr;
  const wire::OperationSchema* schema = wire::RouteTarget(request);
  if (!schema && wire::IsQueryRequest(request)) return nullptr;  // IAM's or STS's: without a body any type goes
  return &stats_[schema ? schema->index : wire::kOperationCount];
}

ApiResult<void> AwsJsonRoute::PrepareHere(net::Exchange& exchange, const wire::OperationSchema* schema,
                                          Call& call) const {
  const PeerAddress client(exchange);
  return pipeline_.Prepare(exchange.request(), schema, exchange.arena(), call,
                           {.client = &client, .is_secure = exchange.is_secure(), .exchange = &exchange});
}

// A large body takes milliseconds to unpack, parse and decode, which would be milliseconds for everybody else on the
// reactor: another thread does it.
Task<ApiResult<void>> AwsJsonRoute::PrepareElsewhere(net::Exchange& exchange, const wire::OperationSchema* schema,
                                                     Call& call) {
  const net::HttpRequest& request = exchange.request();
  const size_t body_bytes = request.Find("Content-Encoding") ? wire::kMaxBodyBytes : request.body.size();
  exchange.set_elsewhere_bytes(body_bytes * kHeldPerBodyByte);
  std::exception_ptr failure;
  auto prepared = co_await heavy_.Await([&]() -> ApiResult<void> {
    try {
      return PrepareHere(exchange, schema, call);
    } catch (...) {
      failure = std::current_exception();
      return model::InternalServerError();
    }
  });
  exchange.set_elsewhere_bytes(0);
  if (failure) std::rethrow_exception(failure);
  co_return prepared;
}

Task<void> AwsJsonRoute::Answer(net::Exchange& exchange, const CallStats& stats) {
  const net::HttpRequest& request = exchange.request();
  net::HttpResponse& response = exchange.response();
  response.content_type = wire::AwsJsonType(request);
  const wire::OperationSchema* const schema =
      stats.operation() < wire::kOperationCount ? &wire::AllOperations()[stats.operation()] : nullptr;
  Call call;
  AuditNoteSlot note;
  if (pipeline_.audit() && schema)
    call.witness = &note.Make(pipeline_, exchange, audited_[schema->index], call.caller).witness();
  ApiResult<void> answered;
  if (IsHeavy(request)) answered = co_await PrepareElsewhere(exchange, schema, call);
  else answered = PrepareHere(exchange, schema, call);
  if (answered) {
    exchange.set_extra_bytes(call.document->bytes_held());
    answered = co_await pipeline_.Execute(call, request, exchange.arena(), response.body);
  }
  if (!answered) wire::SetError(answered.error(), response);
  if (note) Conclude(call, answered, *note.get());
}

void AwsJsonRoute::Refuse(net::Exchange& exchange, auth::AuthFault fault) const {
  exchange.response().content_type = wire::AwsJsonType(exchange.request());
  wire::SetError(auth::ToApiError(std::move(fault)), exchange.response());
}

}  // namespace armature::front
