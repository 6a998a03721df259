#include "oidc/key_set.h"

#include <gtest/gtest.h>

#include "oidc/oidc_testing.h"

namespace armature::oidc {
namespace {

bool Verifies(const std::string& key_set, const std::string& token) {
  const auto keys = KeySet::Read(key_set);
  const auto read = ReadToken(token);
  return keys && read && keys->HasSigned(*read);
}

class KeySetTest : public testing::TestWithParam<const char*> {};

TEST_P(KeySetTest, WhatTheKeySignedVerifiesAndNothingElse) {
  const TestIssuer issuer("k1", GetParam()), other("k1", GetParam());
  const std::string token = issuer.Sign(R"({"sub":"bob"})");
  EXPECT_TRUE(Verifies(issuer.KeySetJson(), token));
  EXPECT_FALSE(Verifies(other.KeySetJson(), token)) << "another key of the same name";
  const std::string forged = Base64Url(R"({"sub":"eve"})");
  const size_t first = token.find('.'), last = token.rfind('.');
  EXPECT_FALSE(Verifies(issuer.KeySetJson(), token.substr(0, first + 1) + forged + token.substr(last)));
  EXPECT_FALSE(Verifies(issuer.KeySetJson(), token.substr(0, last + 1) + Base64Url(std::string(64, 'x'))));
}

TEST_P(KeySetTest, ATokenThatNamesNoKeyIsTriedWithAll) {
  const TestIssuer issuer("k1", GetParam()), other("k2", GetParam());
  const std::string keys = fmt::format(R"({{"keys":[{},{}]}})", other.Key(), issuer.Key());
  EXPECT_TRUE(Verifies(keys, issuer.SignWith(fmt::format(R"({{"alg":"{}"}})", GetParam()), "{}")));
  EXPECT_TRUE(Verifies(keys, issuer.Sign("{}")));
  EXPECT_FALSE(Verifies(keys, issuer.SignWith(fmt::format(R"({{"alg":"{}","kid":"k2"}})", GetParam()), "{}")));
  EXPECT_FALSE(Verifies(keys, issuer.SignWith(fmt::format(R"({{"alg":"{}","kid":"k3"}})", GetParam()), "{}")));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, KeySetTest, testing::Values("RS256", "ES256"));

TEST(KeySetTest, TheAlgorithmIsTheKeysToSay) {
  const TestIssuer rsa("k1", "RS256"), ec("k1", "ES256");
  for (const char* const algorithm : {"none", "HS256", "ES256", "RS384", "PS256", ""})
    EXPECT_FALSE(Verifies(rsa.KeySetJson(), rsa.SignWith(fmt::format(R"({{"alg":"{}"}})", algorithm), "{}")))
        << algorithm;
  EXPECT_FALSE(Verifies(ec.KeySetJson(), ec.SignWith(R"({"alg":"RS256"})", "{}")));
}

TEST(KeySetTest, WeakForeignAndBrokenKeysArePassedOver) {
  const TestIssuer weak("k1", "RS256", 1024), good("k2", "RS256");
  EXPECT_EQ(KeySet::Read(weak.KeySetJson())->size(), 0U);
  const std::string keys =
      fmt::format(R"({{"keys":[{},7,{{}},{{"kty":"oct","k":"AAAA"}},{{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}},)"
                  R"({{"kty":"RSA","n":"AQAB","e":"AQAB","use":"enc"}},{}]}})",
                  weak.Key(), good.Key());
  const auto read = KeySet::Read(keys);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 1U);
  EXPECT_TRUE(read->HasKey("k2"));
  EXPECT_FALSE(read->HasKey("k1"));
}

TEST(KeySetTest, APointThatIsNotOnTheCurveIsNoKey) {
  EXPECT_EQ(KeySet::Read(fmt::format(R"({{"keys":[{{"kty":"EC","crv":"P-256","x":"{0}","y":"{0}"}}]}})",
                                     Base64Url(std::string(32, '\x01'))))
                ->size(),
            0U);
}

TEST(KeySetTest, WhatIsNoKeySetIsRefused) {
  for (const char* const text : {"", "{}", "[]", "{\"keys\":7}", "not json"}) EXPECT_FALSE(KeySet::Read(text)) << text;
  EXPECT_FALSE(KeySet::Read(std::string(kMostKeySetBytes + 1, ' ')));
}

}  // namespace
}  // namespace armature::oidc
