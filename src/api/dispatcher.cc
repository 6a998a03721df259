#include "api/dispatcher.h"

#include <exception>
#include <optional>

#include <fmt/format.h>

#include "api/lambda/lambda_api.h"
#include "auth/sigv4.h"
#include "base/clock.h"
#include "base/log.h"
#include "model/messages_signature.h"
#include "wire/decode.h"
#include "wire/envelope.h"
#include "wire/validate.h"

namespace armature::api {

using model::ApiResult;

namespace {

// Bodies from here on, and compressed ones beyond a trifle, are prepared on a thread of their own.
constexpr size_t kHeavyBodyBytes = 512 * 1024;
constexpr size_t kLightCodedBytes = 1024;
// What that takes for each byte of the body, about.
constexpr size_t kHeldPerBodyByte = 3;

// Neither a call nor a browser's question whether it may call.
bool IsProbe(const net::HttpRequest& request) {
  if (request.method == net::Method::kPost) return false;
  return request.method != net::Method::kOptions || request.Find("Origin") == nullptr;
}

// As DynamoDB Local words it: neither the name nor the family is Amazon's.
model::ApiError TokenWanted() {
  model::ApiError error;
  error.name = "MissingAuthenticationToken";
  error.message = model::messages::kAccessKeyWanted;
  error.capital_message = true;
  return error;
}

}  // namespace

struct Dispatcher::OperationMetrics {
  Counter* requests = nullptr;
  Counter* client_errors = nullptr;
  Counter* server_errors = nullptr;
  LatencyHistogram* latency = nullptr;

  void Register(Metrics& metrics, std::string_view operation) {
    const std::string label = fmt::format("operation=\"{}\"", operation);
    requests = &metrics.GetCounter("armature_requests_total", "Requests answered, by operation", label);
    client_errors =
        &metrics.GetCounter("armature_client_errors_total", "Requests answered with 4xx, by operation", label);
    server_errors =
        &metrics.GetCounter("armature_server_errors_total", "Requests answered with 5xx, by operation", label);
    latency = &metrics.GetHistogram("armature_request_seconds", "Time from a complete request to its reply", label);
  }
};

Dispatcher::Dispatcher(DispatcherOptions options, const Services& services, const auth::Verifier& verifier,
                       Metrics& metrics)
    : options_(std::move(options)), services_(services), verifier_(verifier), metrics_(metrics) {
  const auto operations = wire::AllOperations();
  operation_metrics_ = std::make_unique<OperationMetrics[]>(operations.size() + 1);
  const auto rest_operations = lambda::RestOperations();
  rest_metrics_ = std::make_unique<OperationMetrics[]>(rest_operations.size());
  for (size_t i = 0; i < rest_operations.size(); ++i) rest_metrics_[i].Register(metrics, rest_operations[i].name);
  // Only what the server answers gets a series of its own; the rest share the last one.
  for (const auto& schema : operations)
    operation_metrics_[schema.index].Register(metrics, FindOperation(schema) ? schema.name : "unknown");
  operation_metrics_[operations.size()].Register(metrics, "none");
}

Dispatcher::~Dispatcher() = default;

Task<void> Dispatcher::Handle(net::Exchange& exchange) {
  const int64_t started = MonotonicNanos();
  const net::HttpRequest& request = exchange.request();
  net::HttpResponse& response = exchange.response();
  char request_id[kRequestIdSize];
  WriteRequestId(services_.random, request_id);

  // Where a path other than / leads is decided here and nowhere else.
  const wire::OperationSchema* schema = nullptr;
  const lambda::RestOperation* rest_operation = nullptr;
  const ApiResult<void> allowed = options_.sites.Check(request);
  if (allowed && request.path != "/" && services_.triggers) rest_operation = lambda::FindRestOperation(request);
  if (!allowed) {
    response.content_type = "application/x-amz-json-1.0";
    wire::SetError(allowed.error(), response);
  } else if (request.method == net::Method::kGet && request.path == "/metrics") {
    response.content_type = "text/plain; version=0.0.4";
    response.body = metrics_.RenderPrometheus();
  } else if (rest_operation) {
    response.content_type = "application/json";
    response.status = rest_operation->success_status;
    const ApiResult<void> answered = co_await AnswerRest(exchange, *rest_operation);
    if (!answered) lambda::SetRestError(answered.error(), response);
  } else if (services_.compatibility.asks_everybody_for_a_token && IsProbe(request)) {
    response.content_type = "application/x-amz-json-1.0";
    wire::SetError(TokenWanted(), response);
    response.close_connection = true;  // who probes may never read the answer, and wait for its end (jest-dynamodb does)
  } else if (!wire::AnswerWithoutOperation(request, options_.region, response)) {
    const ApiResult<void> answered = co_await Answer(exchange, &schema);
    if (!answered) wire::SetError(answered.error(), response);
  }
  wire::Finish(request, {request_id, kRequestIdSize}, response);
  if (allowed) options_.sites.Grant(request, response);
  const size_t none = wire::AllOperations().size();
  const OperationMetrics& metrics = rest_operation ? rest_metrics_[rest_operation - lambda::RestOperations().data()]
                                                   : operation_metrics_[schema ? schema->index : none];
  const std::string_view name = rest_operation ? rest_operation->name : schema ? schema->name : "none";
  Record(metrics, name, response, MonotonicNanos() - started, {request_id, kRequestIdSize});
}

// A request ready to be executed.
struct Dispatcher::Prepared {
  const Operation* operation;
  auth::Credential credential;
  wire::JsonDocument document;  // of which only the strings are kept
  void* decoded;                // in the exchange's arena
};

// The order of these steps is AWS's, and decides which of several faults a request is told (docs/dynamodb.md 1.4).
ApiResult<Dispatcher::Prepared> Dispatcher::Prepare(net::Exchange& exchange, const wire::OperationSchema** schema,
                                                    wire::DecodeErrors& value_errors) const {
  const net::HttpRequest& request = exchange.request();
  Arena& arena = exchange.arena();

  std::string decompressed;
  ARMATURE_TRY(const std::string_view body, wire::RequestBody(request, decompressed));
  // An empty body is the last of these faults, not the first: it must not hide a bad target or signature.
  ApiResult<wire::JsonDocument> document = wire::JsonDocument::ParsePadded(body);
  if (!document && !body.empty()) return std::move(document).error();
  *schema = wire::RouteTarget(request);
  const Operation* operation = *schema ? FindOperation(**schema) : nullptr;
  if (!operation) return model::UnknownOperationException();
  ARMATURE_TRY(const auth::Credential credential, auth::ParseAuthorization(request, arena));
  ARMATURE_CHECK_OK(verifier_.Verify(credential, request));
  if (!document) return std::move(document).error();

  const auto numbers =
      services_.compatibility.reads_numbers_from_text ? wire::NumberForm::kTextToo : wire::NumberForm::kNumbersOnly;
  void* decoded = operation->make_request(arena);
  ARMATURE_CHECK_OK(wire::DecodeRequest(**schema, document->root(), arena, value_errors, decoded, numbers));
  ARMATURE_CHECK_OK(wire::ValidateRequest(**schema, value_errors.WordingOf(**schema), decoded));
  // Many large requests may wait for the disk at once: none keeps what it needs no more, and the rest is counted.
  document->KeepStringsOnly();
  return Prepared{operation, credential, std::move(*document), decoded};
}

// A large body takes milliseconds to unpack, parse and decode, which would be milliseconds for everybody else on the
// reactor: another thread does it.
Task<ApiResult<Dispatcher::Prepared>> Dispatcher::PrepareElsewhere(net::Exchange& exchange,
                                                                   const wire::OperationSchema** schema,
                                                                   wire::DecodeErrors& value_errors) {
  const size_t body_bytes =
      exchange.request().Find("Content-Encoding") ? wire::kMaxBodyBytes : exchange.request().body.size();
  exchange.set_elsewhere_bytes(body_bytes * kHeldPerBodyByte);
  std::exception_ptr failure;
  auto prepared = co_await heavy_.Await([&]() -> ApiResult<Prepared> {
    try {
      return Prepare(exchange, schema, value_errors);
    } catch (...) {
      failure = std::current_exception();
      return model::InternalServerError();
    }
  });
  exchange.set_elsewhere_bytes(0);
  if (failure) std::rethrow_exception(failure);
  co_return prepared;
}

Task<ApiResult<void>> Dispatcher::Answer(net::Exchange& exchange, const wire::OperationSchema** schema) {
  const net::HttpRequest& request = exchange.request();
  const bool is_heavy = request.body.size() > kHeavyBodyBytes ||
                        (request.body.size() > kLightCodedBytes && request.Find("Content-Encoding") != nullptr);
  wire::DecodeErrors value_errors;  // what is decoded points into it
  std::optional<ApiResult<Prepared>> result;
  if (is_heavy) result.emplace(co_await PrepareElsewhere(exchange, schema, value_errors));
  else result.emplace(Prepare(exchange, schema, value_errors));
  if (!*result) co_return std::move(*result).error();
  const Prepared& prepared = **result;
  exchange.set_extra_bytes(prepared.document.bytes_held());
  const CallerScope caller =
      ScopeOf(options_.sharing, options_.account, options_.region, prepared.credential, exchange.arena());
  RequestContext context{services_,
                         exchange.arena(),
                         caller.account,
                         caller.region,
                         request.Value("host"),
                         services_.clock.NowMillis(),
                         exchange.response().body,
                         &value_errors.WordingOf(**schema)};
  co_return co_await prepared.operation->execute(context, prepared.decoded);
}

// REST operations decode their own requests; who calls, and what wraps every operation, is the same.
Task<ApiResult<void>> Dispatcher::AnswerRest(net::Exchange& exchange, const lambda::RestOperation& operation) {
  const net::HttpRequest& request = exchange.request();
  Arena& arena = exchange.arena();
  ApiResult<auth::Credential> credential = auth::ParseAuthorization(request, arena);
  ApiResult<void> verified;
  if (credential) verified = verifier_.Verify(*credential, request);
  if (!credential || !verified) {
    model::ApiError error = credential ? std::move(verified).error() : std::move(credential).error();
    error.http_status = 403;  // as services other than DynamoDB refuse a signature
    co_return error;
  }
  std::string decompressed;
  ARMATURE_CO_TRY(const std::string_view body, wire::RequestBody(request, decompressed));
  exchange.set_extra_bytes(decompressed.capacity());
  const CallerScope caller = ScopeOf(options_.sharing, options_.account, options_.region, *credential, arena);
  RequestContext context{services_,
                         arena,
                         caller.account,
                         caller.region,
                         request.Value("host"),
                         services_.clock.NowMillis(),
                         exchange.response().body};
  co_return co_await lambda::RunRestOperation(operation, context, request, body);
}

void Dispatcher::Record(const OperationMetrics& metrics, std::string_view operation, const net::HttpResponse& response,
                        int64_t nanos, std::string_view request_id) const {
  metrics.requests->Add();
  if (response.status >= 500) metrics.server_errors->Add();
  else if (response.status >= 400) metrics.client_errors->Add();
  metrics.latency->RecordMicros(static_cast<uint64_t>(nanos) / 1000);
  if (nanos > options_.slow_request_millis * 1'000'000)
    LogWarn("slow request: operation={} millis={} status={} request_id={}", operation, nanos / 1'000'000,
            response.status, request_id);
}

}  // namespace armature::api
