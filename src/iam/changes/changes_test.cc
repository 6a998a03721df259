#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iam/changes/changes_testing.h"
#include "iam/entities/ids.h"
#include "iam/entities/quotas.h"

namespace armature::iam {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// --- users and groups

TEST_F(ChangesTest, AUserIsMadeWithAnIdOfTheAccount) {
  NewUser given = UserNamed("bob");
  given.path = "/division/";
  given.tags = {{"team", "red"}};
  const auto user = CreateUser(draft_, kAccount, given);
  ASSERT_EQ(Outcome(user), "ok");
  EXPECT_EQ(ArnOf(**user), "arn:aws:iam::111122223333:user/division/bob");
  EXPECT_THAT((*user)->id, StartsWith("AIDA"));
  EXPECT_EQ(AccountOfId((*user)->id), kAccount);
  EXPECT_EQ((*user)->created_millis, 1'700'000'000'000);
  EXPECT_EQ(draft_.state().FindUser("arn:aws:iam::111122223333:user/division/bob"), *user);
  EXPECT_EQ(draft_.state().FindUser("arn:aws:iam::111122223333:user/division/Bob"), nullptr) << "ARNs have case";
  EXPECT_EQ(draft_.state().FindUser("arn:aws:iam::111122223333:user/bob"), nullptr) << "the path is part of it";
}

TEST_F(ChangesTest, NamesAreUniqueWithoutRegardToCase) {
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("bob"))), "ok");
  EXPECT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("BOB"))),
            "EntityAlreadyExists: User with name BOB already exists.");
  EXPECT_EQ(Outcome(CreateUser(draft_, kOtherAccount, UserNamed("BOB"))), "ok") << "another account";
  EXPECT_EQ(Outcome(CreateRole(draft_, kAccount, RoleNamed("bob"))), "ok") << "another kind";
  EXPECT_EQ(Outcome(CreateRole(draft_, kAccount, RoleNamed("Bob"))),
            "EntityAlreadyExists: Role with name Bob already exists.");
  EXPECT_EQ(Outcome(CreateGroup(draft_, kAccount, "bob")), "ok");
  EXPECT_EQ(Outcome(CreateGroup(draft_, kAccount, "boB")), "EntityAlreadyExists: Group with name boB already exists.");
  EXPECT_EQ(Outcome(CreatePolicy(draft_, kAccount, PolicyNamed("bob"))), "ok");
  EXPECT_EQ(Outcome(CreatePolicy(draft_, kAccount, PolicyNamed("BoB"))),
            "EntityAlreadyExists: A policy called BoB already exists. Duplicate names are not allowed.");
}

TEST_F(ChangesTest, NamesAndPathsAreChecked) {
  EXPECT_EQ(
      Outcome(CreateUser(draft_, kAccount, UserNamed("a b"))),
      "ValidationError: The specified value for userName is invalid. It must contain only alphanumeric characters "
      "and/or the following: +=,.@_-");
  EXPECT_THAT(Outcome(CreateUser(draft_, kAccount, UserNamed(""))), HasSubstr("greater than or equal to 1"));
  EXPECT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed(std::string(64, 'x')))), "ok");
  EXPECT_THAT(Outcome(CreateUser(draft_, kAccount, UserNamed(std::string(65, 'x')))), HasSubstr("equal to 64"));
  EXPECT_EQ(Outcome(CreateGroup(draft_, kAccount, std::string(128, 'x'))), "ok");
  for (const char* const path : {"", "x", "/x", "x/", "/a b/", "/\x7f/", "/\xc3\xa4/"}) {
    NewUser user = UserNamed("carl");
    user.path = path;
    EXPECT_THAT(Outcome(CreateUser(draft_, kAccount, user)), HasSubstr("value for path is invalid")) << path;
  }
  EXPECT_THAT(Outcome(CreateUser(draft_, "123", UserNamed("carl"))), HasSubstr("twelve digits"));
}

TEST_F(ChangesTest, ARenamedUserKeepsHisId) {
  const auto user = CreateUser(draft_, kAccount, UserNamed("bob"));
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("carl"))), "ok");
  EXPECT_EQ(Outcome(UpdateUser(draft_, kAccount, "bob", "CARL", std::nullopt)),
            "EntityAlreadyExists: User with name CARL already exists.");
  EXPECT_EQ(Outcome(UpdateUser(draft_, kAccount, "bob", "BOB", "/p/")), "ok") << "his own name in other letters";
  EXPECT_EQ(Outcome(UpdateUser(draft_, kAccount, "bob", "robert", std::nullopt)), "ok");
  EXPECT_EQ(account().users.Find("bob"), nullptr);
  EXPECT_EQ(account().users.Find("robert")->id, (*user)->id);
  EXPECT_EQ(account().users.Find("robert")->path, "/p/");
  EXPECT_EQ(account().users.size(), 2u);
  EXPECT_EQ(Outcome(UpdateUser(draft_, kAccount, "nobody", "x", std::nullopt)),
            "NoSuchEntity: The user with name nobody cannot be found.");
}

TEST_F(ChangesTest, AUserGoesOnlyWhenNothingOfHisIsLeft) {
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("bob"))), "ok");
  ASSERT_EQ(Outcome(CreateGroup(draft_, kAccount, "devs")), "ok");
  const auto key = CreateAccessKey(draft_, kAccount, "bob");
  ASSERT_EQ(Outcome(PutInlinePolicy<User>(draft_, kAccount, "bob", "p", Allow("*"))), "ok");
  ASSERT_EQ(Outcome(AttachPolicy<User>(draft_, kAccount, "bob", kAdministratorAccess)), "ok");
  ASSERT_EQ(Outcome(AddUserToGroup(draft_, kAccount, "devs", "bob")), "ok");
  const auto remove = [&] { return Outcome(DeleteUser(draft_, kAccount, "bob")); };
  EXPECT_EQ(remove(), "DeleteConflict: Cannot delete entity, must delete access keys first.");
  ASSERT_EQ(Outcome(DeleteAccessKey(draft_, kAccount, "bob", key->id)), "ok");
  EXPECT_EQ(remove(), "DeleteConflict: Cannot delete entity, must delete policies first.");
  ASSERT_EQ(Outcome(DeleteInlinePolicy<User>(draft_, kAccount, "bob", "p")), "ok");
  EXPECT_EQ(remove(), "DeleteConflict: Cannot delete entity, must detach all policies first.");
  ASSERT_EQ(Outcome(DetachPolicy<User>(draft_, kAccount, "bob", kAdministratorAccess)), "ok");
  EXPECT_EQ(remove(), "DeleteConflict: Cannot delete entity, must remove users from group first.");
  EXPECT_EQ(Outcome(DeleteGroup(draft_, kAccount, "devs")),
            "DeleteConflict: Cannot delete entity, must remove users from group first.");
  ASSERT_EQ(Outcome(RemoveUserFromGroup(draft_, kAccount, "devs", "bob")), "ok");
  EXPECT_EQ(remove(), "ok");
  EXPECT_EQ(Outcome(DeleteGroup(draft_, kAccount, "devs")), "ok");
  EXPECT_EQ(remove(), "NoSuchEntity: The user with name bob cannot be found.");
  EXPECT_EQ(draft_.state().FindKeyOwner(key->id), nullptr);
}

TEST_F(ChangesTest, AUserIsInAtMostTenGroups) {
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("bob"))), "ok");
  for (int i = 0; i < 11; ++i) ASSERT_EQ(Outcome(CreateGroup(draft_, kAccount, fmt::format("g{}", i))), "ok");
  for (int i = 0; i < 10; ++i) ASSERT_EQ(Outcome(AddUserToGroup(draft_, kAccount, fmt::format("g{}", i), "bob")), "ok");
  EXPECT_EQ(Outcome(AddUserToGroup(draft_, kAccount, "g10", "bob")),
            "LimitExceeded: Cannot exceed quota for GroupsPerUser: 10");
  EXPECT_EQ(Outcome(AddUserToGroup(draft_, kAccount, "g0", "bob")), "ok") << "he is in it already";
  const auto members = MembersOf(account(), *account().groups.Find("g3"));
  ASSERT_EQ(members.size(), 1u);
  EXPECT_EQ(members[0]->name, "bob");
}

TEST_F(ChangesTest, ThereAreAtMostSoManyOfAKind) {
  for (size_t i = 0; i < quotas::kGroups; ++i)
    ASSERT_EQ(Outcome(CreateGroup(draft_, kAccount, fmt::format("g{}", i))), "ok");
  EXPECT_EQ(Outcome(CreateGroup(draft_, kAccount, "one-more")),
            "LimitExceeded: Cannot exceed quota for GroupsPerAccount: 300");
  EXPECT_EQ(Outcome(CreateGroup(draft_, kOtherAccount, "one-more")), "ok");
}

// --- access keys

TEST_F(ChangesTest, AUserHasTwoKeysAtMostAndSoHasTheRoot) {
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("bob"))), "ok");
  for (const char* const user : {"bob", ""}) {
    const auto first = CreateAccessKey(draft_, kAccount, user);
    ASSERT_EQ(Outcome(first), "ok");
    EXPECT_EQ(first->id.size(), 20u);
    EXPECT_EQ(AccountOfId(first->id), kAccount);
    EXPECT_EQ(first->secret.size(), 40u);
    ASSERT_EQ(Outcome(CreateAccessKey(draft_, kAccount, user)), "ok");
    EXPECT_EQ(Outcome(CreateAccessKey(draft_, kAccount, user)),
              "LimitExceeded: Cannot exceed quota for AccessKeysPerUser: 2");
    EXPECT_EQ(draft_.state().FindKeyOwner(first->id)->account, kAccount);
    EXPECT_EQ(Outcome(UpdateAccessKey(draft_, kAccount, user, first->id, false)), "ok");
    EXPECT_FALSE((*AccessKeysOf(draft_.state(), kAccount, user))[0].is_active);
    EXPECT_EQ(Outcome(DeleteAccessKey(draft_, kAccount, user, first->id)), "ok");
    EXPECT_EQ(Outcome(DeleteAccessKey(draft_, kAccount, user, first->id)),
              "NoSuchEntity: The Access Key with id " + first->id + " cannot be found.");
    EXPECT_EQ(draft_.state().FindKeyOwner(first->id), nullptr);
  }
  EXPECT_EQ(Outcome(CreateAccessKey(draft_, kAccount, "nobody")),
            "NoSuchEntity: The user with name nobody cannot be found.");
}

TEST_F(ChangesTest, AKeyThatSomebodyBringsAlongIsTakenOnce) {
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("bob"))), "ok");
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("carl"))), "ok");
  const std::string secret(40, 's'), id = "AKIAIOSFODNN7EXAMPLE";
  EXPECT_EQ(Outcome(ImportAccessKey(draft_, kAccount, "bob", id, secret, true)), "ok");
  EXPECT_EQ(Outcome(ImportAccessKey(draft_, kAccount, "bob", id, secret, true)), "ok") << "again";
  EXPECT_EQ(AccessKeysOf(draft_.state(), kAccount, "bob")->size(), 1u);
  EXPECT_THAT(Outcome(ImportAccessKey(draft_, kAccount, "carl", id, secret, true)), HasSubstr("belongs to somebody"));
  const auto bad_secret = ImportAccessKey(draft_, kAccount, "carl", "AKIAIOSFODNN7EXAMPL2", "topsecret\n", true);
  EXPECT_THAT(Outcome(bad_secret), Not(HasSubstr("topsecret")));
  EXPECT_THAT(Outcome(bad_secret), StartsWith("ValidationError"));
  EXPECT_THAT(Outcome(ImportAccessKey(draft_, kAccount, "carl", "short", secret, true)), StartsWith("ValidationError"));
}

// --- policies

TEST_F(ChangesTest, VersionsAreNumberedAndAtMostFive) {
  const auto policy = CreatePolicy(draft_, kAccount, PolicyNamed("p"));
  ASSERT_EQ(Outcome(policy), "ok");
  const std::string arn = ArnOf(**policy);
  EXPECT_EQ(arn, "arn:aws:iam::111122223333:policy/p");
  for (int i = 2; i <= 5; ++i) {
    const auto version = CreatePolicyVersion(draft_, kAccount, arn, Allow("dynamodb:PutItem"), i == 3);
    ASSERT_EQ(Outcome(version), "ok");
    EXPECT_EQ(version->id(), fmt::format("v{}", i));
  }
  EXPECT_EQ(Outcome(CreatePolicyVersion(draft_, kAccount, arn, Allow("*"), false)),
            "LimitExceeded: A managed policy can have up to 5 versions. Before you create a new version, you must "
            "delete an existing version.");
  EXPECT_EQ(draft_.state().FindPolicy(arn)->DefaultVersion().number, 3);
  EXPECT_EQ(Outcome(DeletePolicyVersion(draft_, kAccount, arn, "v3")),
            "DeleteConflict: Cannot delete the default version of a policy.");
  EXPECT_EQ(Outcome(DeletePolicyVersion(draft_, kAccount, arn, "v5")), "ok");
  EXPECT_EQ(Outcome(DeletePolicyVersion(draft_, kAccount, arn, "v5")),
            "NoSuchEntity: Policy " + arn + " version v5 does not exist or is not attachable.");
  EXPECT_EQ(CreatePolicyVersion(draft_, kAccount, arn, Allow("*"), false)->id(), "v6") << "numbers are not used again";
  EXPECT_EQ(Outcome(SetDefaultPolicyVersion(draft_, kAccount, arn, "v1")), "ok");
  EXPECT_EQ(draft_.state().FindPolicy(arn)->DefaultVersion().number, 1);
  for (const char* const bad : {"", "v", "1", "v01x", "v-1", "v99999999999999999999"})
    EXPECT_THAT(Outcome(SetDefaultPolicyVersion(draft_, kAccount, arn, bad)), StartsWith("NoSuchEntity")) << bad;
}

TEST_F(ChangesTest, APolicyGoesOnlyWhenNobodyUsesItAndItHasOneVersion) {
  const std::string arn = ArnOf(**CreatePolicy(draft_, kAccount, PolicyNamed("p")));
  ASSERT_EQ(Outcome(CreatePolicyVersion(draft_, kAccount, arn, Allow("*"), false)), "ok");
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("bob"))), "ok");
  ASSERT_EQ(Outcome(AttachPolicy<User>(draft_, kAccount, "bob", arn)), "ok");
  EXPECT_EQ(Outcome(AttachPolicy<User>(draft_, kAccount, "bob", arn)), "ok") << "again";
  EXPECT_EQ(CountPolicyUse(account()).Find(arn)->attachments, 1u);
  EXPECT_EQ(Outcome(DeletePolicy(draft_, kAccount, arn)),
            "DeleteConflict: Cannot delete a policy attached to entities.");
  ASSERT_EQ(Outcome(DetachPolicy<User>(draft_, kAccount, "bob", arn)), "ok");
  EXPECT_EQ(Outcome(DetachPolicy<User>(draft_, kAccount, "bob", arn)),
            "NoSuchEntity: Policy " + arn + " was not found.");
  ASSERT_EQ(Outcome(PutPermissionsBoundary<User>(draft_, kAccount, "bob", arn)), "ok");
  EXPECT_EQ(Outcome(DeletePolicy(draft_, kAccount, arn)),
            "DeleteConflict: Cannot delete a policy attached to entities.");
  EXPECT_EQ(CountPolicyUse(account()).Find(arn)->boundaries, 1u);
  ASSERT_EQ(Outcome(DeletePermissionsBoundary<User>(draft_, kAccount, "bob")), "ok");
  EXPECT_THAT(Outcome(DeletePolicy(draft_, kAccount, arn)), HasSubstr("more than one version"));
  ASSERT_EQ(Outcome(DeletePolicyVersion(draft_, kAccount, arn, "v2")), "ok");
  EXPECT_EQ(Outcome(DeletePolicy(draft_, kAccount, arn)), "ok");
  EXPECT_EQ(Outcome(DeletePolicy(draft_, kAccount, arn)), "NoSuchEntity: Policy " + arn + " was not found.");
}

TEST_F(ChangesTest, ArnsOfPoliciesAreCheckedBeforeTheyAreLookedUp) {
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("bob"))), "ok");
  const auto attach = [&](std::string_view arn) { return Outcome(AttachPolicy<User>(draft_, kAccount, "bob", arn)); };
  EXPECT_EQ(attach("nonsense"), "ValidationError: Invalid ARN:  Could not be parsed!");
  EXPECT_EQ(attach("arn:aws:s3:::bucket"), "InvalidInput: ARN arn:aws:s3:::bucket is not valid.");
  EXPECT_EQ(attach("arn:aws:iam::111122223333:user/bob"),
            "InvalidInput: ARN arn:aws:iam::111122223333:user/bob is not valid.");
  EXPECT_EQ(attach("arn:aws:iam::111122223333:policy/none"),
            "NoSuchEntity: Policy arn:aws:iam::111122223333:policy/none does not exist or is not attachable.");
  const std::string foreign = ArnOf(**CreatePolicy(draft_, kOtherAccount, PolicyNamed("p")));
  EXPECT_THAT(attach(foreign), HasSubstr("does not exist or is not attachable")) << "another account's";
  EXPECT_EQ(Outcome(DeletePolicy(draft_, kAccount, foreign)), "NoSuchEntity: Policy " + foreign + " was not found.");
  EXPECT_EQ(Outcome(DeletePolicy(draft_, kAccount, kAdministratorAccess)),
            "NoSuchEntity: Policy arn:aws:iam::aws:policy/AdministratorAccess was not found.");
  EXPECT_THAT(attach("arn:aws:iam::aws:policy/aws-service-role/DAXServiceRolePolicy"),
              StartsWith("PolicyNotAttachable"));
}

TEST_F(ChangesTest, SizesDoNotCountWhiteSpaceAndInlineOnesAreSummed) {
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("bob"))), "ok");
  const auto padded = [](size_t characters) {
    std::string document = Allow("dynamodb:*");
    const size_t frame = document.size();
    document.insert(document.find("dynamodb:*") + 9, std::string(characters - frame, 'x'));
    return document + std::string(5000, ' ');
  };
  EXPECT_EQ(Outcome(PutInlinePolicy<User>(draft_, kAccount, "bob", "a", padded(1024))), "ok");
  EXPECT_EQ(Outcome(PutInlinePolicy<User>(draft_, kAccount, "bob", "b", padded(1024))), "ok");
  EXPECT_EQ(Outcome(PutInlinePolicy<User>(draft_, kAccount, "bob", "b", padded(1025))),
            "LimitExceeded: Maximum policy size of 2048 bytes exceeded for user bob");
  EXPECT_EQ(Outcome(PutInlinePolicy<User>(draft_, kAccount, "bob", "c", Allow("*"))),
            "LimitExceeded: Maximum policy size of 2048 bytes exceeded for user bob");
  EXPECT_EQ(Outcome(CreatePolicy(draft_, kAccount, PolicyNamed("fits", padded(6144)))), "ok");
  EXPECT_EQ(Outcome(CreatePolicy(draft_, kAccount, PolicyNamed("large", padded(6145)))),
            "LimitExceeded: Cannot exceed quota for PolicySize: 6144");
}

TEST_F(ChangesTest, InlinePoliciesAreKeptByNameAndWordForWord) {
  ASSERT_EQ(Outcome(CreateRole(draft_, kAccount, RoleNamed("r"))), "ok");
  const std::string text = "  " + Allow("dynamodb:GetItem") + "\n";
  for (const char* const name : {"b", "a", "c"})
    ASSERT_EQ(Outcome(PutInlinePolicy<Role>(draft_, kAccount, "r", name, text)), "ok");
  std::vector<std::string> names;
  for (const InlinePolicy& policy : account().roles.Find("r")->inline_policies) names.push_back(policy.name);
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
  EXPECT_EQ(MustFindInlinePolicy<Role>(draft_.state(), kAccount, "r", "b")->document->text, text);
  EXPECT_EQ(Outcome(MustFindInlinePolicy<Role>(draft_.state(), kAccount, "r", "d")),
            "NoSuchEntity: The role policy with name d cannot be found.");
  EXPECT_EQ(Outcome(DeleteInlinePolicy<Role>(draft_, kAccount, "r", "d")),
            "NoSuchEntity: The role policy with name d cannot be found.");
  EXPECT_THAT(Outcome(PutInlinePolicy<Role>(draft_, kAccount, "r", "d", "{}")), StartsWith("MalformedPolicyDocument"));
}

TEST_F(ChangesTest, TenManagedPoliciesCanBeAttached) {
  ASSERT_EQ(Outcome(CreateRole(draft_, kAccount, RoleNamed("r"))), "ok");
  for (int i = 0; i < 11; ++i)
    ASSERT_EQ(Outcome(CreatePolicy(draft_, kAccount, PolicyNamed(fmt::format("p{}", i)))), "ok");
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(
        Outcome(AttachPolicy<Role>(draft_, kAccount, "r", fmt::format("arn:aws:iam::{}:policy/p{}", kAccount, i))),
        "ok");
  EXPECT_EQ(Outcome(AttachPolicy<Role>(draft_, kAccount, "r", fmt::format("arn:aws:iam::{}:policy/p10", kAccount))),
            "LimitExceeded: Cannot exceed quota for PoliciesPerRole: 10");
}

// --- roles

TEST_F(ChangesTest, ATrustPolicyMeansWhoHadTheNameWhenItWasSaved) {
  const auto bob = CreateUser(draft_, kAccount, UserNamed("bob"));
  const std::string arn = ArnOf(**bob);
  const auto role = CreateRole(draft_, kAccount, RoleNamed("r", Trust(arn)));
  ASSERT_EQ(Outcome(role), "ok");
  EXPECT_EQ((*role)->trust->principals.at(arn), (*bob)->id);
  EXPECT_THAT(Outcome(CreateRole(draft_, kAccount, RoleNamed("s", Trust("arn:aws:iam::111122223333:user/none")))),
              StartsWith("MalformedPolicyDocument"));
}

TEST_F(ChangesTest, RolesAreChangedAndGo) {
  NewRole given = RoleNamed("r");
  given.max_session_seconds = 43'201;
  EXPECT_THAT(Outcome(CreateRole(draft_, kAccount, given)), StartsWith("ValidationError"));
  given.max_session_seconds = 43'200;
  given.description = "for tests";
  const auto role = CreateRole(draft_, kAccount, given);
  ASSERT_EQ(Outcome(role), "ok");
  EXPECT_THAT((*role)->id, StartsWith("AROA"));
  ASSERT_EQ(Outcome(UpdateRole(draft_, kAccount, "R", "other", std::nullopt)), "ok");
  EXPECT_EQ(account().roles.Find("r")->description, "other");
  EXPECT_EQ(account().roles.Find("r")->max_session_seconds, 43'200);
  EXPECT_EQ(AssumedRoleArn(**role, "s"), "arn:aws:sts::111122223333:assumed-role/r/s");
  ASSERT_EQ(Outcome(AttachPolicy<Role>(draft_, kAccount, "r", kAdministratorAccess)), "ok");
  EXPECT_THAT(Outcome(DeleteRole(draft_, kAccount, "r")), HasSubstr("must detach all policies first"));
  ASSERT_EQ(Outcome(DetachPolicy<Role>(draft_, kAccount, "r", kAdministratorAccess)), "ok");
  EXPECT_EQ(Outcome(DeleteRole(draft_, kAccount, "r")), "ok");
  const auto again = CreateRole(draft_, kAccount, given);
  EXPECT_NE((*again)->id, (*role)->id);
}

TEST_F(ChangesTest, OnlyAwsChangesTheRolesOfItsServices) {
  const auto role = CreateServiceLinkedRole(draft_, kAccount, "replication.dynamodb.amazonaws.com", "", "");
  ASSERT_EQ(Outcome(role), "ok");
  EXPECT_EQ(ArnOf(**role),
            "arn:aws:iam::111122223333:role/aws-service-role/replication.dynamodb.amazonaws.com/"
            "AWSServiceRoleForDynamoDBReplication");
  const std::string& name = (*role)->name;
  EXPECT_TRUE(draft_.state().FindPolicy((*role)->attached.at(0))) << "its policy is there";
  const std::string refused = "UnmodifiableEntity: Cannot perform the operation on the protected role '" + name +
                              "' - this role is only modifiable by AWS";
  EXPECT_EQ(Outcome(DeleteRole(draft_, kAccount, name)), refused);
  EXPECT_EQ(Outcome(AttachPolicy<Role>(draft_, kAccount, name, kAdministratorAccess)), refused);
  EXPECT_EQ(Outcome(DetachPolicy<Role>(draft_, kAccount, name, (*role)->attached.at(0))), refused);
  EXPECT_EQ(Outcome(PutInlinePolicy<Role>(draft_, kAccount, name, "p", Allow("*"))), refused);
  EXPECT_EQ(Outcome(UpdateAssumeRolePolicy(draft_, kAccount, name, Trust("*"))), refused);
  EXPECT_EQ(
      Outcome(CreateServiceLinkedRole(draft_, kAccount, "replication.dynamodb.amazonaws.com", "", "")),
      "InvalidInput: Service role name " + name + " has been taken in this account, please try a different suffix.");
  EXPECT_EQ(Outcome(CreateServiceLinkedRole(draft_, kAccount, "dax.amazonaws.com", "", "x")),
            "InvalidInput: Custom suffix is not allowed for dax.amazonaws.com");
  EXPECT_THAT(Outcome(CreateServiceLinkedRole(draft_, kAccount, "nobody.amazonaws.com", "", "")),
              StartsWith("InvalidInput"));
  EXPECT_EQ(Outcome(DeleteServiceLinkedRole(draft_, kAccount, name)), "ok");
}

// --- tags, aliases, providers

TEST_F(ChangesTest, TagsAreUniqueWithoutRegardToCase) {
  NewUser given = UserNamed("bob");
  given.tags = {{"Team", "red"}, {"team", "blue"}};
  EXPECT_EQ(Outcome(CreateUser(draft_, kAccount, given)),
            "InvalidInput: Duplicate tag keys found. Please note that Tag keys are case insensitive.");
  given.tags = {{"Team", "red"}};
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, given)), "ok");
  EXPECT_EQ(Outcome(TagEntity<User>(draft_, kAccount, "bob", {{"TEAM", "blue"}, {"x", ""}})), "ok");
  EXPECT_THAT(account().users.Find("bob")->tags, ElementsAre(Tag{"TEAM", "blue"}, Tag{"x", ""}));
  EXPECT_EQ(Outcome(UntagEntity<User>(draft_, kAccount, "bob", std::vector<std::string>{"tEAm", "none"})), "ok");
  EXPECT_THAT(account().users.Find("bob")->tags, ElementsAre(Tag{"x", ""}));
  EXPECT_THAT(Outcome(TagEntity<User>(draft_, kAccount, "bob", {{"aws:x", "y"}})), StartsWith("InvalidInput"));
  EXPECT_THAT(Outcome(TagEntity<User>(draft_, kAccount, "bob", {{"x", "\xff"}})), HasSubstr("UTF-8"));
  EXPECT_THAT(Outcome(TagEntity<User>(draft_, kAccount, "bob", {{std::string(129, 'k'), ""}})), HasSubstr("128"));
  std::string umlauts;
  for (int i = 0; i < 128; ++i) umlauts += "ä";
  EXPECT_EQ(Outcome(TagEntity<User>(draft_, kAccount, "bob", {{umlauts, ""}})), "ok") << "characters, not bytes";
  Tags many;
  for (int i = 0; i < 49; ++i) many.push_back({fmt::format("k{}", i), "v"});
  EXPECT_THAT(Outcome(TagEntity<User>(draft_, kAccount, "bob", many)), StartsWith("LimitExceeded"));
  const std::string arn = ArnOf(**CreatePolicy(draft_, kAccount, PolicyNamed("p")));
  EXPECT_EQ(Outcome(TagEntity<ManagedPolicy>(draft_, kAccount, arn, {{"a", "b"}})), "ok");
  EXPECT_THAT(Outcome(TagEntity<ManagedPolicy>(draft_, kAccount, kAdministratorAccess, {{"a", "b"}})),
              StartsWith("NoSuchEntity"));
}

TEST_F(ChangesTest, AnAliasIsOneAccounts) {
  EXPECT_EQ(Outcome(CreateAccountAlias(draft_, kAccount, "acme")), "ok");
  EXPECT_EQ(Outcome(CreateAccountAlias(draft_, kOtherAccount, "acme")),
            "EntityAlreadyExists: The account alias acme already exists.");
  EXPECT_EQ(draft_.state().AccountOfAlias("acme"), kAccount);
  EXPECT_EQ(Outcome(CreateAccountAlias(draft_, kAccount, "acme-2")), "ok");
  EXPECT_EQ(draft_.state().AccountOfAlias("acme"), "") << "replaced";
  EXPECT_EQ(Outcome(DeleteAccountAlias(draft_, kAccount, "acme")),
            "NoSuchEntity: The account alias acme cannot be found.");
  EXPECT_EQ(Outcome(DeleteAccountAlias(draft_, kAccount, "acme-2")), "ok");
  for (const char* const bad : {"", "ab", "-abc", "abc-", "a--b", "Abc", "a_b"})
    EXPECT_THAT(Outcome(CreateAccountAlias(draft_, kAccount, bad)), StartsWith("ValidationError")) << bad;
}

TEST_F(ChangesTest, ProvidersAreKnownByTheirUrl) {
  NewProvider given{
      .url = "https://idp.example.com/pool", .client_ids = {"app"}, .thumbprints = {std::string(40, 'a')}};
  const auto provider = CreateOidcProvider(draft_, kAccount, given);
  ASSERT_EQ(Outcome(provider), "ok");
  const std::string arn = ArnOf(**provider);
  EXPECT_EQ(arn, "arn:aws:iam::111122223333:oidc-provider/idp.example.com/pool");
  EXPECT_EQ(draft_.state().FindProvider(arn), *provider);
  EXPECT_THAT(Outcome(CreateOidcProvider(draft_, kAccount, given)), StartsWith("EntityAlreadyExists"));
  EXPECT_EQ(Outcome(AddClientId(draft_, kAccount, arn, "web")), "ok");
  EXPECT_EQ(Outcome(AddClientId(draft_, kAccount, arn, "web")), "ok");
  EXPECT_EQ(Outcome(RemoveClientId(draft_, kAccount, arn, "app")), "ok");
  EXPECT_THAT(draft_.state().FindProvider(arn)->client_ids, ElementsAre("web"));
  EXPECT_EQ(Outcome(UpdateThumbprints(draft_, kAccount, arn, {})), "ok");
  EXPECT_EQ(Outcome(UpdateThumbprints(draft_, kAccount, arn, {"x"})),
            "InvalidInput: Thumbprint must be 40 hexadecimal characters.");
  EXPECT_EQ(Outcome(UpdateThumbprints(draft_, kAccount, arn, std::vector(6, std::string(40, 'a')))),
            "InvalidInput: Thumbprint list must contain fewer than 5 entries.");
  for (const char* const bad : {"", "http://x.example", "https://", "https://x:8443", "https://x?y", "https:///x"}) {
    given.url = bad;
    EXPECT_EQ(Outcome(CreateOidcProvider(draft_, kAccount, given)),
              "InvalidInput: Invalid Open ID Connect Provider URL")
        << bad;
  }
  EXPECT_EQ(Outcome(DeleteOidcProvider(draft_, kAccount, arn)), "ok");
  EXPECT_THAT(Outcome(DeleteOidcProvider(draft_, kAccount, arn)), StartsWith("NoSuchEntity"));
}

// --- drafts

TEST_F(ChangesTest, ADraftLeavesTheSnapshotItCameFromAlone) {
  ASSERT_EQ(Outcome(CreateUser(draft_, kAccount, UserNamed("bob"))), "ok");
  const auto before = std::move(draft_).Finish();
  Draft next(*before, 0, random_);
  ASSERT_EQ(Outcome(CreateUser(next, kAccount, UserNamed("carl"))), "ok");
  ASSERT_EQ(Outcome(DeleteUser(next, kAccount, "bob")), "ok");
  ASSERT_EQ(Outcome(CreateAccessKey(next, kAccount, "carl")), "ok");
  EXPECT_TRUE(before->FindAccount(kAccount)->users.Find("bob"));
  EXPECT_FALSE(before->FindAccount(kAccount)->users.Find("carl"));
  EXPECT_FALSE(before->has_keys());
  EXPECT_FALSE(next.AccountOf(kAccount).users.Find("bob"));
  std::set<RecordKind> kinds;
  for (const RecordName& name : next.touched()) kinds.insert(name.kind);
  EXPECT_THAT(kinds, ElementsAre(RecordKind::kUser)) << "the account was there already";
}

TEST_F(ChangesTest, EveryPolicyOfAwsIsThereAndCanBeUsed) {
  EXPECT_GT(AwsPolicies().size(), 5u);
  AwsPolicies().ForEach([&](const std::string& arn, const PolicyRef& policy) {
    EXPECT_EQ(draft_.state().FindPolicy(arn), policy);
    EXPECT_EQ(policy->versions.size(), 1u) << arn;
  });
  EXPECT_TRUE(draft_.state().FindPolicy("arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess"));
}

}  // namespace
}  // namespace armature::iam
