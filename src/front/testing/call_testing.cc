#include "front/testing/call_testing.h"

#include <fmt/format.h>

#include "wire/envelope/envelope.h"
#include "wire/requests.h"

namespace armature::front {

namespace {

std::string FullTarget(std::string_view target) {
  if (target.find('.') != std::string_view::npos) return std::string(target);
  for (const std::string_view service : {"DynamoDB_20120810", "DynamoDBStreams_20120810", "Armature_20261116"})
    if (wire::FindOperation(service, target)) return fmt::format("{}.{}", service, target);
  return std::string(target);
}

}  // namespace

LocalRequest::LocalRequest(std::string_view target, std::string_view json, std::string_view region)
    : target_(FullTarget(target)),
      authorization_(fmt::format("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/{}/dynamodb/aws4_request, "
                                 "SignedHeaders=host;x-amz-date;x-amz-target, Signature=0",
                                 region)) {
  body_.reserve(json.size() + net::kBodyPaddingBytes);
  body_ = json;
  request_.method = net::Method::kPost;
  request_.method_name = "POST";
  request_.target = request_.path = "/";
  request_.headers = {{"Host", "localhost:8000"},
                      {"Content-Type", "application/x-amz-json-1.0"},
                      {"X-Amz-Date", "20231114T221320Z"},
                      {"X-Amz-Target", target_},
                      {"Authorization", authorization_}};
  request_.body = body_;
}

Task<model::ApiResult<void>> CallLocally(const Pipeline& pipeline, const net::HttpRequest& request, Arena& arena,
                                         std::string& body) {
  Call call;
  ARMATURE_CO_CHECK_OK(pipeline.Prepare(request, wire::RouteTarget(request), arena, call));
  co_return co_await pipeline.Execute(call, request, arena, body);
}

}  // namespace armature::front
