#include "api/caller_scope.h"

#include <string>

#include <gtest/gtest.h>

#include "model/names.h"

namespace armature::api {
namespace {

class CallerScopeTest : public testing::Test {
 protected:
  CallerScope Of(TableSharing sharing, std::string_view key, std::string_view region) {
    auth::Credential credential;
    credential.access_key_id = key;
    credential.region = region;
    return ScopeOf(sharing, "123456789012", "us-east-1", credential, arena_);
  }

  Arena arena_;
};

TEST_F(CallerScopeTest, TheRegionChoosesAndTheKeyDoesNot) {
  const CallerScope scope = Of(TableSharing::kPerRegion, "anyone", "eu-west-1");
  EXPECT_EQ(scope.account, "123456789012");
  EXPECT_EQ(scope.region, "eu-west-1");
}

TEST_F(CallerScopeTest, OneSetForAllIsTheServersOwn) {
  const CallerScope scope = Of(TableSharing::kOneForAll, "anyone", "eu-west-1");
  EXPECT_EQ(scope.account, "123456789012");
  EXPECT_EQ(scope.region, "us-east-1");
}

TEST_F(CallerScopeTest, EachKeyIsAnAccountOfItsOwn) {
  const CallerScope one = Of(TableSharing::kPerKeyAndRegion, "fakeMyKeyId", "eu-west-1");
  const CallerScope other = Of(TableSharing::kPerKeyAndRegion, "fakeMyKeyIe", "eu-west-1");
  EXPECT_EQ(one.region, "eu-west-1");
  EXPECT_TRUE(model::IsAccountId(one.account)) << one.account;
  EXPECT_NE(one.account, other.account);
}

TEST_F(CallerScopeTest, AKeyThatLooksLikeAnAccountIsThatAccount) {
  EXPECT_EQ(AccountOfKey("000000000001", arena_), "000000000001");
}

// Tables lie on disk under these digits.
TEST_F(CallerScopeTest, TheAccountOfAKeyNeverChanges) {
  EXPECT_EQ(AccountOfKey("", arena_), "039346656037");
  EXPECT_EQ(AccountOfKey("a", arena_), "200555641996");
}

}  // namespace
}  // namespace armature::api
