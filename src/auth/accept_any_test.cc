#include "auth/accept_any.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/names/names.h"

namespace armature::auth {
namespace {

Principal Of(KeyAccounts accounts, std::string_view key, Arena& arena) {
  const AcceptAnyVerifier verifier("123456789012", accounts);
  const std::string_view authorization = arena.Copy(fmt::format(
      "AWS4-HMAC-SHA256 Credential={}/20130609/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0", key));
  net::HttpRequest request;
  request.headers = {{"Authorization", authorization}, {"X-Amz-Date", "20130609T100015Z"}};
  auto verified = verifier.Verify(request, {}, arena);
  EXPECT_TRUE(verified.has_value());
  EXPECT_EQ(verified->region, "us-east-1");
  EXPECT_EQ(verified->service, "dynamodb");
  Principal principal = verified->principal;
  EXPECT_EQ(principal.access_key_id, key);
  EXPECT_EQ(principal.user_name, "") << "the root has none";
  EXPECT_EQ(std::string(principal.arn), "arn:aws:iam::" + std::string(principal.account) + ":root");
  EXPECT_EQ(principal.identity->kind, PrincipalKind::kRoot);
  EXPECT_EQ(principal.identity->principal_arn, principal.arn);
  EXPECT_EQ(principal.identity->user_id, principal.account);
  principal.account = arena.Copy(principal.account);  // the verifier goes
  principal.identity.reset();
  return principal;
}

TEST(AcceptAnyTest, EverybodyIsTheRootOfOneAccount) {
  Arena arena;
  EXPECT_EQ(Of(KeyAccounts::kOneForAll, "anyone", arena).account, "123456789012");
  EXPECT_EQ(Of(KeyAccounts::kOneForAll, "000000000001", arena).account, "123456789012");
}

TEST(AcceptAnyTest, EachKeyIsAnAccountOfItsOwn) {
  Arena arena;
  const Principal one = Of(KeyAccounts::kOneEach, "fakeMyKeyId", arena);
  const Principal other = Of(KeyAccounts::kOneEach, "fakeMyKeyIe", arena);
  EXPECT_TRUE(model::IsAccountId(one.account)) << one.account;
  EXPECT_NE(one.account, other.account);
}

TEST(AcceptAnyTest, WhatIsNotSignedIsRefused) {
  Arena arena;
  const auto refused = AcceptAnyVerifier("123456789012").Verify({}, {}, arena);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, AuthFaultKind::kMissingToken);
}

TEST(AcceptAnyTest, AKeyThatLooksLikeAnAccountIsThatAccount) {
  Arena arena;
  EXPECT_EQ(AccountOfKey("000000000001", arena), "000000000001");
}

// Tables lie on disk under these digits.
TEST(AcceptAnyTest, TheAccountOfAKeyNeverChanges) {
  Arena arena;
  EXPECT_EQ(AccountOfKey("", arena), "039346656037");
  EXPECT_EQ(AccountOfKey("a", arena), "200555641996");
}

}  // namespace
}  // namespace armature::auth
