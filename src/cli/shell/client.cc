#include "cli/shell/client.h"

#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text/json_writer.h"

namespace armature::cli::shell {
namespace {

constexpr std::string_view kTargetPrefix = "DynamoDB_20120810.";

std::string TextMember(simdjson::dom::element object, std::string_view name) {
  std::string_view text;
  return object[name].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

CallError FromStatus(const Status& status) { return {{}, status.message(), {}}; }

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

Client::Client(const Options& options)
    : identity_{options.credentials.access_key_id, options.credentials.secret_access_key,
                options.credentials.session_token},
      region_(options.region) {
  request_.url = options.endpoint + "/";
  request_.ca_file = options.ca_file;
}

Result<Reply, CallError> Client::Call(std::string_view operation, std::string_view body, const std::stop_token& stop) {
  request_.headers = {{"Content-Type", "application/x-amz-json-1.0"},
                      {"X-Amz-Target", fmt::format("{}{}", kTargetPrefix, operation)}};
  request_.body = body;
  auth::SignRequest(identity_, region_, "dynamodb", SystemClock().NowMillis() / 1000, request_);
  auto response = http_.Send(request_, stop);
  if (!response) return FromStatus(response.error());
  Reply reply{std::make_unique<simdjson::dom::parser>(), {}};
  const bool is_json =
      reply.parser->parse(response->body).get(reply.root) == simdjson::SUCCESS && reply.root.is_object();
  if (response->status != 200) return ServiceError(*response, is_json ? &reply : nullptr);
  if (!is_json) return CallError{{}, "the endpoint's answer is not JSON: is it DynamoDB?", {}};
  return reply;
}

Result<Page, CallError> Client::ExecuteStatement(const StatementRequest& request, const std::stop_token& stop) {
  std::string body;
  JsonWriter json(body);
  json.BeginObject();
  json.Member("Statement", request.statement);
  json.Member("ReturnConsumedCapacity", "TOTAL");
  if (request.is_consistent) json.MemberBool("ConsistentRead", true);
  if (request.limit > 0) json.MemberInt("Limit", static_cast<int64_t>(request.limit));
  if (!request.next_token.empty()) json.Member("NextToken", request.next_token);
  json.EndObject();
  ARMATURE_TRY(const Reply reply, Call("ExecuteStatement", body, stop));

  Page page;
  page.next_token = TextMember(reply.root, "NextToken");
  page.has_capacity = reply.root["ConsumedCapacity"]["CapacityUnits"].get(page.capacity_units) == simdjson::SUCCESS;
  simdjson::dom::array items;
  if (reply.root["Items"].get(items) != simdjson::SUCCESS) return page;
  for (const auto item : items) {
    auto row = ReadRow(item);
    if (!row) return FromStatus(row.error());
    page.rows.push_back(std::move(*row));
    page.typed_rows.push_back(simdjson::minify(item));
  }
  return page;
}

}  // namespace armature::cli::shell
