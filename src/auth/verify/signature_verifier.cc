#include "auth/verify/signature_verifier.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "auth/signature.h"
#include "auth/verify/signing_keys.h"
#include "model/messages/requests.h"
#include "model/names/names.h"

namespace armature::auth {

namespace messages = model::messages;

namespace {

[[gnu::cold]] AuthFault Incomplete(std::string message) {
  return {AuthFaultKind::kIncompleteSignature, std::move(message)};
}
[[gnu::cold]] AuthFault Invalid(std::string message) { return {AuthFaultKind::kInvalidSignature, std::move(message)}; }
[[gnu::cold]] AuthFault PutOff() { return {AuthFaultKind::kThrottled, std::string(messages::kRateExceeded)}; }
[[gnu::cold]] AuthFault Mismatch() { return Invalid(std::string(messages::kSignatureMismatch)); }

// --- the request target

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

AuthResult<void> CheckEscapes(std::string_view text) {
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3)) {
    const std::string_view escape = text.substr(at, 3);
    if (escape.size() < 3) return Incomplete(std::string(messages::kIncompleteEscape));
    if (!IsHexDigit(escape[1]) || !IsHexDigit(escape[2]))
      return Incomplete(fmt::format(messages::kIllegalEscape, escape));
  }
  return {};
}

AuthResult<void> CheckDepth(std::string_view path) {
  if (path.find("..") == std::string_view::npos) return {};
  int64_t depth = 0;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(segment.size() + 1, rest.size()));
    if (segment.empty() || segment == ".") continue;
    depth += segment == ".." ? -1 : 1;
    if (depth < 0) return Incomplete(fmt::format(messages::kPathAboveRoot, path));
  }
  return {};
}

AuthResult<void> CheckTarget(const net::HttpRequest& request) {
  ARMATURE_CHECK_OK(CheckEscapes(request.path));
  ARMATURE_CHECK_OK(CheckEscapes(request.query));
  return CheckDepth(request.path);
}

// --- host

bool SignsHost(std::string_view names) {
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(';'));
    if (name == "host") return true;
    names.remove_prefix(std::min(name.size() + 1, names.size()));
  }
  return false;
}

// --- age

// "15 min", or "90 sec" where minutes are not enough to say it.
std::string SpanText(int64_t seconds) {
  return seconds % 60 == 0 ? fmt::format("{} min", seconds / 60) : fmt::format("{} sec", seconds);
}

AuthResult<int64_t> LifetimeOf(const Credential& credential) {
  if (credential.expires.empty()) return SignatureVerifier::kSkewSeconds;
  const char* const end = credential.expires.data() + credential.expires.size();
  int64_t seconds = 0;
  const auto [read_to, error] = std::from_chars(credential.expires.data(), end, seconds);
  if (read_to != end || error == std::errc::invalid_argument)
    return Incomplete(std::string(messages::kExpiresNoNumber));
  if (error != std::errc() || seconds > SignatureVerifier::kLongestPresignedSeconds)
    return Incomplete(std::string(messages::kExpiresTooLong));
  if (seconds < 1) return Incomplete(std::string(messages::kExpiresTooShort));
  return seconds;
}

AuthResult<void> CheckAge(const Credential& credential, int64_t now) {
  ARMATURE_TRY(const int64_t lifetime, LifetimeOf(credential));
  if (credential.signed_at_seconds < now - lifetime)
    return Invalid(fmt::format(messages::kSignatureExpired, credential.time, SignatureTime(now - lifetime),
                               SignatureTime(now), SpanText(lifetime)));
  constexpr int64_t kSkew = SignatureVerifier::kSkewSeconds;
  if (credential.signed_at_seconds > now + kSkew)
    return Invalid(fmt::format(messages::kSignatureNotYetCurrent, credential.time, SignatureTime(now + kSkew),
                               SignatureTime(now), SpanText(kSkew)));
  return {};
}

// --- the signature

HexDigest BodyHash(std::string_view body) {
  static const HexDigest kOfNothing{Sha256::Of({})};
  return body.empty() ? kOfNothing : HexDigest(Sha256::Of(body));
}

HmacSha256 Derive(const AccessKey& key, const Credential& credential) {
  return HmacSha256(
      BytesOf(SigningKey(key.secret.text(), credential.scope_date, credential.region, credential.service)));
}

SigningScratch& Scratch() {
  thread_local SigningScratch scratch;
  return scratch;
}

bool IsSignedWith(const AccessKey& key, const Credential& credential, const net::HttpRequest& request) {
  const HexDigest body_hash = BodyHash(request.body);
  if (!credential.content_sha256.empty() && credential.content_sha256 != body_hash.text()) return false;
  SigningKeys& kept = SigningKeys::OfThisThread();
  const HmacSha256* signing_key = kept.Find(key.serial, credential.scope);
  std::optional<HmacSha256> derived;
  if (!signing_key) signing_key = &derived.emplace(Derive(key, credential));
  const HexDigest signature = Sign({.method = request.method_name,
                                    .path = request.path,
                                    .query = request.query,
                                    .headers = request.headers,
                                    .signed_headers = credential.signed_headers},
                                   body_hash, credential.time, credential.scope, *signing_key, Scratch());
  if (credential.signature.size() != signature.text().size() ||
      CRYPTO_memcmp(credential.signature.data(), signature.text().data(), signature.text().size()) != 0) {
    return false;
  }
  if (derived) kept.Keep(key.serial, credential.scope, *derived);
  return true;
}

}  // namespace

AuthResult<Verified> SignatureVerifier::Verify(const net::HttpRequest& request, const Expected& expected,
                                               Arena& arena) const {
  ARMATURE_CHECK_OK(CheckTarget(request));
  ARMATURE_TRY(Credential credential, ReadSignature(request, arena));
  credential.signed_headers = CanonicalHeaderNames(credential.signed_headers, arena);
  if (!SignsHost(credential.signed_headers)) return Invalid(std::string(messages::kHostMustBeSigned));
  ARMATURE_CHECK_OK(ReadSigningTime(credential, arena));
  const int64_t now_millis = clock_.NowMillis();
  ARMATURE_CHECK_OK(CheckAge(credential, now_millis / 1000));
  ARMATURE_CHECK_OK(SplitScope(credential));
  ARMATURE_CHECK_OK(CheckScope(credential, expected.services));

  const FailureBackoff::Refusal refusal = RefusalOf(expected, credential.access_key_id);
  if (refusal == FailureBackoff::Refusal::kKey) return PutOff();
  auto key = FindKey(credential, now_millis);
  // Strangers who fail with keys that nobody has are no reason to turn away who comes from the same place with his own.
  if (!key && refusal == FailureBackoff::Refusal::kAddress) return PutOff();
  if (key && !IsSignedWith(**key, credential, request)) key = Mismatch();
  if (!key) {
    // Who comes too late has had the right token.
    if (backoff_ && expected.client && key.error().kind != AuthFaultKind::kExpiredToken)
      backoff_->NoteFailure(expected.client->Text(), credential.access_key_id);
    return std::move(key).error();
  }
  keys_.NoteUse(**key, credential.region, credential.service, now_millis);
  return Verified{PrincipalOf((*key)->identity, credential.access_key_id), credential.region, credential.service};
}

FailureBackoff::Refusal SignatureVerifier::RefusalOf(const Expected& expected, std::string_view access_key_id) const {
  if (!backoff_ || !expected.client || backoff_->is_quiet()) return FailureBackoff::Refusal::kNone;
  return backoff_->Refuses(expected.client->Text(), access_key_id);
}

AuthResult<std::shared_ptr<const AccessKey>> SignatureVerifier::FindKey(const Credential& credential,
                                                                        int64_t now_millis) const {
  if (!model::IsAccessKeyId(credential.access_key_id)) return UnrecognizedClient();
  std::shared_ptr<const AccessKey> key = keys_.Find(credential.access_key_id, credential.session_token);
  // A long-term key's token is none: then none may come.
  if (!key || key->status != KeyStatus::kActive || !key->session_token.Equals(credential.session_token))
    return UnrecognizedClient();
  if (key->expires_at_millis && now_millis >= *key->expires_at_millis)
    return AuthFault{AuthFaultKind::kExpiredToken, std::string(messages::kExpiredToken)};
  return key;
}

}  // namespace armature::auth
