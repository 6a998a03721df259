#include "auth/accept_any.h"

#include <gtest/gtest.h>

#include "model/names/names.h"

namespace armature::auth {
namespace {

Principal Of(KeyAccounts accounts, std::string_view key, Arena& arena) {
  const AcceptAnyVerifier verifier("123456789012", accounts);
  Credential credential;
  credential.access_key_id = key;
  const auto principal = verifier.Verify(credential, {}, arena);
  EXPECT_TRUE(principal.has_value());
  EXPECT_EQ(principal->access_key_id, key);
  EXPECT_EQ(principal->user_name, "") << "the root has none";
  EXPECT_EQ(std::string(principal->arn), "arn:aws:iam::" + std::string(principal->account) + ":root");
  Principal copy = *principal;  // the verifier goes: copied
  copy.account = arena.Copy(copy.account);
  return copy;
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
