#include "workers/kinesis/kinesis_client.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <simdjson.h>

#include "auth/request_signer.h"
#include "base/clock.h"
#include "base/codec/base64.h"
#include "base/text/json_writer.h"

namespace armature::workers {

namespace {

constexpr std::string_view kRegionPlace = "{region}";

// Kinesis names errors "com.amazonaws.kinesis.v20131202#Name", or just "Name".
KinesisFailure KindOf(int http_status, std::string_view type) {
  if (const size_t hash = type.rfind('#'); hash != std::string_view::npos) type.remove_prefix(hash + 1);
  constexpr std::array<std::string_view, 4> kRefusals = {"ValidationException", "InvalidArgumentException",
                                                         "SerializationException", "RequestEntityTooLarge"};
  constexpr std::array<std::string_view, 7> kDenials = {
      "AccessDeniedException",        "UnrecognizedClientException",         "InvalidSignatureException",
      "IncompleteSignatureException", "MissingAuthenticationTokenException", "ExpiredTokenException",
      "KMSAccessDeniedException"};
  const auto is_in = [&](const auto& names) { return std::ranges::find(names, type) != names.end(); };
  if (type == "ResourceNotFoundException") return KinesisFailure::kNoStream;
  if (is_in(kRefusals) || http_status == 413) return KinesisFailure::kRefused;
  if (is_in(kDenials) || http_status == 401 || http_status == 403) return KinesisFailure::kDenied;
  return KinesisFailure::kUnavailable;
}

std::string_view TextOf(simdjson::simdjson_result<simdjson::dom::element> member) {
  std::string_view text;
  return member.get(text) == simdjson::SUCCESS ? text : std::string_view();
}

KinesisError ErrorOf(const HttpClientResponse& response) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  std::string_view type, message;
  if (parser.parse(response.body).get(object) == simdjson::SUCCESS) {
    type = TextOf(object["__type"]);
    message = TextOf(object["message"]);
    if (message.empty()) message = TextOf(object["Message"]);
  }
  return {KindOf(response.status, type), fmt::format("{} {} {}", response.status, type, message)};
}

KinesisError NotUnderstood() { return {KinesisFailure::kUnavailable, "the reply is not one of Kinesis"}; }

std::optional<std::vector<std::string>> ParsePutReply(std::string_view body, size_t expected) {
  simdjson::dom::parser parser;
  simdjson::dom::object reply;
  simdjson::dom::array records;
  if (parser.parse(body.data(), body.size()).get(reply) != simdjson::SUCCESS) return std::nullopt;
  if (reply["Records"].get(records) != simdjson::SUCCESS || records.size() != expected) return std::nullopt;
  std::vector<std::string> errors;
  errors.reserve(expected);
  for (const simdjson::dom::element record : records) errors.emplace_back(TextOf(record["ErrorCode"]));
  return errors;
}

}  // namespace

KinesisClient::KinesisClient(KinesisOptions options) : options_(std::move(options)) {}

std::string KinesisClient::EndpointFor(std::string_view region) const {
  std::string url = options_.endpoint;
  if (const size_t at = url.find(kRegionPlace); at != std::string::npos) url.replace(at, kRegionPlace.size(), region);
  return url;
}

KinesisResult<std::string> KinesisClient::Call(const model::KinesisStreamArn& stream, std::string_view operation,
                                               std::string_view body, const std::stop_token& stop) {
  // An emulator wants a signature, but any will do.
  const bool has_keys = !options_.access_key_id.empty();
  HttpClientRequest request;
  request.url = EndpointFor(stream.region);
  request.headers = {{"Content-Type", "application/x-amz-json-1.1"},
                     {"X-Amz-Target", fmt::format("Kinesis_20131202.{}", operation)}};
  request.body = body;
  const auth::SigningIdentity identity{.access_key_id = has_keys ? options_.access_key_id : "armature",
                                       .secret_access_key = has_keys ? options_.secret_access_key : "armature",
                                       .session_token = options_.session_token};
  // The clock of the machine, whatever that of the tables says: Kinesis compares it with its own.
  auth::SignRequest(identity, stream.region, "kinesis", SystemClock().NowMillis() / 1000, request);
  auto response = http_.Send(request, stop);
  if (!response) return KinesisError{KinesisFailure::kUnavailable, response.error().ToString()};
  if (response->status != 200) return ErrorOf(*response);
  return std::move(response->body);
}

KinesisResult<std::string> KinesisClient::StreamStatus(const model::KinesisStreamArn& stream,
                                                       const std::stop_token& stop) {
  std::string body;
  JsonWriter json(body);
  json.BeginObject();
  json.Member("StreamName", stream.name);
  json.EndObject();
  ARMATURE_TRY(const std::string reply, Call(stream, "DescribeStreamSummary", body, stop));
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  std::string_view status;
  if (parser.parse(reply).get(document) != simdjson::SUCCESS) return NotUnderstood();
  if (document["StreamDescriptionSummary"]["StreamStatus"].get(status) != simdjson::SUCCESS) return NotUnderstood();
  return std::string(status);
}

KinesisResult<std::vector<std::string>> KinesisClient::PutRecords(const model::KinesisStreamArn& stream,
                                                                  std::span<const KinesisRecord* const> records,
                                                                  const std::stop_token& stop) {
  size_t bytes = 64 + stream.name.size();
  for (const auto* record : records)
    bytes += Base64EncodedSize(record->data.size()) + record->partition_key.size() + 32;
  std::string body;
  body.reserve(bytes);
  JsonWriter json(body);
  json.BeginObject();
  json.Key("Records");
  json.BeginArray();
  for (const auto* record : records) {
    json.BeginObject();
    json.Key("Data");
    json.BeginValue();
    body.push_back('"');
    AppendBase64(body, record->data);
    body.push_back('"');
    json.Member("PartitionKey", record->partition_key);
    json.EndObject();
  }
  json.EndArray();
  json.Member("StreamName", stream.name);
  json.EndObject();
  ARMATURE_TRY(const std::string reply, Call(stream, "PutRecords", body, stop));
  auto errors = ParsePutReply(reply, records.size());
  if (!errors) return NotUnderstood();
  return std::move(*errors);
}

}  // namespace armature::workers
