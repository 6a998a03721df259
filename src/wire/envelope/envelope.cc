#include "wire/envelope/envelope.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text/json_writer.h"
#include "base/text/visible_text.h"
#include "wire/envelope/compression.h"
#include "wire/envelope/crc32.h"
#include "wire/requests.h"

namespace armature::wire {

static_assert(net::kBodyPaddingBytes >= simdjson::SIMDJSON_PADDING, "bodies are parsed where they lie");

namespace {

constexpr std::string_view kAmzJson = "application/x-amz-json-1.0";
constexpr std::string_view kPlainJson = "application/json";

// The media type without its parameters.
std::string_view BaseMediaType(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  const size_t last = content_type.find_last_not_of(" \t");
  return content_type.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// As net/ answers a body that says so beforehand: with a status alone.
model::ApiError TooLarge() {
  model::ApiError error;
  error.http_status = 413;
  return error;
}

}  // namespace

std::string_view AwsJsonType(const net::HttpRequest& request) {
  if (request.method != net::Method::kPost || request.path != "/") return {};
  const std::string_view sent = request.Value("Content-Type");
  if (sent == kAmzJson) [[likely]]
    return kAmzJson;
  const std::string_view type = BaseMediaType(sent);
  if (net::EqualsIgnoreCase(type, kAmzJson)) return kAmzJson;
  return request.body.empty() || net::EqualsIgnoreCase(type, kPlainJson) ? kPlainJson : std::string_view();
}

model::ApiResult<std::string_view> RequestBody(const net::HttpRequest& request, std::string& buffer) {
  const net::Header* header = request.Find("Content-Encoding");
  if (header == nullptr) return request.body;
  const Coding coding = ParseContentEncoding(header->value);
  if (coding == Coding::kIdentity) return request.body;
  if (coding == Coding::kUnknown) return model::SerializationException();
  const Status status = Inflate(coding, request.body, kMaxBodyBytes, net::kBodyPaddingBytes, buffer);
  if (status.code() == StatusCode::kUnavailable) return model::FromStatus(status);
  if (status.code() == StatusCode::kNoSpace) return TooLarge();
  if (!status.ok()) return model::SerializationException();
  return std::string_view(buffer);
}

const OperationSchema* RouteTarget(const net::HttpRequest& request) {
  const std::string_view target = request.Value("X-Amz-Target");
  const size_t dot = target.find('.');
  if (dot == std::string_view::npos) return nullptr;
  return FindOperation(target.substr(0, dot), target.substr(dot + 1));
}

void SetError(const model::ApiError& error, net::HttpResponse& response) {
  response.status = error.http_status;
  std::string& out = response.body;
  out.clear();
  if (error.name.empty()) return;
  out += R"({"__type":")";
  out += model::ErrorFamilyPrefix(error.family);
  out += error.name;
  out += '"';
  if (error.has_message) {
    out += error.capital_message ? R"(,"Message":)" : R"(,"message":)";
    AppendJsonString(out, WellFormedUtf8(error.message));  // it may quote a header
  }
  if (!error.extra_json_members.empty()) {
    out += ',';
    out += error.extra_json_members;
  }
  out += '}';
}

void Finish(const net::HttpRequest& request, std::string_view request_id, net::HttpResponse& response) {
  if (response.body.size() > kCompressAboveBytes) {
    const Coding coding = ChooseResponseCoding(request.Value("Accept-Encoding"));  // the first line only, as AWS does
    std::string compressed;
    if (coding != Coding::kIdentity && Deflate(coding, response.body, compressed).ok()) {
      response.body.swap(compressed);
      response.AddHeader("Content-Encoding", CodingName(coding));
    }
  }
  response.AddRenderedHeaders("x-amzn-RequestId: ");
  response.AddRenderedHeaders(request_id);
  const bool is_preflight = request.method == net::Method::kOptions && response.status == 200;
  if (!is_preflight) {
    const fmt::format_int crc32(Crc32(response.body));
    response.AddRenderedHeaders("\r\nx-amz-crc32: ");
    response.AddRenderedHeaders({crc32.data(), crc32.size()});
  }
  response.AddRenderedHeaders("\r\n");
}

}  // namespace armature::wire
