// OpenSSL 3 deprecates the low-level SHA-256 calls in favour of EVP, which allocates per digest and costs four times as
// much for messages as short as these. Its SHA256(), all in one, is EVP too, and looks the algorithm up by name each
// time.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/codec/sha256.h"

#include <algorithm>
#include <cstring>

namespace armature {

namespace {

using HexPairs = std::array<std::array<char, 2>, 256>;

constexpr HexPairs AllHexPairs() {
  constexpr char kDigits[] = "0123456789abcdef";
  HexPairs pairs{};
  for (size_t byte = 0; byte < pairs.size(); ++byte) pairs[byte] = {kDigits[byte >> 4], kDigits[byte & 15]};
  return pairs;
}

// Both digits of every byte.
constexpr HexPairs kHexPairs = AllHexPairs();

}  // namespace

Sha256::Sha256() { SHA256_Init(&state_); }

void Sha256::Update(std::string_view bytes) { SHA256_Update(&state_, bytes.data(), bytes.size()); }

Sha256Digest Sha256::Digest() const {
  SHA256_CTX copy = state_;
  Sha256Digest digest;
  SHA256_Final(digest.data(), &copy);
  return digest;
}

Sha256Digest Sha256::Of(std::string_view bytes) {
  Sha256 hash;
  hash.Update(bytes);
  Sha256Digest digest;
  SHA256_Final(digest.data(), &hash.state_);
  return digest;
}

HmacSha256::HmacSha256(std::string_view key) {
  std::array<char, Sha256::kBlockBytes> block{};
  if (key.size() > Sha256::kBlockBytes) {
    const Sha256Digest digest = Sha256::Of(key);
    std::ranges::copy(digest, block.begin());
  } else {
    std::ranges::copy(key, block.begin());
  }
  const std::string_view padded(block.data(), block.size());
  for (char& byte : block) byte ^= 0x36;
  inner_.Update(padded);
  for (char& byte : block) byte ^= 0x36 ^ 0x5c;
  outer_.Update(padded);
}

Sha256Digest HmacSha256::Digest() const {
  Sha256 outer = outer_;
  outer.Update(BytesOf(inner_.Digest()));
  return outer.Digest();
}

Sha256Digest HmacSha256::Of(std::string_view key, std::string_view bytes) {
  HmacSha256 hmac(key);
  hmac.Update(bytes);
  return hmac.Digest();
}

HexDigest::HexDigest(const Sha256Digest& digest) {
  for (size_t i = 0; i < digest.size(); ++i) std::memcpy(&digits_[2 * i], kHexPairs[digest[i]].data(), 2);
}

}  // namespace armature
