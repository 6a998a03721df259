#include "auth/sigv4.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "auth/percent_encoding.h"
#include "auth/signature.h"
#include "model/messages/requests.h"
#include "model/names/names.h"

namespace armature::auth {

namespace messages = model::messages;

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The headers that matter here, found in one pass; the first of each name counts.
struct SignatureHeaders {
  const net::Header* authorization = nullptr;
  const net::Header* amz_date = nullptr;
  const net::Header* date = nullptr;
  const net::Header* session_token = nullptr;

  explicit SignatureHeaders(const net::HttpRequest& request) {
    for (const net::Header& header : request.headers) {
      switch (header.name.size()) {
        case 4: Take(header, "Date", &date); break;
        case 10: Take(header, "X-Amz-Date", &amz_date); break;
        case 13: Take(header, "Authorization", &authorization); break;
        case 20: Take(header, "X-Amz-Security-Token", &session_token); break;
        default: break;
      }
    }
  }

  static void Take(const net::Header& header, std::string_view name, const net::Header** slot) {
    if (*slot == nullptr && net::EqualsIgnoreCase(header.name, name)) *slot = &header;
  }
};

// What the header form and the query form have in common.
struct Parts {
  std::string_view algorithm;
  std::string_view credential;
  Credential result;
};

bool IsBasicIsoDate(std::string_view text) {  // 20130609T100015Z
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z') return false;
  for (size_t i = 0; i < 15; ++i) {
    if (i != 8 && !IsDigit(text[i])) return false;
  }
  return true;
}

bool IsHttpDate(std::string_view text) {  // Sun, 09 Jun 2013 10:00:15 GMT
  return text.size() == 29 && text[3] == ',' && text.ends_with(" GMT") && text[19] == ':' && text[22] == ':';
}

// The value of a query parameter; false if there is none.
bool FindParameter(std::string_view query, std::string_view name, std::string_view* value) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) != name) continue;
    *value = pair.substr(std::min(equals + 1, pair.size()));
    return true;
  }
  return false;
}

// `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`; commas with or without blanks, blanks alone too.
void SplitHeader(std::string_view header, Parts& parts) {
  // Not find_first_of, which looks at every character by itself: that was the dearest line of a GetItem.
  auto end_of_part = [header](size_t at) {
    const size_t comma = std::min(header.find(',', at), header.size());
    return at + std::min(header.substr(at, comma - at).find(' '), comma - at);
  };
  const size_t first = end_of_part(0);
  parts.algorithm = header.substr(0, first);
  size_t at = first;
  while (at < header.size()) {
    const size_t end = end_of_part(at);
    const std::string_view pair = header.substr(at, end - at);
    at = end + 1;
    const size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = pair.substr(0, equals);
    const std::string_view value = pair.substr(equals + 1);
    if (name == "Credential") parts.credential = value;
    if (name == "SignedHeaders") parts.result.signed_headers = value;
    if (name == "Signature") parts.result.signature = value;
  }
}

model::ApiResult<Parts> ReadHeaderForm(const SignatureHeaders& headers) {
  Parts parts;
  SplitHeader(headers.authorization->value, parts);
  if (headers.session_token != nullptr) parts.result.session_token = headers.session_token->value;
  if (headers.amz_date != nullptr || headers.date != nullptr) {
    parts.result.date = headers.amz_date != nullptr ? headers.amz_date->value : headers.date->value;
  }
  if (!parts.credential.empty() && !parts.result.signature.empty() && !parts.result.signed_headers.empty() &&
      !parts.result.date.empty()) {
    return parts;
  }
  std::string message;
  auto require = [&message](std::string_view value, std::string_view name) {
    if (value.empty()) message += fmt::format(messages::kHeaderParameterMissing, name);
  };
  require(parts.credential, "Credential");
  require(parts.result.signature, "Signature");
  require(parts.result.signed_headers, "SignedHeaders");
  if (parts.result.date.empty()) message += messages::kDateHeaderMissing;
  message += fmt::format(messages::kAuthorizationWas, headers.authorization->value);
  return model::IncompleteSignatureException(std::move(message));
}

model::ApiResult<Parts> ReadQueryForm(std::string_view query, Arena& arena) {
  Parts parts;
  parts.result.presigned = true;
  std::string message;
  auto read = [&](std::string_view name, std::string_view* out) {
    if (FindParameter(query, name, out) && !out->empty()) {
      *out = PercentDecode(*out, arena);
    } else {
      message += fmt::format(messages::kQueryParameterMissing, name);
    }
  };
  read("X-Amz-Algorithm", &parts.algorithm);
  read("X-Amz-Credential", &parts.credential);
  read("X-Amz-Signature", &parts.result.signature);
  read("X-Amz-SignedHeaders", &parts.result.signed_headers);
  read("X-Amz-Date", &parts.result.date);
  if (!message.empty()) {
    message += messages::kReexamineQuery;
    return model::IncompleteSignatureException(std::move(message));
  }
  if (FindParameter(query, "X-Amz-Security-Token", &parts.result.session_token)) {
    parts.result.session_token = PercentDecode(parts.result.session_token, arena);
  }
  return parts;
}

// keyid/date/region/service/term. Slashes at the end are ignored.
bool SplitCredential(std::string_view text, Credential& out) {
  while (text.ends_with('/')) text.remove_suffix(1);
  std::array<std::string_view, 5> elements;
  for (size_t i = 0; i < elements.size(); ++i) {
    const size_t slash = text.find('/');
    if ((slash == std::string_view::npos) != (i + 1 == elements.size())) return false;
    elements[i] = text.substr(0, slash);
    text.remove_prefix(std::min(elements[i].size() + 1, text.size()));
  }
  out.access_key_id = elements[0];
  out.scope_date = elements[1];
  out.region = elements[2];
  out.service = elements[3];
  out.terminator = elements[4];
  return true;
}

model::ApiError UnrecognizedClient() {
  model::ApiError error;
  error.family = model::ErrorFamily::kCoralService;
  error.name = "UnrecognizedClientException";
  error.http_status = 400;
  error.message = messages::kInvalidToken;
  return error;
}

}  // namespace

model::ApiResult<Credential> ParseAuthorization(const net::HttpRequest& request, Arena& arena) {
  const SignatureHeaders headers(request);
  std::string_view ignored;
  const bool in_query = !request.query.empty() && FindParameter(request.query, "X-Amz-Algorithm", &ignored);
  if (headers.authorization != nullptr && in_query) {
    return model::InvalidSignatureException(std::string(messages::kHeaderAndQuerySignature));
  }
  if (!in_query && (headers.authorization == nullptr || !headers.authorization->value.starts_with("AWS4-"))) {
    return model::MissingAuthenticationTokenException(std::string(messages::kMissingToken));
  }
  ARMATURE_TRY(Parts parts, in_query ? ReadQueryForm(request.query, arena) : ReadHeaderForm(headers));
  Credential& credential = parts.result;
  const bool may_be_http_date = !in_query && headers.amz_date == nullptr;
  if (!IsBasicIsoDate(credential.date) && !(may_be_http_date && IsHttpDate(credential.date))) {
    return model::IncompleteSignatureException(fmt::format(messages::kBadSignatureDate, credential.date));
  }
  if (parts.algorithm != kSignatureAlgorithm) {
    return model::IncompleteSignatureException(fmt::format(messages::kUnsupportedAlgorithm, parts.algorithm));
  }
  if (!SplitCredential(parts.credential, credential)) {
    return model::IncompleteSignatureException(fmt::format(messages::kCredentialParts, parts.credential));
  }
  // Whatever is believed of a signature, these become keys, URLs and words of the log: no others get past here.
  if (!model::IsRegionName(credential.region)) {
    return model::InvalidSignatureException(fmt::format(messages::kScopeRegion, credential.region));
  }
  if (!model::IsAccessKeyId(credential.access_key_id)) { return UnrecognizedClient(); }
  return credential;
}

model::ApiResult<void> CheckScope(const Credential& credential) {
  std::string message;
  if (credential.service != "dynamodb") message += messages::kScopeService;
  if (credential.terminator != "aws4_request")
    message += fmt::format(messages::kScopeTerminator, credential.terminator);
  if (IsBasicIsoDate(credential.date) && credential.scope_date != credential.date.substr(0, 8)) {
    message += fmt::format(messages::kScopeDate, credential.scope_date, credential.date.substr(0, 8), credential.date);
  }
  if (!message.empty()) return model::InvalidSignatureException(std::move(message));
  return {};
}

}  // namespace armature::auth
