#include "front/query_route.h"

#include <string>
#include <utility>

#include "auth/auth_fault.h"
#include "base/random.h"
#include "front/peer_address.h"
#include "wire/query/form_decode.h"
#include "wire/query/query_errors.h"

namespace armature::front {

using model::ApiResult;

namespace {

model::ApiError QueryErrorOf(auth::AuthFault fault) {
  const auth::QueryFault told = auth::QueryFaultOf(fault.kind);
  return wire::QueryError(told.code, told.http_status, std::move(fault.message));
}

}  // namespace

QueryRoute::QueryRoute(const Pipeline& pipeline, const query::QueryOperations& operations, Metrics& metrics)
    : pipeline_(pipeline),
      operations_(operations),
      stats_(wire::QueryOperationCount() + 1),
      audited_(wire::QueryOperationCount()) {
  // Only what the server answers gets a series of its own.
  for (const wire::QueryService& service : wire::QueryServices())
    for (const wire::QueryOperationSchema& schema : wire::OperationsOf(service)) {
      stats_[schema.index] =
          CallStats(metrics, schema.name, operations.Has(schema) ? schema.name : "unknown", schema.index);
      audited_[schema.index] = AuditedAs(schema);
    }
  stats_.back() = CallStats(metrics, "none", "none", stats_.size() - 1);
}

const CallStats* QueryRoute::Match(const net::HttpRequest& request) const {
  if (!wire::IsQueryRequest(request)) return nullptr;
  const wire::QueryOperationSchema* const operation = wire::ReadQueryTarget(request).operation;
  return operation ? &stats_[operation->index] : &stats_.back();
}

ApiResult<Caller> QueryRoute::Authenticate(net::Exchange& exchange, const wire::QueryService& service) const {
  const PeerAddress client(exchange);
  auth::AuthResult<Caller> caller = pipeline_.Identify(
      exchange.request(),
      {.services = {&service.name, 1}, .client = &client, .is_secure = exchange.is_secure(), .exchange = &exchange},
      exchange.arena());
  if (caller) return std::move(caller).value();
  return QueryErrorOf(std::move(caller).error());
}

Task<query::QueryResult> QueryRoute::Run(net::Exchange& exchange, const wire::QueryTarget& target,
                                         wire::ReplyTarget reply, Caller& caller, AuditNote* note) const {
  const net::HttpRequest& request = exchange.request();
  if (request.query.size() + request.body.size() > wire::kMaxFormBytes) co_return wire::FormTooLarge();
  if (!target.operation || !operations_.Has(*target.operation)) co_return wire::NoQueryOperation(target);
  const wire::QueryOperationSchema& operation = *target.operation;
  // A web page can make a browser send any GET, and without an Origin by which the site policy would know it.
  if (operation.changes_state && request.method != net::Method::kPost) co_return wire::MustBePosted(operation.name);

  if (!operation.is_unsigned) {
    if (note) note->Refused();
    ARMATURE_CO_TRY(caller, Authenticate(exchange, *operation.service));
    if (note) note->Believed();
  }
  ARMATURE_CO_TRY(const wire::FormParameters form,
                  wire::FormParameters::Parse(request.query, request.body, exchange.arena()));
  ARMATURE_CO_TRY(const void* const input, wire::DecodeForm(operation, form, exchange.arena()));

  if (note) {
    note->Asked(*operation.input, input);
    reply.also = note->elements();
  }

  query::QueryContext context{.arena = exchange.arena(),
                              .caller = operation.is_unsigned ? nullptr : &caller.principal,
                              .is_unproven = caller.is_unproven,
                              .region = caller.region,
                              .iam_action = operation.iam_action,
                              .host = request.Value("Host"),
                              .user_agent = request.Value("User-Agent"),
                              .referer = request.Value("Referer"),
                              .source_ip = PeerAddress(exchange).Text(),
                              .is_secure = exchange.is_secure(),
                              .request_id = reply.request_id,
                              .now_millis = pipeline_.services().clock.NowMillis()};
  co_return co_await operations_.Execute(operation, context, input, reply);
}

Task<void> QueryRoute::Answer(net::Exchange& exchange, const CallStats&) {
  const net::HttpRequest& request = exchange.request();
  net::HttpResponse& response = exchange.response();
  exchange.set_request_id(exchange.arena().Copy(UuidV4(pipeline_.services().random)));
  const wire::QueryTarget target = wire::ReadQueryTarget(request);
  const wire::ReplyTarget reply{wire::ReplyFormFor(request), exchange.request_id(), response.body};
  response.content_type = wire::ContentTypeOf(reply.form);
  Caller caller;
  AuditNoteSlot note;
  if (pipeline_.audit() && target.operation && operations_.Has(*target.operation))
    note.Make(pipeline_, exchange, audited_[target.operation->index], caller);
  query::QueryResult answered = co_await Run(exchange, target, reply, caller, note.get());
  if (note && answered) note->Succeeded();
  if (note && !answered) note->Failed(wire::AsQueryError(answered.error()));
  if (!answered)
    wire::SetQueryError(std::move(answered).error(), *target.service, reply.form, reply.request_id, response);
}

void QueryRoute::Refuse(net::Exchange& exchange, auth::AuthFault fault) const {
  const net::HttpRequest& request = exchange.request();
  net::HttpResponse& response = exchange.response();
  exchange.set_request_id(exchange.arena().Copy(UuidV4(pipeline_.services().random)));
  const wire::QueryTarget target = wire::ReadQueryTarget(request);
  const wire::ReplyForm form = wire::ReplyFormFor(request);
  response.content_type = wire::ContentTypeOf(form);
  wire::SetQueryError(QueryErrorOf(std::move(fault)), *target.service, form, exchange.request_id(), response);
}

}  // namespace armature::front
