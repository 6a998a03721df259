#include "cli/client/client.h"

#include <utility>

#include <fmt/format.h>

#include "base/clock.h"

namespace armature::cli {
namespace {

constexpr std::string_view kDynamoDbPrefix = "DynamoDB_20120810.";

std::string TextMember(simdjson::dom::element object, std::string_view name) {
  std::string_view text;
  return object[name].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

// The reasons of a cancelled transaction, by the number of the statement.
std::vector<std::string> CancellationReasons(simdjson::dom::element root) {
  std::vector<std::string> lines;
  simdjson::dom::array reasons;
  if (root["CancellationReasons"].get(reasons) != simdjson::SUCCESS) return lines;
  size_t number = 0;
  for (const auto reason : reasons) {
    ++number;
    const std::string code = TextMember(reason, "Code");
    if (code != "None")
      lines.push_back(fmt::format("statement {}: {}: {}", number, code, TextMember(reason, "Message")));
  }
  return lines;
}

CallError ServiceError(const HttpClientResponse& response, const Reply* reply) {
  CallError error;
  if (reply != nullptr) {
    const std::string type = TextMember(reply->root, "__type");
    error.type = type.substr(type.find('#') == std::string::npos ? 0 : type.find('#') + 1);
    error.message = TextMember(reply->root, "message");
    if (error.message.empty()) error.message = TextMember(reply->root, "Message");
    error.details = CancellationReasons(reply->root);
  }
  if (error.type.empty()) error.message = fmt::format("the endpoint answered with HTTP status {}", response.status);
  return error;
}

}  // namespace

Client::Client(const Endpoint& endpoint)
    : identity_{endpoint.credentials.access_key_id, endpoint.credentials.secret_access_key,
                endpoint.credentials.session_token},
      region_(endpoint.region) {
  request_.url = endpoint.url + "/";
  request_.ca_file = endpoint.ca_file;
}

Result<Reply, CallError> Client::Call(std::string_view operation, std::string_view body, const std::stop_token& stop) {
  const bool has_prefix = operation.find('.') != std::string_view::npos;
  request_.headers = {{"Content-Type", "application/x-amz-json-1.0"},
                      {"X-Amz-Target", fmt::format("{}{}", has_prefix ? "" : kDynamoDbPrefix, operation)}};
  request_.body = body;
  auth::SignRequest(identity_, region_, "dynamodb", SystemClock().NowMillis() / 1000, request_);
  auto response = http_.Send(request_, stop);
  if (!response) return CallError{{}, response.error().message(), {}};
  Reply reply{std::make_unique<simdjson::dom::parser>(), {}};
  const bool is_json =
      reply.parser->parse(response->body).get(reply.root) == simdjson::SUCCESS && reply.root.is_object();
  if (response->status != 200) return ServiceError(*response, is_json ? &reply : nullptr);
  if (!is_json) return CallError{{}, "the endpoint's answer is not JSON: is it DynamoDB?", {}};
  return reply;
}

}  // namespace armature::cli
