#include "auth/sigv4.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "auth/percent_encoding.h"
#include "auth/signature.h"
#include "auth/signature_time.h"
#include "model/messages/requests.h"
#include "model/names/names.h"

namespace armature::auth {

namespace messages = model::messages;

namespace {

[[gnu::cold]] AuthFault Incomplete(std::string message) {
  return {AuthFaultKind::kIncompleteSignature, std::move(message)};
}
[[gnu::cold]] AuthFault Invalid(std::string message) { return {AuthFaultKind::kInvalidSignature, std::move(message)}; }
[[gnu::cold]] AuthFault Missing() { return {AuthFaultKind::kMissingToken, std::string(messages::kMissingToken)}; }

// The headers that matter here, found in one pass; the first of each name counts.
struct SignatureHeaders {
  const net::Header* authorization = nullptr;
  const net::Header* amz_date = nullptr;
  const net::Header* date = nullptr;
  const net::Header* session_token = nullptr;
  const net::Header* content_sha256 = nullptr;

  explicit SignatureHeaders(const net::HttpRequest& request) {
    for (const net::Header& header : request.headers) {
      switch (header.name.size()) {
        case 4: Take(header, "Date", &date); break;
        case 10: Take(header, "X-Amz-Date", &amz_date); break;
        case 13: Take(header, "Authorization", &authorization); break;
        case 20:
          Take(header, "X-Amz-Security-Token", &session_token);
          Take(header, "X-Amz-Content-Sha256", &content_sha256);
          break;
        default: break;
      }
    }
  }

  static void Take(const net::Header& header, std::string_view name, const net::Header** slot) {
    if (*slot == nullptr && net::EqualsIgnoreCase(header.name, name)) *slot = &header;
  }
};

// The value of a query parameter, the first of that name; false if there is none.
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

// Where the part of the header that begins at `at` ends. Parts are separated by commas, blanks or both. Not
// find_first_of, which looks at every character by itself: that was the dearest line of a GetItem.
size_t EndOfPart(std::string_view header, size_t at) {
  const size_t comma = std::min(header.find(',', at), header.size());
  return at + std::min(header.substr(at, comma - at).find(' '), comma - at);
}

// `Credential=…, SignedHeaders=…, Signature=…`: what follows the algorithm. The last of each name counts; others may be
// there. False: `fault` is a part that is no pair.
bool SplitHeader(std::string_view header, size_t at, Credential& out, std::string_view* fault) {
  while (at < header.size()) {
    const size_t end = EndOfPart(header, at);
    const std::string_view pair = header.substr(at, end - at);
    at = end + 1;
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      *fault = pair;
      return false;
    }
    const std::string_view name = pair.substr(0, equals);
    const std::string_view value = pair.substr(equals + 1);
    if (name == "Credential") out.text = value;
    if (name == "SignedHeaders") out.signed_headers = value;
    if (name == "Signature") out.signature = value;
  }
  return true;
}

[[gnu::cold]] AuthFault HeaderPartsMissing(const Credential& credential, std::string_view authorization) {
  std::string message;
  const auto require = [&message](std::string_view value, std::string_view name) {
    if (value.empty()) message += fmt::format(messages::kHeaderParameterMissing, name);
  };
  require(credential.text, "Credential");
  require(credential.signature, "Signature");
  require(credential.signed_headers, "SignedHeaders");
  if (credential.date.empty()) message += messages::kDateHeaderMissing;
  message += fmt::format(messages::kAuthorizationWas, authorization);
  return Incomplete(std::move(message));
}

AuthResult<Credential> ReadHeaderForm(const SignatureHeaders& headers) {
  const std::string_view authorization = headers.authorization->value;
  const size_t algorithm_end = EndOfPart(authorization, 0);
  if (const std::string_view algorithm = authorization.substr(0, algorithm_end); algorithm != kSignatureAlgorithm)
    return Incomplete(fmt::format(messages::kUnsupportedAlgorithm, algorithm));
  Credential credential;
  if (std::string_view fault; !SplitHeader(authorization, algorithm_end, credential, &fault))
    return Incomplete(fmt::format(messages::kNotKeyAndValue, fault, authorization));
  if (headers.session_token) credential.session_token = headers.session_token->value;
  if (headers.content_sha256) credential.content_sha256 = headers.content_sha256->value;
  credential.is_http_date = !headers.amz_date;
  if (const net::Header* date = headers.amz_date ? headers.amz_date : headers.date) credential.date = date->value;
  if (credential.text.empty() || credential.signature.empty() || credential.signed_headers.empty() ||
      credential.date.empty()) {
    return HeaderPartsMissing(credential, authorization);
  }
  return credential;
}

AuthResult<Credential> ReadQueryForm(const SignatureHeaders& headers, std::string_view query, Arena& arena) {
  Credential credential;
  credential.presigned = true;
  std::string message;
  const auto read = [&](std::string_view name, std::string_view* out) {
    if (FindParameter(query, name, out)) *out = PercentDecode(*out, arena);
    return !out->empty();
  };
  const auto require = [&](std::string_view name, std::string_view* out) {
    if (!read(name, out)) message += fmt::format(messages::kQueryParameterMissing, name);
  };
  require("X-Amz-Credential", &credential.text);
  require("X-Amz-Signature", &credential.signature);
  require("X-Amz-SignedHeaders", &credential.signed_headers);
  require("X-Amz-Date", &credential.date);
  if (!message.empty()) {
    message += messages::kReexamineQuery;
    return Incomplete(std::move(message));
  }
  read("X-Amz-Expires", &credential.expires);
  if (!read("X-Amz-Security-Token", &credential.session_token) && headers.session_token)
    credential.session_token = headers.session_token->value;
  if (headers.content_sha256) credential.content_sha256 = headers.content_sha256->value;
  return credential;
}

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

AuthFault UnrecognizedClient() { return {AuthFaultKind::kUnrecognizedClient, std::string(messages::kInvalidToken)}; }

AuthResult<Credential> ReadSignature(const net::HttpRequest& request, Arena& arena) {
  const SignatureHeaders headers(request);
  std::string_view algorithm;
  const bool in_query = !request.query.empty() && FindParameter(request.query, "X-Amz-Algorithm", &algorithm);
  if (headers.authorization && in_query) return Invalid(std::string(messages::kHeaderAndQuerySignature));
  if (in_query) {
    // Another algorithm in a query is no signature at all; in a header it is told.
    if (algorithm != kSignatureAlgorithm) return Missing();
    return ReadQueryForm(headers, request.query, arena);
  }
  if (!headers.authorization || !headers.authorization->value.starts_with("AWS4-")) return Missing();
  return ReadHeaderForm(headers);
}

AuthResult<void> ReadSigningTime(Credential& credential, Arena& arena) {
  if (const auto seconds = ParseBasicTime(credential.date)) {
    credential.signed_at_seconds = *seconds;
    credential.time = credential.date;
    return {};
  }
  if (credential.is_http_date) {
    if (const auto seconds = ParseHttpTime(credential.date)) {
      credential.signed_at_seconds = *seconds;
      credential.time = arena.Copy(SignatureTime(*seconds));
      return {};
    }
  }
  return Incomplete(fmt::format(messages::kBadSignatureDate, credential.date));
}

AuthResult<void> SplitScope(Credential& credential) {
  // Slashes at the end are ignored.
  std::string_view rest = credential.text;
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const std::string_view whole = rest;
  std::array<std::string_view, 5> elements;
  for (size_t i = 0; i < elements.size(); ++i) {
    const size_t slash = rest.find('/');
    if ((slash == std::string_view::npos) != (i + 1 == elements.size()))
      return Incomplete(fmt::format(messages::kCredentialParts, credential.text));
    elements[i] = rest.substr(0, slash);
    rest.remove_prefix(std::min(elements[i].size() + 1, rest.size()));
  }
  credential.access_key_id = elements[0];
  credential.scope_date = elements[1];
  credential.region = elements[2];
  credential.service = elements[3];
  credential.terminator = elements[4];
  credential.scope = whole.substr(elements[0].size() + 1);
  return {};
}

AuthResult<Credential> ParseAuthorization(const net::HttpRequest& request, Arena& arena) {
  ARMATURE_TRY(Credential credential, ReadSignature(request, arena));
  ARMATURE_CHECK_OK(ReadSigningTime(credential, arena));
  ARMATURE_CHECK_OK(SplitScope(credential));
  if (!model::IsRegionName(credential.region)) return Invalid(fmt::format(messages::kScopeRegion, credential.region));
  if (!model::IsAccessKeyId(credential.access_key_id)) return UnrecognizedClient();
  return credential;
}

AuthResult<void> CheckScope(const Credential& credential, std::span<const std::string_view> services) {
  const std::string_view day = credential.time.substr(0, 8);
  const bool names_a_region = model::IsRegionName(credential.region);
  const bool is_for_us = Contains(services, credential.service);
  if (names_a_region && is_for_us && credential.terminator == kSignatureTerminator && credential.scope_date == day)
    return {};
  std::string message;
  if (!names_a_region) message += fmt::format(messages::kScopeRegion, credential.region);
  if (!is_for_us) message += fmt::format(messages::kScopeService, services.empty() ? "" : services.front());
  if (credential.terminator != kSignatureTerminator)
    message += fmt::format(messages::kScopeTerminator, credential.terminator);
  if (credential.scope_date != day)
    message += fmt::format(messages::kScopeDate, credential.scope_date, day, credential.time);
  return Invalid(std::move(message));
}

}  // namespace armature::auth
