// AES-256-GCM: bytes that only the holder of a key can read, and nobody can change unnoticed.
//
// What is sealed carries its nonce in front: 12 bytes, then the text as long as it was, then a tag of 16. Associated
// data is not stored, but opening wants the same again: a sealed text moved to another place does not open there.
// Nonces are drawn at random, so one key is good for some 2^32 texts. Thread-safe. Used by whoever stores secrets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"

namespace armature {

class AesGcmKey {
 public:
  static constexpr size_t kBytes = 32;
  static constexpr size_t kNonceBytes = 12;
  static constexpr size_t kTagBytes = 16;
  static constexpr size_t kOverhead = kNonceBytes + kTagBytes;

  // REQUIRES: `bytes` has kBytes.
  explicit AesGcmKey(std::string_view bytes);
  AesGcmKey(const AesGcmKey&) = default;
  AesGcmKey& operator=(const AesGcmKey&) = default;
  ~AesGcmKey();  // leaves nothing of the key in memory

  std::string Seal(std::string_view text, std::string_view associated, RandomSource& random) const;
  // Nothing if it was sealed with another key or other associated data, or is damaged.
  std::optional<std::string> Open(std::string_view sealed, std::string_view associated) const;

  // A key for a purpose of its own: who has it learns nothing of this one.
  AesGcmKey Derive(std::string_view purpose) const;
  // The same as bytes, for ciphers of the caller's own, who wipes them out when it has done with them.
  std::array<char, kBytes> DeriveBytes(std::string_view purpose) const;
  // Only for whoever keeps it, sealed with another.
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }
  // Names the key without telling anything of it; eight bytes.
  std::string Fingerprint() const;

 private:
  std::array<char, kBytes> bytes_;
};

}  // namespace armature
