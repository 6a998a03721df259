// KeySet: the public keys of an issuer (JWKS), and whether a token was signed with one of them.
//
// RS256, RS384, RS512 with RSA keys of 2048 bits and more, ES256, ES384, ES512 with the curves that go with them. A key
// that is of another kind, for another use, or malformed is passed over: an issuer may have such. The algorithm is the
// key's to say, never only the token's: what is signed with one kind is never checked with another. Immutable, hence
// thread-safe. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "oidc/token.h"

namespace armature::oidc {

inline constexpr size_t kMostKeySetBytes = size_t{1} << 20;
inline constexpr size_t kMostKeys = 100;

class KeySet {
 public:
  KeySet();
  ~KeySet();
  KeySet(KeySet&&) noexcept;
  KeySet& operator=(KeySet&&) noexcept;

  // {"keys":[…]}. InvalidArgument: it is no such thing, or has too many.
  static Result<KeySet> Read(std::string_view json);

  size_t size() const { return keys_.size(); }
  bool HasKey(std::string_view key_id) const;
  // By the key that the token names; by any, if it names none.
  bool HasSigned(const Token& token) const;

 private:
  struct Key;

  std::vector<std::unique_ptr<const Key>> keys_;
};

}  // namespace armature::oidc
