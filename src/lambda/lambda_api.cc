#include "lambda/lambda_api.h"

#include <algorithm>
#include <optional>

#include "api/access.h"
#include "base/text/json_writer.h"
#include "base/text/visible_text.h"
#include "model/names/arn.h"
#include "wire/json/json_document.h"

namespace armature::lambda {

namespace {

using net::Method;

// SDKs differ in whether they end it with a slash.
constexpr std::string_view kMappings = "/2015-03-31/event-source-mappings";

constexpr RestOperation kOperations[] = {
    {"CreateEventSourceMapping", "lambda:CreateEventSourceMapping", Method::kPost, false, 202,
     CreateEventSourceMapping},
    {"ListEventSourceMappings", "lambda:ListEventSourceMappings", Method::kGet, false, 200, ListEventSourceMappings},
    {"GetEventSourceMapping", "lambda:GetEventSourceMapping", Method::kGet, true, 200, GetEventSourceMapping},
    {"UpdateEventSourceMapping", "lambda:UpdateEventSourceMapping", Method::kPut, true, 202, UpdateEventSourceMapping},
    {"DeleteEventSourceMapping", "lambda:DeleteEventSourceMapping", Method::kDelete, true, 202,
     DeleteEventSourceMapping},
};

// What follows the collection's path; empty: nothing.
std::string_view UuidIn(std::string_view path) {
  path.remove_prefix(std::min(path.size(), kMappings.size() + 1));
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

std::span<const RestOperation> RestOperations() { return kOperations; }

std::optional<size_t> FindRestOperation(const net::HttpRequest& request) {
  if (!request.path.starts_with(kMappings)) return std::nullopt;
  if (request.path.size() > kMappings.size() && request.path[kMappings.size()] != '/') return std::nullopt;
  const std::string_view uuid = UuidIn(request.path);
  if (uuid.find('/') != std::string_view::npos) return std::nullopt;
  for (size_t i = 0; i < std::size(kOperations); ++i)
    if (kOperations[i].method == request.method && kOperations[i].has_uuid == !uuid.empty()) return i;
  return std::nullopt;
}

std::string MappingNamedIn(const net::HttpRequest& request) { return DecodePercent(UuidIn(request.path)); }

Task<model::ApiResult<void>> RunRestOperation(const RestOperation& operation, triggers::Triggers& triggers,
                                              api::RequestContext& context, const net::HttpRequest& request,
                                              std::string_view body) {
  RestRequest rest;
  rest.uuid = MappingNamedIn(request);
  rest.query = ParseQuery(request.query);
  std::optional<wire::JsonDocument> document;
  if (!body.empty()) {
    auto parsed = wire::JsonDocument::Parse(body);
    if (!parsed) co_return model::SerializationException("Could not parse request body into json");
    document.emplace(std::move(*parsed));
    simdjson::dom::object object;
    if (document->root().get(object) != simdjson::SUCCESS)
      co_return model::SerializationException("Could not parse request body into json");
    rest.body = Members(object);
  }
  co_return co_await operation.execute(context, triggers, rest);
}

model::ApiResult<void> AuthorizeMapping(const api::RequestContext& context, const RestRequest& request) {
  return api::Authorize(context,
                        {auth::ResourceKind::kEventSourceMapping, context.region, context.account, request.uuid});
}

model::ApiResult<void> AuthorizeFollowing(const api::RequestContext& context, std::string_view stream_arn) {
  const auto parts = model::ParseStreamArn(stream_arn);
  if (!parts || !api::IsWatched(context)) return {};
  const auth::Resource stream{auth::ResourceKind::kStream, parts->region, parts->account, parts->table, parts->label};
  for (const std::string_view action : {"dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:DescribeStream"})
    ARMATURE_CHECK_OK(api::Authorize(context, stream, {}, nullptr, action));
  return api::Authorize(context, auth::Resource{}, {}, nullptr, "dynamodb:ListStreams");
}

void SetRestError(const model::ApiError& error, net::HttpResponse& response) {
  response.status = error.http_status;
  response.AddHeader("x-amzn-ErrorType", error.name);
  response.body.clear();
  JsonWriter json(response.body);
  json.BeginObject();
  json.Member("Type", error.http_status >= 500 ? "Service" : "User");
  json.Member("Message", WellFormedUtf8(error.message));  // it may quote a header
  json.EndObject();
}

}  // namespace armature::lambda
