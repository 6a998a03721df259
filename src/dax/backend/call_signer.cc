#include "dax/backend/call_signer.h"

#include <utility>

#include <fmt/format.h>

namespace armature::dax {

namespace {

constexpr std::string_view kService = "dynamodb";
constexpr std::string_view kContentType = "application/x-amz-json-1.0";
constexpr std::string_view kSignedNames = "content-type;host;x-amz-date;x-amz-target";
constexpr std::string_view kSignedNamesWithToken = "content-type;host;x-amz-date;x-amz-security-token;x-amz-target";

}  // namespace

const CallSigner::Key& CallSigner::KeyFor(const CredentialsPtr& credentials, std::string_view day,
                                          std::string_view region) {
  std::string scope = auth::CredentialScope(day, region, kService);
  for (const Key& known : keys_)
    if (known.credentials == credentials && known.scope == scope) return known;
  const std::string& secret = credentials->identity.secret_access_key;
  Key made{credentials, std::move(scope), HmacSha256(BytesOf(auth::SigningKey(secret, day, region, kService)))};
  if (keys_.size() < kMostKeys) return keys_.emplace_back(std::move(made));
  Key& replaced = keys_[next_++ % kMostKeys];
  replaced = std::move(made);
  return replaced;
}

void CallSigner::Sign(const CallToSign& call, CredentialsPtr credentials, int64_t unix_seconds, SignedHeaders& to) {
  to.credentials = std::move(credentials);
  to.target = fmt::format("DynamoDB_20120810.{}", call.operation);
  to.time = auth::SignatureTime(unix_seconds);
  const auth::SigningIdentity& identity = to.credentials->identity;
  const bool has_token = !identity.session_token.empty();
  to.headers = {
      {"Host", call.host}, {"Content-Type", kContentType}, {"X-Amz-Target", to.target}, {"X-Amz-Date", to.time}};
  if (has_token) to.headers.push_back({"X-Amz-Security-Token", identity.session_token});

  const std::string_view names = has_token ? kSignedNamesWithToken : kSignedNames;
  const Key& key = KeyFor(to.credentials, std::string_view(to.time).substr(0, 8), call.region);
  const HexDigest signature =
      auth::Sign({.method = "POST", .path = call.path, .query = {}, .headers = to.headers, .signed_headers = names},
                 HexDigest(Sha256::Of(call.body)), to.time, key.scope, key.key, scratch_);
  to.authorization = auth::AuthorizationHead(identity.access_key_id, key.scope, names);
  to.authorization += signature.text();
  to.headers.push_back({"Authorization", to.authorization});
  to.headers.push_back({"User-Agent", "armature-dax"});
}

}  // namespace armature::dax
