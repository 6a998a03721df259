// SHA-256 and HMAC-SHA-256 that can be paused: a copy of one that has taken in a beginning goes on from there, so that
// what many messages have in common is hashed once. Nothing is allocated. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <openssl/sha.h>

namespace armature {

using Sha256Digest = std::array<uint8_t, 32>;

class Sha256 {
 public:
  static constexpr size_t kBlockBytes = 64;  // what it takes in at once

  Sha256();
  void Update(std::string_view bytes);
  // Of all bytes so far; more may follow.
  Sha256Digest Digest() const;

  static Sha256Digest Of(std::string_view bytes);

 private:
  SHA256_CTX state_;
};

class HmacSha256 {
 public:
  explicit HmacSha256(std::string_view key);
  void Update(std::string_view bytes) { inner_.Update(bytes); }
  Sha256Digest Digest() const;

  static Sha256Digest Of(std::string_view key, std::string_view bytes);

 private:
  // Both have taken in the padded key.
  Sha256 inner_;
  Sha256 outer_;
};

// Lower case.
class HexDigest {
 public:
  explicit HexDigest(const Sha256Digest& digest);
  std::string_view text() const { return {digits_.data(), digits_.size()}; }

 private:
  std::array<char, 64> digits_;
};

inline std::string_view BytesOf(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace armature
