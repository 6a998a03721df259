#include "base/codec/aes_gcm.h"

#include <set>

#include <gtest/gtest.h>

namespace armature {
namespace {

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return text;
}

class ZeroRandom final : public RandomSource {
 public:
  uint64_t NextU64() override { return 0; }
};

AesGcmKey KeyOf(char byte) { return AesGcmKey(std::string(AesGcmKey::kBytes, byte)); }

// Test cases 13 and 14 of the paper that defines GCM (McGrew and Viega).
TEST(AesGcm, SealsAsItsInventorsDo) {
  ZeroRandom zero;
  EXPECT_EQ(Hex(KeyOf(0).Seal("", "", zero)), std::string(24, '0') + "530f8afbc74536b9a963b4f1c4cb738b");
  EXPECT_EQ(Hex(KeyOf(0).Seal(std::string(16, '\0'), "", zero)),
            std::string(24, '0') + "cea7403d4d606b6e074ec5d3baf39d18" + "d0d1c8a799996bf0265b98b5d48ab919");
}

TEST(AesGcm, WhatWasSealedOpens) {
  SecretRandom random;
  for (const size_t size : {0, 1, 15, 16, 17, 40, 5000}) {
    const std::string text(size, 'x');
    const std::string sealed = KeyOf(1).Seal(text, "place", random);
    EXPECT_EQ(sealed.size(), size + AesGcmKey::kOverhead);
    EXPECT_EQ(KeyOf(1).Open(sealed, "place"), text);
  }
}

TEST(AesGcm, NeitherAnotherKeyNorAnotherPlaceOpensIt) {
  SecretRandom random;
  const std::string sealed = KeyOf(1).Seal("secret", "place", random);
  EXPECT_FALSE(KeyOf(2).Open(sealed, "place"));
  EXPECT_FALSE(KeyOf(1).Open(sealed, "elsewhere"));
  EXPECT_FALSE(KeyOf(1).Open(sealed, ""));
}

TEST(AesGcm, NoBitCanBeChangedAndNothingCutOff) {
  SecretRandom random;
  const std::string sealed = KeyOf(1).Seal("secret", "place", random);
  for (size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    std::string changed = sealed;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(KeyOf(1).Open(changed, "place")) << bit;
  }
  for (size_t size = 0; size < sealed.size(); ++size) EXPECT_FALSE(KeyOf(1).Open(sealed.substr(0, size), "place"));
}

TEST(AesGcm, TheSameTextIsNeverSealedAlike) {
  SecretRandom random;
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(KeyOf(1).Seal("secret", "", random));
  EXPECT_EQ(seen.size(), 100u);
}

TEST(AesGcm, DerivedKeysAndFingerprintsDiffer) {
  SecretRandom random;
  const AesGcmKey one = KeyOf(1);
  EXPECT_EQ(one.Fingerprint().size(), 8u);
  EXPECT_EQ(one.Fingerprint(), KeyOf(1).Fingerprint());
  EXPECT_NE(one.Fingerprint(), KeyOf(2).Fingerprint());
  const std::string sealed = one.Derive("a").Seal("text", "", random);
  EXPECT_EQ(one.Derive("a").Open(sealed, ""), "text");
  EXPECT_FALSE(one.Derive("b").Open(sealed, ""));
  EXPECT_FALSE(one.Open(sealed, ""));
}

}  // namespace
}  // namespace armature
