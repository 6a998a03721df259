#include "base/codec/sha256.h"

#include <string>

#include <gtest/gtest.h>

namespace armature {
namespace {

std::string Hex(const Sha256Digest& digest) { return std::string(HexDigest(digest).text()); }

// The examples of FIPS 180-4.
TEST(Sha256Test, DigestsAreThoseOfTheStandard) {
  EXPECT_EQ(Hex(Sha256::Of("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hex(Sha256::Of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Test, ACopyGoesOnFromWhereItWasTaken) {
  Sha256 beginning;
  beginning.Update("a");
  Sha256 copy = beginning;
  copy.Update("bc");
  EXPECT_EQ(copy.Digest(), Sha256::Of("abc"));
  EXPECT_EQ(beginning.Digest(), Sha256::Of("a"));
  copy.Update("d");
  EXPECT_EQ(copy.Digest(), Sha256::Of("abcd")) << "asking for a digest changes nothing";
}

// Test cases 1, 2 and 6 of RFC 4231.
TEST(HmacSha256Test, DigestsAreThoseOfTheStandard) {
  EXPECT_EQ(Hex(HmacSha256::Of(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(Hex(HmacSha256::Of("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(Hex(HmacSha256::Of(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256Test, ACopyGoesOnFromWhereItWasTaken) {
  HmacSha256 beginning("key");
  beginning.Update("a");
  HmacSha256 copy = beginning;
  copy.Update("bc");
  EXPECT_EQ(copy.Digest(), HmacSha256::Of("key", "abc"));
  EXPECT_EQ(beginning.Digest(), HmacSha256::Of("key", "a"));
}

}  // namespace
}  // namespace armature
