#include "oidc/token.h"

#include <algorithm>
#include <cmath>
#include <new>

#include <simdjson.h>

#include "base/codec/base64.h"

namespace armature::oidc {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

// No claim that is read is nested deeper; simdjson refuses what is before anything is built.
constexpr size_t kMostLevels = 16;
// More of anything than this no issuer means.
constexpr size_t kMostElements = 100;

std::optional<std::string> Text(object from, std::string_view name) {
  std::string_view text;
  if (from[name].get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

// Seconds since the epoch, which may have a fraction; so few that sums of them are numbers too.
constexpr double kMostSeconds = 1e12;
std::optional<int64_t> Seconds(object from, std::string_view name) {
  double number = 0;
  if (from[name].get(number) != simdjson::SUCCESS || !(std::fabs(number) < kMostSeconds)) return std::nullopt;
  return static_cast<int64_t>(std::floor(number));
}

// A text, or a list of texts. False: neither, or too many.
bool ReadTexts(element from, std::vector<std::string>& texts) {
  std::string_view text;
  if (from.get(text) == simdjson::SUCCESS) {
    texts.emplace_back(text);
    return true;
  }
  simdjson::dom::array list;
  if (from.get(list) != simdjson::SUCCESS || list.size() > kMostElements) return false;
  for (const element one : list) {
    if (one.get(text) != simdjson::SUCCESS) return false;
    texts.emplace_back(text);
  }
  return true;
}

bool ReadTextsIfAny(object from, std::string_view name, std::vector<std::string>& texts) {
  element found;
  return from[name].get(found) != simdjson::SUCCESS || ReadTexts(found, texts);
}

// {"principal_tags": {"k": ["v"]}, "transitive_tag_keys": ["k"]}
bool ReadSessionTags(object from, Claims& claims) {
  object tags;
  if (from["https://aws.amazon.com/tags"].get(tags) != simdjson::SUCCESS) return true;
  object principal_tags;
  if (tags["principal_tags"].get(principal_tags) == simdjson::SUCCESS) {
    if (principal_tags.size() > kMostElements) return false;
    for (const auto field : principal_tags) {
      std::vector<std::string> values;
      if (!ReadTexts(field.value, values) || values.size() != 1) return false;
      claims.principal_tags.emplace_back(std::string(field.key), std::move(values.front()));
    }
  }
  return ReadTextsIfAny(tags, "transitive_tag_keys", claims.transitive_tag_keys);
}

bool ReadClaims(object from, Claims& claims) {
  claims.issuer = Text(from, "iss");
  claims.subject = Text(from, "sub");
  claims.authorized_party = Text(from, "azp");
  claims.expires_seconds = Seconds(from, "exp");
  claims.issued_seconds = Seconds(from, "iat");
  claims.not_before_seconds = Seconds(from, "nbf");
  claims.source_identity = Text(from, "https://aws.amazon.com/source_identity").value_or("");
  return ReadTextsIfAny(from, "aud", claims.audiences) && ReadTextsIfAny(from, "amr", claims.authentication_methods) &&
         ReadSessionTags(from, claims);
}

// The object that a part of a token is; it lives in the parser.
bool ReadPart(simdjson::dom::parser& parser, std::string_view part, object& read) {
  const auto json = DecodeBase64Url(part);
  if (!json || json->empty()) return false;
  if (parser.allocate(json->size(), kMostLevels) != simdjson::SUCCESS) throw std::bad_alloc();
  const simdjson::padded_string padded(*json);
  return parser.parse(padded).get(read) == simdjson::SUCCESS;
}

}  // namespace

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string standard(text);
  for (char& c : standard) {
    if (c == '+' || c == '/' || c == '=') return std::nullopt;
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  standard.append((4 - standard.size() % 4) % 4, '=');
  std::string bytes(Base64DecodedCapacity(standard.size()), '\0');
  const auto size = DecodeBase64To(standard, bytes.data());
  if (!size) return std::nullopt;
  bytes.resize(*size);
  return bytes;
}

std::optional<Token> ReadToken(std::string_view text) {
  if (text.size() > kMostTokenBytes || std::count(text.begin(), text.end(), '.') != 2) return std::nullopt;
  const size_t first = text.find('.'), last = text.rfind('.');
  simdjson::dom::parser parser;
  object part;
  Token token;
  if (!ReadPart(parser, text.substr(0, first), part)) return std::nullopt;
  const auto algorithm = Text(part, "alg");
  element critical;
  // Whatever must be understood to believe the token is not.
  if (!algorithm || part["crit"].get(critical) == simdjson::SUCCESS) return std::nullopt;
  token.algorithm = *algorithm;
  token.key_id = Text(part, "kid").value_or("");
  if (!ReadPart(parser, text.substr(first + 1, last - first - 1), part)) return std::nullopt;
  if (!ReadClaims(part, token.claims)) return std::nullopt;
  auto signature = DecodeBase64Url(text.substr(last + 1));
  if (!signature || signature->empty()) return std::nullopt;
  token.signed_text = text.substr(0, last);
  token.signature = std::move(*signature);
  return token;
}

}  // namespace armature::oidc
