// Tokens and key sets: whatever stands there, a token is whole or none.
//
// Input: a key set's JSON, a line break, a token. A token that was read has a text that was signed and a signature, and
// reads the same again.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/testing/fuzz_check.h"
#include "oidc/key_set.h"
#include "oidc/token.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using armature::Require;
  namespace oidc = armature::oidc;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(input.find('\n'), input.size());
  const std::string_view text = input.substr(std::min(line + 1, input.size()));
  const auto keys = oidc::KeySet::Read(input.substr(0, line));
  Require(!keys || keys->size() <= oidc::kMostKeys, "a key set is bounded");
  const auto token = oidc::ReadToken(text);
  if (!token) return 0;
  Require(!token->signature.empty() && text.starts_with(token->signed_text), "a token is whole");
  const auto again = oidc::ReadToken(text);
  Require(again && again->claims.audiences == token->claims.audiences && again->key_id == token->key_id,
          "a token reads the same twice");
  if (keys) (void)keys->HasSigned(*token);
  return 0;
}
