#include "iam/seed/seed.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iam/access/authorize.h"
#include "iam/access/identities.h"
#include "iam/seed/administrator.h"
#include "iam/seed/seed_file.h"
#include "iam/store/store_testing.h"

namespace armature::iam {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kToml = R"t(
account = "111122223333"

[[accounts]]
id = "111122223333"
alias = "acme"
access_keys = [{ id = "AKIAROOTROOTROOTROOT", secret = "rootrootrootrootrootrootrootrootrootroot" }]

[[policies]]
name = "read"
path = "/app/"
description = "reads"
document = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"*"}]}'

[[groups]]
name = "devs"
policies = ["read"]

[[users]]
name = "bob"
groups = ["devs"]
tags = { team = "red" }
boundary = "AdministratorAccess"
access_keys = [{ id = "AKIABOBBOBBOBBOBBOBB", secret = "bobbobbobbobbobbobbobbobbobbobbobbobbobb" }]
[users.inline_policies]
own = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"dynamodb:Query","Resource":"*"}]}'

[[users]]
name = "admin"
account = "444455556666"
policies = ["AdministratorAccess"]

[[roles]]
name = "first"
max_session_seconds = 7200
trust = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:role/second"},"Action":"sts:AssumeRole"}]}'

[[roles]]
name = "second"
policies = ["arn:aws:iam::111122223333:policy/app/read"]
trust = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:role/first"},"Action":"sts:AssumeRole"}]}'

[[providers]]
url = "https://idp.example.com"
client_ids = ["app"]
)t";

class SeedTest : public StoreTest {
 protected:
  SeedTest() { EXPECT_EQ(Restart(), "ok"); }
  // Reads and applies; "ok" or what is wrong.
  std::string Apply(std::string_view text) {
    const auto seed = ParseSeed(text, "iam.toml", "111122223333");
    if (!seed) return seed.error().message();
    const Status status = RunBlocking(ApplySeed(*directory_, *seed));
    return status.ok() ? "ok" : status.message();
  }
  static std::string Replaced(std::string text, std::string_view what, std::string_view by) {
    const size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
  }
  const AccountState& account() { return *directory_->Current()->FindAccount(kAccount); }
};

TEST_F(SeedTest, WhatAFileSaysIsThere) {
  ASSERT_EQ(Apply(kToml), "ok");
  EXPECT_EQ(account().info.alias, "acme");
  EXPECT_TRUE(directory_->Current()->FindKeyOwner("AKIAROOTROOTROOTROOT"));
  const auto bob = FindUser("bob");
  EXPECT_THAT(bob->groups, ElementsAre(account().groups.Find("devs")->id));
  EXPECT_EQ(bob->boundary, kAdministratorAccess);
  EXPECT_THAT(bob->tags, ElementsAre(Tag{"team", "red"}));
  EXPECT_EQ(bob->access_keys.at(0).id, "AKIABOBBOBBOBBOBBOBB");
  const auto identity = IdentityOf(*directory_->Current(), *bob);
  for (const char* const action : {"dynamodb:GetItem", "dynamodb:Query"})
    EXPECT_TRUE(Decide(*identity, {}, {.action = action, .resource = "*"}).allowed()) << action;
  EXPECT_FALSE(Decide(*identity, {}, {.action = "dynamodb:Scan", .resource = "*"}).allowed());
  EXPECT_TRUE(directory_->Current()->FindAccount("444455556666")->users.Find("admin"));
  const auto first = account().roles.Find("first"), second = account().roles.Find("second");
  EXPECT_EQ(first->max_session_seconds, 7200);
  EXPECT_EQ(first->trust->principals.at(ArnOf(*second)), second->id) << "though it comes later in the file";
  EXPECT_THAT(second->attached, ElementsAre("arn:aws:iam::111122223333:policy/app/read"));
  EXPECT_THAT(account().providers.Find("idp.example.com")->client_ids, ElementsAre("app"));
}

TEST_F(SeedTest, TheSameFileAgainWritesNothing) {
  ASSERT_EQ(Apply(kToml), "ok");
  Crash();
  ASSERT_EQ(Restart(), "ok");
  const uint64_t version = directory_->version(), commits = engine_->stats().commits;
  EXPECT_EQ(Apply(kToml), "ok");
  EXPECT_EQ(directory_->version(), version);
  EXPECT_EQ(engine_->stats().commits, commits);
}

TEST_F(SeedTest, WhatTheFileSaysOfAnEntityHoldsAgainAndTheRestIsLeftAlone) {
  ASSERT_EQ(Apply(kToml), "ok");
  const std::string id = FindUser("bob")->id;
  ASSERT_EQ(AddUser("carl"), "ok");
  const AccessKey second_key = AddKey("bob");
  ASSERT_EQ(Change([](Draft& draft) -> IamResult<void> {
              ARMATURE_CHECK_OK(AttachPolicy<User>(draft, kAccount, "bob", kAdministratorAccess));
              ARMATURE_CHECK_OK(PutInlinePolicy<User>(draft, kAccount, "bob", "more", Allow("*")));
              ARMATURE_CHECK_OK(RemoveUserFromGroup(draft, kAccount, "devs", "bob"));
              return DeletePermissionsBoundary<User>(draft, kAccount, "bob");
            }),
            "ok");
  std::string other = Replaced(std::string(kToml), "team = \"red\"", "team = \"blue\"");
  other = Replaced(other, "Action\":\"dynamodb:GetItem", "Action\":\"dynamodb:BatchGetItem");
  ASSERT_EQ(Apply(other), "ok");
  const auto bob = FindUser("bob");
  EXPECT_EQ(bob->id, id);
  EXPECT_TRUE(bob->attached.empty());
  EXPECT_EQ(bob->inline_policies.size(), 1u);
  EXPECT_EQ(bob->groups.size(), 1u);
  EXPECT_EQ(bob->boundary, kAdministratorAccess);
  EXPECT_THAT(bob->tags, ElementsAre(Tag{"team", "blue"}));
  EXPECT_EQ(bob->access_keys.at(1).id, second_key.id) << "not named, left alone";
  EXPECT_TRUE(FindUser("carl"));
  EXPECT_EQ(account().policies.Find("read")->DefaultVersion().id(), "v2");
  for (int i = 0; i < 6; ++i)
    ASSERT_EQ(Apply(Replaced(other, "BatchGetItem", fmt::format("Thing{}", i))), "ok") << "old versions make room";
}

TEST_F(SeedTest, WhatIsWrongIsToldWithItsLineAndEntryAndChangesNothing) {
  const auto with = [](std::string_view what, std::string_view by) { return Replaced(std::string(kToml), what, by); };
  EXPECT_THAT(Apply(with("name = \"bob\"", "name = \"b b\"")),
              AllOf(StartsWith("iam.toml: line 19: user b b: "), HasSubstr("userName is invalid")));
  EXPECT_THAT(Apply(with("name = \"bob\"", "")), HasSubstr("line 19: user without a name"));
  EXPECT_THAT(Apply(with("groups = [\"devs\"]", "groups = [\"none\"]")),
              AllOf(HasSubstr("user bob"), HasSubstr("The group with name none cannot be found.")));
  EXPECT_THAT(Apply(with("\"Effect\":\"Allow\",\"Action\":\"dynamodb:Query\"", "\"Effect\":\"Maybe\"")),
              HasSubstr("line 19: user bob"));
  EXPECT_THAT(Apply(with("policies = [\"read\"]", "policies = [\"raed\"]")),
              HasSubstr("Policy arn:aws:iam::aws:policy/raed does not exist or is not attachable."));
  EXPECT_THAT(Apply(with("max_session_seconds", "max_session_secondz")),
              AllOf(HasSubstr("role first"), HasSubstr("max_session_secondz is not a setting")));
  EXPECT_THAT(Apply(with("alias = \"acme\"", "alias = 7")), HasSubstr("account 111122223333: alias must be text"));
  EXPECT_THAT(Apply(with("[[groups]]", "[[groups")), StartsWith("iam.toml: line 1"));
  const std::string bad_secret = Apply(with("secret = \"bobbobbob", "secret = \"bob bob bob"));
  EXPECT_THAT(bad_secret, AllOf(HasSubstr("user bob"), Not(HasSubstr("bobbob"))));
  EXPECT_THAT(Apply("[[users]]\nname = \"x\"\naccount = \"12\"\n"), HasSubstr("twelve digits"));
  EXPECT_THAT(Apply(with("name = \"admin\"\naccount = \"444455556666\"", "name = \"BOB\"")),
              HasSubstr("user BOB: it is there twice"));
  EXPECT_THAT(Apply(with("AKIABOBBOBBOBBOBBOBB", "AKIAROOTROOTROOTROOT")),
              HasSubstr("user bob: access key AKIAROOTROOTROOTROOT is there twice"));
  EXPECT_EQ(directory_->Current()->accounts().size(), 0u);
}

// As `aws iam get-account-authorization-details` prints it.
constexpr std::string_view kJson = R"j({
    "UserDetailList": [
        {
            "Path": "/staff/", "UserName": "bob", "UserId": "AIDAEXAMPLE",
            "Arn": "arn:aws:iam::111122223333:user/staff/bob", "CreateDate": "2026-01-01T00:00:00+00:00",
            "UserPolicyList": [{"PolicyName": "own", "PolicyDocument": {"Version": "2012-10-17",
                "Statement": [{"Effect": "Allow", "Action": "dynamodb:Query", "Resource": "*"}]}}],
            "GroupList": ["devs"],
            "AttachedManagedPolicies": [{"PolicyName": "x", "PolicyArn": "arn:aws:iam::aws:policy/AdministratorAccess"}],
            "PermissionsBoundary": {"PermissionsBoundaryType": "Policy", "PermissionsBoundaryArn": "arn:aws:iam::111122223333:policy/read"},
            "Tags": [{"Key": "team", "Value": "red"}],
            "AccessKeys": [{"AccessKeyId": "AKIABOBBOBBOBBOBBOBB", "SecretAccessKey": "bobbobbobbobbobbobbobb", "Status": "Inactive"}]
        }
    ],
    "GroupDetailList": [
        {"Path": "/", "GroupName": "devs", "GroupId": "AGPAEXAMPLE", "Arn": "arn:aws:iam::111122223333:group/devs",
         "GroupPolicyList": [], "AttachedManagedPolicies": []}
    ],
    "RoleDetailList": [
        {"Path": "/", "RoleName": "r", "RoleId": "AROAEXAMPLE", "Arn": "arn:aws:iam::111122223333:role/r",
         "AssumeRolePolicyDocument": "%7B%22Version%22%3A%222012-10-17%22%2C%22Statement%22%3A%5B%7B%22Effect%22%3A%22Allow%22%2C%22Principal%22%3A%7B%22AWS%22%3A%22arn%3Aaws%3Aiam%3A%3A111122223333%3Aroot%22%7D%2C%22Action%22%3A%22sts%3AAssumeRole%22%7D%5D%7D",
         "InstanceProfileList": [], "RolePolicyList": [], "AttachedManagedPolicies": [], "RoleLastUsed": {}},
        {"Path": "/aws-service-role/dax.amazonaws.com/", "RoleName": "AWSServiceRoleForDAX", "Arn": "arn:aws:iam::111122223333:role/aws-service-role/dax.amazonaws.com/AWSServiceRoleForDAX"}
    ],
    "Policies": [
        {"PolicyName": "read", "Path": "/", "Arn": "arn:aws:iam::111122223333:policy/read", "DefaultVersionId": "v2",
         "PolicyVersionList": [
            {"VersionId": "v2", "IsDefaultVersion": true, "Document": {"Version": "2012-10-17",
                "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}]}},
            {"VersionId": "v1", "IsDefaultVersion": false, "Document": {}}]},
        {"PolicyName": "AdministratorAccess", "Path": "/", "Arn": "arn:aws:iam::aws:policy/AdministratorAccess"}
    ]
})j";

TEST_F(SeedTest, WhatTheCliPrintsOfAnAccountCanBeReadBack) {
  ASSERT_EQ(Apply(kJson), "ok");
  const auto bob = FindUser("bob");
  EXPECT_EQ(ArnOf(*bob), "arn:aws:iam::111122223333:user/staff/bob");
  EXPECT_THAT(bob->attached, ElementsAre(kAdministratorAccess));
  EXPECT_EQ(bob->boundary, "arn:aws:iam::111122223333:policy/read");
  EXPECT_EQ(bob->inline_policies.at(0).name, "own");
  EXPECT_FALSE(bob->access_keys.at(0).is_active);
  EXPECT_EQ(bob->groups.size(), 1u);
  EXPECT_THAT(account().roles.Find("r")->trust->text, StartsWith("{\"Version\":\"2012-10-17\""));
  EXPECT_EQ(account().roles.size(), 1u);
  EXPECT_EQ(account().policies.size(), 1u);
  const uint64_t version = directory_->version();
  EXPECT_EQ(Apply(kJson), "ok");
  EXPECT_EQ(directory_->version(), version);
}

TEST_F(SeedTest, FaultsOfTheJsonHaveTheirLineToo) {
  const auto with = [](std::string_view what, std::string_view by) { return Replaced(std::string(kJson), what, by); };
  EXPECT_THAT(Apply(with("\"UserName\": \"bob\"", "\"UserName\": \"b b\"")),
              AllOf(StartsWith("iam.toml: line 3: user b b"), HasSubstr("userName is invalid")));
  EXPECT_THAT(Apply(with("\"GroupName\": \"devs\"", "\"GroupName\": 7")),
              HasSubstr("line 16: group : GroupName must be text"));
  EXPECT_THAT(Apply(with("\"SecretAccessKey\": \"bobbobbobbobbobbobbobb\", ", "")),
              AllOf(HasSubstr("user bob"), HasSubstr("SecretAccessKey must be there")));
  EXPECT_THAT(Apply(with("\"Status\": \"Inactive\"", "\"Status\": \"Maybe\"")), HasSubstr("Status must be"));
  EXPECT_THAT(Apply(with("\"IsDefaultVersion\": true", "\"IsDefaultVersion\": false")),
              HasSubstr("line 26: policy read"));
  EXPECT_THAT(Apply(with("arn:aws:iam::111122223333:role/r", "nonsense")), HasSubstr("role r: Arn must be"));
  EXPECT_THAT(Apply("{\"UserDetailList\": ["), StartsWith("iam.toml: "));
  EXPECT_THAT(Apply("{\"UserDetailList\": 7}"), HasSubstr("must be a list"));
}

TEST_F(SeedTest, AFileThatCannotBeReadIsToldSo) {
  EXPECT_THAT(ReadSeedFile("/there/is/none.toml", "111122223333").error().message(), HasSubstr("/there/is/none.toml"));
  const std::string path = testing::TempDir() + "/seed_test.toml";
  std::ofstream(path) << kToml;
  EXPECT_TRUE(ReadSeedFile(path, "111122223333"));
  std::filesystem::remove(path);
}

// --- the first administrator

TEST_F(SeedTest, InitMakesAnAdministratorWithAKeyThatSurvives) {
  EXPECT_TRUE(directory_->is_untouched());
  const auto key = RunBlocking(InitAccount(*directory_, std::string(kAccount)));
  ASSERT_EQ(Outcome(key), "ok");
  EXPECT_EQ(CredentialLines(*key), "AWS_ACCESS_KEY_ID=" + key->id + "\nAWS_SECRET_ACCESS_KEY=" + key->secret + "\n");
  Crash();
  ASSERT_EQ(Restart(), "ok");
  EXPECT_FALSE(directory_->is_untouched());
  const auto user = FindUser(kAdministratorName);
  ASSERT_TRUE(user);
  EXPECT_EQ(user->access_keys.at(0).secret, key->secret);
  EXPECT_TRUE(
      Decide(*IdentityOf(*directory_->Current(), *user), {}, {.action = "iam:CreateUser", .resource = "*"}).allowed());
  EXPECT_EQ(Outcome(RunBlocking(InitAccount(*directory_, std::string(kAccount)))), "ok") << "another key";
  EXPECT_THAT(Outcome(RunBlocking(InitAccount(*directory_, std::string(kAccount)))), StartsWith("LimitExceeded"));
  EXPECT_THAT(Outcome(RunBlocking(InitAccount(*directory_, "12"))), HasSubstr("twelve digits"));
}

}  // namespace
}  // namespace armature::iam
