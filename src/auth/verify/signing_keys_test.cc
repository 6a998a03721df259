#include "auth/verify/signing_keys.h"

#include <gtest/gtest.h>

#include "auth/verify/signature_testing.h"

namespace armature::auth {
namespace {

Sha256Digest MacOf(const HmacSha256* key) { return key->Digest(); }

TEST(SigningKeysTest, AreFoundByKeyAndScope) {
  SigningKeys keys;
  EXPECT_EQ(keys.Find(1, "20150830/us-east-1/dynamodb/aws4_request"), nullptr);
  keys.Keep(1, "20150830/us-east-1/dynamodb/aws4_request", HmacSha256("a"));
  keys.Keep(1, "20150830/us-east-1/sts/aws4_request", HmacSha256("b"));
  ASSERT_NE(keys.Find(1, "20150830/us-east-1/dynamodb/aws4_request"), nullptr);
  EXPECT_EQ(MacOf(keys.Find(1, "20150830/us-east-1/dynamodb/aws4_request")), HmacSha256::Of("a", ""));
  EXPECT_EQ(MacOf(keys.Find(1, "20150830/us-east-1/sts/aws4_request")), HmacSha256::Of("b", ""));
  EXPECT_EQ(keys.Find(2, "20150830/us-east-1/dynamodb/aws4_request"), nullptr) << "another key";
  EXPECT_EQ(keys.Find(1, "20150831/us-east-1/dynamodb/aws4_request"), nullptr) << "another day";
  EXPECT_EQ(keys.Find(0, ""), nullptr);
}

TEST(SigningKeysTest, NewOnesTakeThePlacesOfOldOnes) {
  SigningKeys keys;
  constexpr uint64_t kMany = 10 * SigningKeys::kSlots;
  for (uint64_t serial = 1; serial <= kMany; ++serial) keys.Keep(serial, "scope", HmacSha256(std::to_string(serial)));
  size_t found = 0;
  for (uint64_t serial = 1; serial <= kMany; ++serial) {
    const HmacSha256* const key = keys.Find(serial, "scope");
    if (!key) continue;
    ++found;
    EXPECT_EQ(MacOf(key), HmacSha256::Of(std::to_string(serial), ""));
  }
  EXPECT_EQ(found, SigningKeys::kSlots);
}

TEST(SigningKeysTest, NoTwoAccessKeysHaveASerialNumber) {
  EXPECT_NE(MakeTestUserKey()->serial, MakeTestUserKey()->serial);
  EXPECT_NE(MakeTestUserKey()->serial, 0u);
}

}  // namespace
}  // namespace armature::auth
