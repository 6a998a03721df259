#include "server/dax/local_backend.h"

#include <string>
#include <utility>

#include <simdjson.h>

#include "base/memory/arena.h"
#include "base/random.h"
#include "model/api_error.h"
#include "net/http_message.h"
#include "wire/envelope/envelope.h"
#include "wire/requests.h"

namespace armature::server {

namespace {

constexpr std::string_view kService = "DynamoDB_20120810";
constexpr std::string_view kKeyId = "DAX";  // what the audit is told instead of an access key

dax::BackendError ToBackendError(const model::ApiError& error, RandomSource& random) {
  net::HttpResponse told;
  wire::SetError(error, told);
  dax::BackendError failure;
  failure.name = error.name;
  failure.message = error.message;
  failure.http_status = error.http_status;
  failure.json = std::move(told.body);
  failure.request_id.resize(kRequestIdSize);
  WriteRequestId(random, failure.request_id.data());
  return failure;
}

}  // namespace

Task<dax::BackendReply> LocalBackend::Call(std::string_view operation, std::string_view json, const dax::Scope& scope) {
  const wire::OperationSchema* const schema = wire::FindOperation(kService, operation);
  RandomSource& random = pipeline_.services().random;
  if (!schema) co_return ToBackendError(model::UnknownOperationException(), random);
  const OnBehalf behalf = role_.Now(scope.account);
  if (!behalf.identity) co_return ToBackendError(model::AccessDeniedException(std::string(behalf.why_nobody)), random);

  std::string padded;
  padded.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  padded = json;
  Arena arena;
  net::HttpRequest http;  // of which the pipeline asks what a client's would say of itself: nothing
  front::Call call;
  std::string body;
  front::Caller caller{auth::PrincipalOf(behalf.identity, kKeyId), scope.region, {}, true, behalf.is_unproven};
  model::ApiResult<void> answered = pipeline_.PrepareOwn(padded, *schema, std::move(caller), arena, call);
  if (answered) answered = co_await pipeline_.Execute(call, http, arena, body);
  if (!answered) co_return ToBackendError(answered.error(), random);
  co_return body;
}

}  // namespace armature::server
