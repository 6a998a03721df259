// Token: an OpenID Connect token (JWT), taken apart. Nothing of it is believed yet.
//
// Reading finds what is no token: three parts in base64url, of which the first two are JSON objects. Whether its
// signature holds is key_set.h's matter; whether its times, issuer and audience do, that of whoever asked for it. Owns
// its texts. Pure; used by STS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armature::oidc {

// AWS takes no longer ones.
inline constexpr size_t kMostTokenBytes = 20000;

struct Claims {
  std::optional<std::string> issuer;                // iss
  std::optional<std::string> subject;               // sub
  std::vector<std::string> audiences;               // aud: a text or a list of them
  std::optional<std::string> authorized_party;      // azp
  std::optional<int64_t> expires_seconds;           // exp
  std::optional<int64_t> issued_seconds;            // iat
  std::optional<int64_t> not_before_seconds;        // nbf
  std::vector<std::string> authentication_methods;  // amr
  // https://aws.amazon.com/tags and …/source_identity: what the session is to be given.
  std::vector<std::pair<std::string, std::string>> principal_tags;
  std::vector<std::string> transitive_tag_keys;
  std::string source_identity;
};

struct Token {
  std::string algorithm;  // "RS256"
  std::string key_id;     // empty: it names none
  Claims claims;
  std::string signed_text;  // what the signature is of
  std::string signature;
};

// Nothing, if it is none.
std::optional<Token> ReadToken(std::string_view text);

// Base64 for URLs, without padding (RFC 4648 §5). Nothing, if it is none.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace armature::oidc
