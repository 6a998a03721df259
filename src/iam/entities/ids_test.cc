#include "iam/entities/ids.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::iam {
namespace {

using testing::StartsWith;

TEST(Ids, CarryTheirAccount) {
  SeededRandom random(1);
  for (const char* const account : {"000000000000", "000000000001", "123456789012", "123456789013", "999999999999"}) {
    const std::string user = MakeUniqueId(kUserPrefix, account, random);
    EXPECT_EQ(user.size(), 21u);
    EXPECT_THAT(user, StartsWith("AIDA"));
    EXPECT_EQ(AccountOfId(user), account);
    const std::string key = MakeAccessKeyId(kAccessKeyPrefix, account, random);
    EXPECT_EQ(key.size(), 20u);
    EXPECT_EQ(AccountOfId(key), account);
  }
}

// A key id that stands in public write-ups of this form, with the account it belonged to.
TEST(Ids, AreReadAsOthersReadThem) { EXPECT_EQ(AccountOfId("ASIAY34FZKBOKMUTVV7A"), "609629065308"); }

TEST(Ids, OddAndEvenAccountsDifferInTheNinthDigitOnly) {
  SeededRandom one(7), two(7);
  const std::string even = MakeUniqueId(kRolePrefix, "123456789012", one);
  const std::string odd = MakeUniqueId(kRolePrefix, "123456789013", two);
  EXPECT_EQ(even.substr(0, 12), odd.substr(0, 12));
  EXPECT_LT(even[12], 'Q');
  EXPECT_TRUE(odd[12] >= 'Q' || odd[12] < 'A');
}

TEST(Ids, WhatIsNoIdHasNoAccount) {
  for (const char* const text : {"", "A", "AIDA", "AIDAAAAAAAAA", "AKIA00000000000000AA", "hello world, hello",
                                 "AKIAIIIIIIIIIIIIIIII", "AKIA77777777777777777"})
    EXPECT_FALSE(AccountOfId(text)) << text;
}

TEST(Ids, SecretsHaveFortyCharactersAndDiffer) {
  SecretRandom random;
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string secret = MakeSecret(random);
    EXPECT_EQ(secret.size(), 40u);
    EXPECT_EQ(secret.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/+"),
              std::string::npos);
    seen.insert(secret);
  }
  EXPECT_EQ(seen.size(), 100u);
}

}  // namespace
}  // namespace armature::iam
