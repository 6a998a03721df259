#include "dax/backend/endpoint_reply.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include <fmt/format.h>
#include <simdjson.h>

#include "wire/envelope/crc32.h"
#include "wire/json/json_document.h"

namespace armature::dax {

namespace {

// Of "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "aws#Name:http://..." and the like: the name.
std::string_view BareName(std::string_view type) {
  type = type.substr(0, type.find(':'));
  const size_t hash = type.rfind('#');
  return hash == std::string_view::npos ? type : type.substr(hash + 1);
}

std::string_view TextAt(simdjson::dom::element object, std::string_view member) {
  std::string_view text;
  return object[member].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::string_view NameOfStatus(int status) {
  if (status == 503) return "ServiceUnavailable";
  if (status == 413) return "RequestEntityTooLarge";
  return status >= 500 ? "InternalServerError" : "InternalFailure";
}

}  // namespace

bool IsWhole(const net::HttpReply& reply) {
  if (reply.status == 200 && (!reply.body.starts_with('{') || !reply.body.ends_with('}'))) return false;
  const std::string_view digits = reply.Value("x-amz-crc32");
  uint32_t sum = 0;
  if (digits.empty()) return true;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), sum);
  return error == std::errc() && end == digits.data() + digits.size() && sum == wire::Crc32(reply.body);
}

BackendError ReadError(const net::HttpReply& reply) {
  BackendError error;
  error.http_status = reply.status;
  error.request_id = reply.Value("x-amzn-RequestId");
  error.json = reply.body;
  std::string_view name = BareName(reply.Value("x-amzn-ErrorType"));
  const auto document = wire::JsonDocument::Parse(reply.body);
  if (document && document->root().is_object()) {
    const std::string_view type = BareName(TextAt(document->root(), "__type"));
    if (!type.empty()) name = type;
    const std::string_view message = TextAt(document->root(), "message");
    error.message = message.empty() ? TextAt(document->root(), "Message") : message;
  }
  error.name = name.empty() ? NameOfStatus(reply.status) : name;
  if (name.empty() && error.message.empty())
    error.message = fmt::format("The endpoint answered with HTTP status {}", reply.status);
  return error;
}

bool IsRefusedKey(const BackendError& error) {
  static constexpr std::array<std::string_view, 6> kNames{"ExpiredTokenException",       "ExpiredToken",
                                                          "UnrecognizedClientException", "InvalidClientTokenId",
                                                          "InvalidSignatureException",   "SignatureDoesNotMatch"};
  return std::ranges::find(kNames, error.name) != kNames.end();
}

}  // namespace armature::dax
