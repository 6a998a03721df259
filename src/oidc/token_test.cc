#include "oidc/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oidc/oidc_testing.h"

namespace armature::oidc {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr std::string_view kHeader = R"({"alg":"RS256","kid":"k1"})";

std::optional<Token> Read(std::string_view claims, std::string_view header = kHeader) {
  return ReadToken(Base64Url(header) + "." + Base64Url(claims) + "." + Base64Url("signature"));
}

TEST(TokenTest, ATokenIsTakenApart) {
  const auto token = Read(
      R"({"iss":"https://i.example","sub":"bob","aud":"app","azp":"web","exp":1700003600,"iat":1700000000.9,"nbf":17,)"
      R"("amr":["authenticated","mfa"]})");
  ASSERT_TRUE(token);
  EXPECT_EQ(token->algorithm, "RS256");
  EXPECT_EQ(token->key_id, "k1");
  EXPECT_EQ(token->signature, "signature");
  EXPECT_EQ(token->claims.issuer, "https://i.example");
  EXPECT_EQ(token->claims.subject, "bob");
  EXPECT_EQ(token->claims.authorized_party, "web");
  EXPECT_THAT(token->claims.audiences, ElementsAre("app"));
  EXPECT_EQ(token->claims.expires_seconds, 1700003600);
  EXPECT_EQ(token->claims.issued_seconds, 1700000000) << "a fraction is cut off";
  EXPECT_EQ(token->claims.not_before_seconds, 17);
  EXPECT_THAT(token->claims.authentication_methods, ElementsAre("authenticated", "mfa"));
}

TEST(TokenTest, SessionTagsAndSourceIdentityAreRead) {
  const auto token =
      Read(R"({"https://aws.amazon.com/tags":{"principal_tags":{"Team":["red"]},"transitive_tag_keys":["Team"]},)"
           R"("https://aws.amazon.com/source_identity":"bob"})");
  ASSERT_TRUE(token);
  EXPECT_THAT(token->claims.principal_tags, ElementsAre(Pair("Team", "red")));
  EXPECT_THAT(token->claims.transitive_tag_keys, ElementsAre("Team"));
  EXPECT_EQ(token->claims.source_identity, "bob");
  EXPECT_FALSE(Read(R"({"https://aws.amazon.com/tags":{"principal_tags":{"Team":["red","blue"]}}})"));
}

TEST(TokenTest, WhatIsMissingIsAbsent) {
  const auto token = Read("{}", R"({"alg":"ES256"})");
  ASSERT_TRUE(token);
  EXPECT_EQ(token->key_id, "");
  EXPECT_FALSE(token->claims.issuer);
  EXPECT_TRUE(token->claims.audiences.empty());
  EXPECT_FALSE(token->claims.expires_seconds);
}

TEST(TokenTest, WhatIsNoTokenIsRefused) {
  EXPECT_FALSE(ReadToken(""));
  EXPECT_FALSE(ReadToken(".."));
  EXPECT_FALSE(ReadToken("a.b"));
  EXPECT_FALSE(ReadToken("a.b.c.d"));
  EXPECT_FALSE(Read("[]"));
  EXPECT_FALSE(Read("{"));
  EXPECT_FALSE(Read(R"({"aud":7})"));
  EXPECT_FALSE(Read(R"({"aud":["a",7]})"));
  EXPECT_FALSE(Read("{}", "{}")) << "without an algorithm";
  EXPECT_FALSE(Read("{}", R"({"alg":"RS256","crit":["exp"]})")) << "what must be understood is not";
  EXPECT_FALSE(ReadToken(Base64Url(kHeader) + "." + Base64Url("{}") + ".")) << "without a signature";
  EXPECT_FALSE(ReadToken(Base64Url(kHeader) + "=." + Base64Url("{}") + ".c2ln")) << "padded";
  EXPECT_FALSE(ReadToken(std::string(kMostTokenBytes, 'a') + ".b.c"));
  EXPECT_FALSE(Read(std::string(100, '[') + std::string(100, ']')));
}

TEST(TokenTest, Base64OfUrlsHasItsOwnAlphabetAndNoPadding) {
  EXPECT_EQ(DecodeBase64Url("-_8"), "\xfb\xff");
  EXPECT_EQ(DecodeBase64Url(""), "");
  EXPECT_FALSE(DecodeBase64Url("+/8"));
  EXPECT_FALSE(DecodeBase64Url("-_8="));
  EXPECT_FALSE(DecodeBase64Url("abcde"));
}

}  // namespace
}  // namespace armature::oidc
