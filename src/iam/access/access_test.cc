// From a key to a decision: the key ring, identities and the authorizer over a real directory.
#include "auth/access.h"

#include <array>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iam/access/authorize.h"
#include "iam/access/iam_key_ring.h"
#include "iam/access/policy_authorizer.h"
#include "iam/access/policy_set.h"
#include "iam/access/service_trust.h"
#include "iam/store/store_testing.h"

namespace armature::iam {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kTable = "arn:aws:dynamodb:eu-north-1:111122223333:table/Games";

class AccessTest : public StoreTest {
 protected:
  AccessTest() {
    EXPECT_EQ(Restart(), "ok");
    EXPECT_EQ(AddUser("bob"), "ok");
    key_ = AddKey("bob");
  }
  void Reload() {
    Crash();
    ASSERT_EQ(Restart(), "ok");
    ring_ = std::make_unique<IamKeyRing>(*directory_, usage_);
  }
  IamKeyRing& ring() {
    if (!ring_) ring_ = std::make_unique<IamKeyRing>(*directory_, usage_);
    return *ring_;
  }
  std::shared_ptr<const auth::Identity> Who(const std::string& id, const std::string& token = {}) {
    const auto key = ring().Find(id, token);
    return key ? key->identity : nullptr;
  }
  // "ok" or the denial's text.
  std::string Try(const auth::Identity& identity, std::string_view action = "dynamodb:GetItem",
                  std::string_view resource = kTable, std::string_view account = kAccount) {
    auth::Circumstances now;
    now.now_millis = clock_.NowMillis();
    return Outcome(CheckAllowed(identity, now, {.action = action, .resource = resource, .resource_account = account}));
  }
  std::string TryBob(std::string_view action = "dynamodb:GetItem") { return Try(*Who(key_.id), action); }

  // Credentials of a session, and its token.
  std::pair<Session, std::string> Issue(Session session) {
    session.account = kAccount;
    session.issued_millis = clock_.NowMillis();
    session.expires_millis = clock_.NowMillis() + 3'600'000;
    auto token = SessionTokens(*directory_->master_keys()).Issue(session, random_);
    EXPECT_TRUE(token);
    return {session, *token};
  }
  std::pair<Session, std::string> AssumeRole(std::string_view name) {
    Session session;
    session.kind = SessionKind::kRole;
    session.entity_id = directory_->Current()->FindAccount(kAccount)->roles.Find(name)->id;
    session.name = "s1";
    return Issue(std::move(session));
  }
  std::pair<Session, std::string> SessionOfBob(SessionKind kind) {
    Session session;
    session.kind = kind;
    session.entity_id = FindUser("bob")->id;
    session.parent_key_id = key_.id;
    if (kind == SessionKind::kFederated) session.name = "guest";
    return Issue(std::move(session));
  }
  std::string Run(std::function<IamResult<void>(Draft&)> change) { return StoreTest::Change(std::move(change)); }
  void Put(std::string_view policy_name, std::string document) {
    ASSERT_EQ(Run([&](Draft& draft) { return PutInlinePolicy<User>(draft, kAccount, "bob", policy_name, document); }),
              "ok");
  }
  void AddRole(std::string document) {
    ASSERT_EQ(Run([&](Draft& draft) -> IamResult<void> {
                NewRole role = RoleNamed("r");
                role.path = "/p/";
                role.tags = {{"Team", "red"}, {"cost", "1"}};
                ARMATURE_CHECK_OK(CreateRole(draft, kAccount, role));
                return PutInlinePolicy<Role>(draft, kAccount, "r", "in", document);
              }),
              "ok");
  }

  UsageTable usage_{*engine_};
  AccessKey key_;
  std::unique_ptr<IamKeyRing> ring_;
};

// --- keys

TEST_F(AccessTest, AUsersKeyIsFoundWithAllThatIsKnownOfHim) {
  EXPECT_FALSE(ring().is_empty());
  const auto key = ring().Find(key_.id, {});
  ASSERT_TRUE(key);
  EXPECT_EQ(key->secret.text(), key_.secret);
  EXPECT_FALSE(key->is_temporary());
  const auth::Identity& bob = *key->identity;
  EXPECT_EQ(bob.kind, auth::PrincipalKind::kUser);
  EXPECT_EQ(bob.arn, "arn:aws:iam::111122223333:user/bob");
  EXPECT_EQ(bob.user_name, "bob");
  EXPECT_EQ(bob.user_id, FindUser("bob")->id);
  EXPECT_EQ(ring().Find(key_.id, {}), key) << "the same object while nothing changes";
  EXPECT_EQ(ring().Find("AKIANOBODY0000000000", {}), nullptr);
  EXPECT_EQ(ring().Find("", {}), nullptr);
}

TEST_F(AccessTest, AChangeOfAKeyIsInForceAtOnce) {
  ASSERT_TRUE(ring().Find(key_.id, {}));
  ASSERT_EQ(Run([&](Draft& draft) { return UpdateAccessKey(draft, kAccount, "bob", key_.id, false); }), "ok");
  EXPECT_EQ(ring().Find(key_.id, {})->status, auth::KeyStatus::kInactive);
  ASSERT_EQ(Run([&](Draft& draft) { return DeleteAccessKey(draft, kAccount, "bob", key_.id); }), "ok");
  EXPECT_EQ(ring().Find(key_.id, {}), nullptr);
  EXPECT_FALSE(ring().is_empty());
}

TEST_F(AccessTest, RootHasKeysToo) {
  const AccessKey key = AddKey("");
  const auto root = Who(key.id);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->arn, "arn:aws:iam::111122223333:root");
  EXPECT_EQ(Try(*root, "dynamodb:DeleteTable"), "ok");
}

TEST_F(AccessTest, TheLastUseIsNotedOfKeysAndOfRoles) {
  AddRole(Allow("*"));
  const auto [session, token] = AssumeRole("r");
  ring().NoteUse(*ring().Find(key_.id, {}), "eu-north-1", "dynamodb", clock_.NowMillis());
  ring().NoteUse(*ring().Find(session.access_key_id, token), "eu-north-1", "sts", clock_.NowMillis());
  EXPECT_EQ(usage_.Find(key_.id)->service, "dynamodb");
  EXPECT_EQ(usage_.Find(session.entity_id)->service, "sts");
  EXPECT_FALSE(usage_.Find(session.access_key_id));
}

// --- rights

TEST_F(AccessTest, AUserMayDoWhatHisOwnAttachedAndGroupsPoliciesAllow) {
  EXPECT_EQ(TryBob(),
            "AccessDenied: User: arn:aws:iam::111122223333:user/bob is not authorized to perform: "
            "dynamodb:GetItem on resource: " +
                std::string(kTable) + " because no identity-based policy allows the dynamodb:GetItem action");
  Put("own", Allow("dynamodb:GetItem"));
  EXPECT_EQ(TryBob(), "ok");
  ASSERT_EQ(Run([](Draft& draft) -> IamResult<void> {
              ARMATURE_TRY(const PolicyRef policy,
                           CreatePolicy(draft, kAccount, PolicyNamed("p", Allow("dynamodb:Query"))));
              ARMATURE_CHECK_OK(CreateGroup(draft, kAccount, "g"));
              ARMATURE_CHECK_OK(PutInlinePolicy<Group>(draft, kAccount, "g", "in", Allow("dynamodb:Scan")));
              ARMATURE_CHECK_OK(AttachPolicy<Group>(draft, kAccount, "g", ArnOf(*policy)));
              return {};
            }),
            "ok");
  EXPECT_THAT(TryBob("dynamodb:Scan"), StartsWith("AccessDenied"));
  ASSERT_EQ(Run([](Draft& draft) { return AddUserToGroup(draft, kAccount, "g", "bob"); }), "ok");
  EXPECT_EQ(TryBob("dynamodb:Scan"), "ok");
  EXPECT_EQ(TryBob("dynamodb:Query"), "ok");
  // Another version becomes the default.
  ASSERT_EQ(Outcome(Make<PolicyVersion>([](Draft& draft) {
              return CreatePolicyVersion(draft, kAccount, "arn:aws:iam::111122223333:policy/p",
                                         Deny("dynamodb:GetItem"), true);
            })),
            "ok");
  EXPECT_THAT(TryBob("dynamodb:Query"), StartsWith("AccessDenied"));
  EXPECT_THAT(TryBob(), HasSubstr("with an explicit deny in an identity-based policy"));
}

TEST_F(AccessTest, ABoundaryLimits) {
  Put("own", Allow("dynamodb:*"));
  ASSERT_EQ(Run([](Draft& draft) -> IamResult<void> {
              ARMATURE_TRY(const PolicyRef policy, CreatePolicy(draft, kAccount, PolicyNamed("limit")));
              return PutPermissionsBoundary<User>(draft, kAccount, "bob", ArnOf(*policy));
            }),
            "ok");
  EXPECT_EQ(TryBob("dynamodb:GetItem"), "ok");
  EXPECT_THAT(TryBob("dynamodb:PutItem"), HasSubstr("because no permissions boundary allows"));
}

// What cannot be read may have been a Deny.
TEST_F(AccessTest, WhoDependsOnSomethingUnreadableMayDoNothing) {
  Put("own", Allow("dynamodb:*"));
  ASSERT_EQ(Run([](Draft& draft) -> IamResult<void> {
              ARMATURE_TRY(const PolicyRef policy,
                           CreatePolicy(draft, kAccount, PolicyNamed("p", Deny("dynamodb:PutItem"))));
              ARMATURE_CHECK_OK(CreateGroup(draft, kAccount, "g"));
              ARMATURE_CHECK_OK(AddUserToGroup(draft, kAccount, "g", "bob"));
              return AttachPolicy<User>(draft, kAccount, "bob", ArnOf(*policy));
            }),
            "ok");
  EXPECT_EQ(TryBob(), "ok");
  const auto account = directory_->Current()->FindAccount(kAccount);
  for (const std::string& key :
       {KeyOfRecord('p', account->policies.Find("p")->id), KeyOfRecord('g', account->groups.Find("g")->id)}) {
    const std::string record = Records()[key];
    WriteRecord(key, "garbage");
    Reload();
    EXPECT_THAT(TryBob(), HasSubstr("with an explicit deny")) << key;
    WriteRecord(key, record);
    Reload();
    EXPECT_EQ(TryBob(), "ok");
  }
}

// --- sessions

TEST_F(AccessTest, ARolesSessionHasTheRolesRightsAndTheSessionsTags) {
  AddRole(Allow("dynamodb:*"));
  auto [session, token] = AssumeRole("r");
  const auto key = ring().Find(session.access_key_id, token);
  ASSERT_TRUE(key);
  EXPECT_TRUE(key->is_temporary());
  EXPECT_EQ(key->session_token.text(), token);
  EXPECT_EQ(key->expires_at_millis, session.expires_millis);
  const auth::Identity& who = *key->identity;
  EXPECT_EQ(who.arn, "arn:aws:sts::111122223333:assumed-role/r/s1");
  EXPECT_EQ(who.principal_arn, "arn:aws:iam::111122223333:role/p/r");
  EXPECT_EQ(who.user_id, session.entity_id + ":s1");
  EXPECT_EQ(who.user_name, "");
  EXPECT_EQ(Try(who), "ok");
  Session tagged = session;
  tagged.tags = {{"team", "blue", true}};
  tagged.policies = {Allow("dynamodb:Query")};
  std::tie(session, token) = Issue(tagged);
  const auto with_tags = Who(session.access_key_id, token);
  ASSERT_TRUE(with_tags);
  std::map<std::string, std::string> tags;
  for (const auto& tag : with_tags->tags) tags[tag.key] = tag.value;
  EXPECT_EQ(tags, (std::map<std::string, std::string>{{"cost", "1"}, {"team", "blue"}}));
  EXPECT_EQ(Try(*with_tags, "dynamodb:Query"), "ok");
  EXPECT_THAT(Try(*with_tags, "dynamodb:GetItem"), HasSubstr("because no session policy allows"));
}

TEST_F(AccessTest, ASessionSurvivesARestartAndEndsWithItsRole) {
  AddRole(Allow("dynamodb:*"));
  const auto [session, token] = AssumeRole("r");
  Reload();
  ASSERT_TRUE(Who(session.access_key_id, token));
  EXPECT_EQ(Who(session.access_key_id), nullptr) << "without its token";
  EXPECT_EQ(Who(session.access_key_id, token.substr(4)), Who(session.access_key_id, token)) << "the verifier compares";
  EXPECT_EQ(Who("ASIAOTHER00000000000", token), nullptr) << "another's token";
  const auto remove = [](Draft& draft) -> IamResult<void> {
    ARMATURE_CHECK_OK(DeleteInlinePolicy<Role>(draft, kAccount, "r", "in"));
    return DeleteRole(draft, kAccount, "r");
  };
  ASSERT_EQ(Run(remove), "ok");
  EXPECT_EQ(Who(session.access_key_id, token), nullptr);
  AddRole(Allow("dynamodb:*"));
  EXPECT_EQ(Who(session.access_key_id, token), nullptr) << "made anew, it is another role";
}

TEST_F(AccessTest, SessionsOfAUserEndWithTheKeyThatAskedForThem) {
  Put("own", Allow("dynamodb:*"));
  const auto [session, token] = SessionOfBob(SessionKind::kUser);
  const auto who = Who(session.access_key_id, token);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->kind, auth::PrincipalKind::kUser);
  EXPECT_EQ(who->user_name, "bob");
  EXPECT_EQ(Try(*who), "ok");
  ASSERT_EQ(Run([&](Draft& draft) { return UpdateAccessKey(draft, kAccount, "bob", key_.id, false); }), "ok");
  EXPECT_EQ(Who(session.access_key_id, token), nullptr);
  ASSERT_EQ(Run([&](Draft& draft) { return UpdateAccessKey(draft, kAccount, "bob", key_.id, true); }), "ok");
  EXPECT_TRUE(Who(session.access_key_id, token));
}

TEST_F(AccessTest, AFederatedUserHasNothingButWhatHeWasGiven) {
  Put("own", Allow("dynamodb:*"));
  auto [session, token] = SessionOfBob(SessionKind::kFederated);
  auto who = Who(session.access_key_id, token);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->arn, "arn:aws:sts::111122223333:federated-user/guest");
  EXPECT_EQ(who->user_id, "111122223333:guest");
  EXPECT_EQ(who->entity_arn, "arn:aws:iam::111122223333:user/bob");
  EXPECT_THAT(Try(*who), StartsWith("AccessDenied"));
  session.policies = {Allow("*")};
  std::tie(session, token) = Issue(session);
  who = Who(session.access_key_id, token);
  EXPECT_EQ(Try(*who), "ok");
  EXPECT_THAT(Try(*who, "s3:GetObject", "*"), StartsWith("AccessDenied")) << "not more than the user";
}

// --- DynamoDB's accesses

struct Described {
  std::vector<std::string> leading_keys{};
  std::array<std::vector<std::string>, 3> further_keys{};  // of the second partition key attribute and those behind it
  std::string_view return_consumed_capacity{};
  std::vector<std::string_view> attributes{};
  std::vector<auth::Tag> resource_tags{};
  std::vector<auth::Tag> request_tags{};
  std::vector<std::string_view> bare_tag_keys{};
  int* asked = nullptr;
  int* asked_for_tags = nullptr;
};

class Describer final : public auth::AccessDescriber {
 public:
  explicit Describer(const Described& given) : given_(given) {}
  void Describe(auth::AccessConditions& conditions) const override {
    conditions.partition_keys[0] = given_.leading_keys;
    for (size_t i = 0; i < given_.further_keys.size(); ++i) conditions.partition_keys[i + 1] = given_.further_keys[i];
    conditions.return_consumed_capacity = given_.return_consumed_capacity;
    conditions.attributes = given_.attributes;
    conditions.select = "ALL_ATTRIBUTES";
    conditions.request_tags = given_.request_tags;
    conditions.bare_tag_keys = given_.bare_tag_keys;
    if (given_.asked) ++*given_.asked;
  }
  void DescribeTags(auth::ResourceTags& tags) const override {
    tags.tags = given_.resource_tags;
    if (given_.asked_for_tags) ++*given_.asked_for_tags;
  }

 private:
  const Described& given_;
};

class AuthorizerTest : public AccessTest {
 protected:
  std::string Authorize(const auth::Identity& identity, std::string_view action, const Described& described,
                        auth::Circumstances circumstances = {}) {
    const auth::Principal principal = auth::PrincipalOf(std::make_shared<auth::Identity>(identity), "key");
    const auth::Resource resource{auth::ResourceKind::kTable, "eu-north-1", kAccount, "Games", {}};
    const Describer describer(described);
    const auto done = authorizer_.Authorize(principal, auth::Access(action, resource, describer, circumstances));
    return done ? "ok" : fmt::format("{} {}: {}", done.error().name, done.error().http_status, done.error().message);
  }
  std::string AuthorizeBob(const Described& described, auth::Circumstances circumstances = {},
                           std::string_view action = "dynamodb:GetItem") {
    return Authorize(*Who(key_.id), action, described, circumstances);
  }
  static std::string Conditional(std::string_view condition) {
    return fmt::format(
        R"({{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"{}","Condition":{}}}]}})",
        kTable, condition);
  }

  PolicyAuthorizer authorizer_{nullptr};
};

TEST_F(AuthorizerTest, AUserIsHeldToHisOwnPartitionKey) {
  Put("own", Conditional(R"({"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["${aws:username}"]}})"));
  EXPECT_EQ(AuthorizeBob({.leading_keys = {"bob"}}), "ok");
  EXPECT_EQ(AuthorizeBob({.leading_keys = {"eve"}}),
            "AccessDeniedException 400: User: arn:aws:iam::111122223333:user/bob is not authorized to perform: "
            "dynamodb:GetItem on resource: " +
                std::string(kTable) + " because no identity-based policy allows the dynamodb:GetItem action");
  EXPECT_THAT(AuthorizeBob({.leading_keys = {"bob", "eve"}}), StartsWith("AccessDeniedException"));
}

TEST_F(AuthorizerTest, ConditionsAreMadeOnceAndOnlyIfTheyAreAskedFor) {
  int asked = 0;
  Put("own", Allow("dynamodb:PutItem"));
  EXPECT_EQ(AuthorizeBob({.asked = &asked}, {}, "dynamodb:PutItem"), "ok");
  EXPECT_EQ(asked, 0);
  Put("own", Conditional(R"({"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["bob"],"dynamodb:Attributes":["a"]},
                             "StringEquals":{"dynamodb:Select":"ALL_ATTRIBUTES"}})"));
  int asked_for_tags = 0;
  EXPECT_EQ(
      AuthorizeBob({.leading_keys = {"bob"}, .attributes = {"a"}, .asked = &asked, .asked_for_tags = &asked_for_tags}),
      "ok");
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(asked_for_tags, 0);
  EXPECT_THAT(AuthorizeBob({.leading_keys = {"bob"}, .attributes = {"a", "b"}}), StartsWith("AccessDenied"));
  Put("own", Conditional(R"({"StringEquals":{"aws:ResourceTag/team":"red","aws:ResourceTag/stage":"test"}})"));
  EXPECT_EQ(AuthorizeBob({.resource_tags = {{"team", "red"}, {"stage", "test"}}, .asked_for_tags = &asked_for_tags}),
            "ok");
  EXPECT_EQ(asked_for_tags, 1);
}

TEST_F(AuthorizerTest, CallerConnectionTimeAndTagsAreKnownToConditions) {
  ASSERT_EQ(Run([](Draft& draft) { return TagEntity<User>(draft, kAccount, "bob", {{"Team", "red"}}); }), "ok");
  const auto holds = [&](std::string_view condition, const auth::Circumstances& how = {},
                         const Described& described = {}) {
    Put("own", Conditional(condition));
    return AuthorizeBob(described, how) == "ok";
  };
  EXPECT_TRUE(holds(R"({"StringEquals":{"aws:PrincipalTag/team":"red"}})"));
  EXPECT_FALSE(holds(R"({"StringEquals":{"aws:PrincipalTag/team":"blue"}})"));
  EXPECT_TRUE(holds(R"({"StringEquals":{"aws:ResourceTag/team":"${aws:PrincipalTag/Team}"}})", {},
                    {.resource_tags = {{"TEAM", "red"}}}));
  EXPECT_FALSE(holds(R"({"StringEquals":{"aws:ResourceTag/team":"${aws:PrincipalTag/Team}"}})"));
  EXPECT_TRUE(holds(R"({"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}})", {.source_ip = "10.1.2.3"}));
  EXPECT_FALSE(holds(R"({"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}})", {.source_ip = "11.1.2.3"}));
  EXPECT_FALSE(holds(R"({"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}})")) << "unknown";
  EXPECT_TRUE(holds(R"({"Bool":{"aws:SecureTransport":"true"}})", {.is_secure = true}));
  EXPECT_FALSE(holds(R"({"Bool":{"aws:SecureTransport":"true"}})", {.is_secure = false}));
  EXPECT_TRUE(holds(R"({"StringLike":{"aws:UserAgent":"Boto3/*"}})", {.user_agent = "Boto3/1.2"}));
  EXPECT_TRUE(holds(R"({"StringLike":{"aws:Referer":"https://a.example/*"}})", {.referer = "https://a.example/x"}));
  EXPECT_FALSE(holds(R"({"StringLike":{"aws:Referer":"https://a.example/*"}})", {.referer = "https://b.example/x"}));
  EXPECT_FALSE(holds(R"({"StringLike":{"aws:Referer":"https://a.example/*"}})"));
  EXPECT_TRUE(holds(R"({"StringEquals":{"aws:RequestedRegion":"eu-north-1"}})", {.requested_region = "eu-north-1"}));
  const int64_t noon = 1'700'000'000'000;  // 2023-11-14T22:13:20Z
  EXPECT_TRUE(holds(R"({"DateGreaterThan":{"aws:CurrentTime":"2023-11-14T22:13:19Z"}})", {.now_millis = noon}));
  EXPECT_FALSE(holds(R"({"DateLessThan":{"aws:CurrentTime":"2023-11-14T22:13:20Z"}})", {.now_millis = noon}));
  EXPECT_TRUE(holds(R"({"NumericEquals":{"aws:EpochTime":"1700000000"}})", {.now_millis = noon}));
  EXPECT_TRUE(holds(R"({"Null":{"aws:TokenIssueTime":"true","aws:MultiFactorAuthPresent":"true"}})"));
  EXPECT_TRUE(holds(R"({"Bool":{"aws:ViaAWSService":"false"}})"));
}

TEST_F(AuthorizerTest, EachPartitionKeyAttributeHasAConditionKeyOfItsOwn) {
  const Described keys{.leading_keys = {"k1"}, .further_keys = {{{"k2"}, {"k3"}, {"k4"}}}};
  const auto holds = [&](std::string_view key, std::string_view value) {
    Put("own", Conditional(fmt::format(
                   R"({{"ForAllValues:StringEquals":{{"dynamodb:{0}":["{1}"]}},"Null":{{"dynamodb:{0}":"false"}}}})",
                   key, value)));
    return AuthorizeBob(keys) == "ok";
  };
  constexpr std::array<std::string_view, 4> kKeys = {"FirstPartitionKeyValues", "SecondPartitionKeyValues",
                                                     "ThirdPartitionKeyValues", "FourthPartitionKeyValues"};
  for (size_t i = 0; i < kKeys.size(); ++i)
    for (size_t value = 1; value <= kKeys.size(); ++value)
      EXPECT_EQ(holds(kKeys[i], fmt::format("k{}", value)), value == i + 1) << kKeys[i] << " k" << value;
}

TEST_F(AuthorizerTest, WhatIsToldOfCapacityIsKnownToConditions) {
  Put("own", Conditional(R"({"StringEquals":{"dynamodb:ReturnConsumedCapacity":"NONE"}})"));
  EXPECT_EQ(AuthorizeBob({.return_consumed_capacity = "NONE"}), "ok");
  EXPECT_THAT(AuthorizeBob({.return_consumed_capacity = "TOTAL"}), StartsWith("AccessDenied"));
}

TEST_F(AuthorizerTest, ATagWithoutAValueIsAKeyOnly) {
  const auto holds = [&](std::string_view condition, const Described& described) {
    Put("own", Conditional(condition));
    return AuthorizeBob(described) == "ok";
  };
  const Described sets{.request_tags = {{"team", ""}}}, removes{.bare_tag_keys = {"team"}};
  EXPECT_TRUE(holds(R"({"StringEquals":{"aws:RequestTag/team":""}})", sets));
  EXPECT_FALSE(holds(R"({"StringEquals":{"aws:RequestTag/team":""}})", removes));
  EXPECT_TRUE(holds(R"({"Null":{"aws:RequestTag/team":"true"}})", removes));
  for (const Described& described : {sets, removes}) {
    EXPECT_TRUE(holds(R"({"ForAnyValue:StringEquals":{"aws:TagKeys":["team"]}})", described));
    EXPECT_FALSE(holds(R"({"ForAllValues:StringEquals":{"aws:TagKeys":["cost"]}})", described));
  }
}

TEST_F(AuthorizerTest, ASessionsFactsAreKnownToConditions) {
  AddRole(Conditional(R"({"StringEquals":{"idp.example.com:sub":"u1","aws:SourceIdentity":"bob"},
                          "Bool":{"aws:MultiFactorAuthPresent":"true"},
                          "NumericLessThan":{"aws:MultiFactorAuthAge":"300"},
                          "DateEquals":{"aws:TokenIssueTime":"2023-11-14T22:13:20Z"}})"));
  auto [session, token] = AssumeRole("r");
  auth::Circumstances now;
  now.now_millis = clock_.NowMillis();
  EXPECT_THAT(Authorize(*Who(session.access_key_id, token), "dynamodb:GetItem", {}, now), StartsWith("AccessDenied"));
  session.claims = {{"idp.example.com:sub", {"u1"}}};
  session.source_identity = "bob";
  session.mfa_millis = clock_.NowMillis() - 60'000;
  std::tie(session, token) = Issue(session);
  EXPECT_EQ(Authorize(*Who(session.access_key_id, token), "dynamodb:GetItem", {}, now), "ok");
  now.now_millis += 300'000;
  EXPECT_THAT(Authorize(*Who(session.access_key_id, token), "dynamodb:GetItem", {}, now), StartsWith("AccessDenied"))
      << "too long ago";
}

// --- services

class ServiceTrustTest : public AccessTest {
 protected:
  // Whether a role with such a statement lets DAX act as it, for a cluster of its account.
  bool Trusts(std::string_view statement, std::string_view service = "dax.amazonaws.com") {
    const std::string trust = fmt::format(R"({{"Version":"2012-10-17","Statement":[{}]}})", statement);
    const std::string name = fmt::format("r{}", ++roles_);
    EXPECT_EQ(Run([&](Draft& draft) -> IamResult<void> {
                ARMATURE_CHECK_OK(CreateRole(draft, kAccount, RoleNamed(name, trust)));
                return {};
              }),
              "ok");
    const auto role = directory_->Current()->FindAccount(kAccount)->roles.Find(name);
    return TrustsService(*role, fmt::format("arn:aws:iam::{}:role/{}", kAccount, name),
                         {.service = service,
                          .source_account = kAccount,
                          .source_arn = "arn:aws:dax:eu-north-1:111122223333:cache/books",
                          .now_millis = clock_.NowMillis()});
  }
  static std::string To(std::string_view principal, std::string_view more = "",
                        std::string_view action = "sts:AssumeRole") {
    return fmt::format(R"({{"Effect":"Allow","Principal":{},"Action":"{}"{}}})", principal, action, more);
  }

  int roles_ = 0;
};

constexpr std::string_view kToDax = R"({"Service":"dax.amazonaws.com"})";

TEST_F(ServiceTrustTest, TheTrustPolicyAloneDecides) {
  EXPECT_TRUE(Trusts(To(kToDax)));
  EXPECT_TRUE(Trusts(To(R"({"Service":["lambda.amazonaws.com","dax.amazonaws.com"]})", "", "sts:*")));
  EXPECT_FALSE(Trusts(To(kToDax), "lambda.amazonaws.com"));
  EXPECT_FALSE(Trusts(To(R"({"Service":"lambda.amazonaws.com"})")));
  EXPECT_FALSE(Trusts(To(kToDax, "", "sts:TagSession")));
  EXPECT_FALSE(Trusts(To(R"({"AWS":"111122223333"})"))) << "a service is of no account";
  EXPECT_FALSE(Trusts(To(kToDax) + R"(,{"Effect":"Deny","Principal":"*","Action":"sts:AssumeRole"})"));
}

TEST_F(ServiceTrustTest, ConditionsAskForWhomTheServiceActs) {
  const auto holds = [&](std::string_view condition) {
    return Trusts(To(kToDax, fmt::format(R"(,"Condition":{})", condition)));
  };
  EXPECT_TRUE(holds(R"({"StringEquals":{"aws:SourceAccount":"111122223333"}})"));
  EXPECT_FALSE(holds(R"({"StringEquals":{"aws:SourceAccount":"444455556666"}})"));
  EXPECT_TRUE(holds(R"({"ArnLike":{"aws:SourceArn":"arn:aws:dax:*:111122223333:cache/*"}})"));
  EXPECT_FALSE(holds(R"({"ArnLike":{"aws:SourceArn":"arn:aws:dax:*:111122223333:cache/others"}})"));
  EXPECT_TRUE(holds(R"({"Bool":{"aws:PrincipalIsAWSService":"true"}})"));
  EXPECT_TRUE(holds(R"({"DateGreaterThan":{"aws:CurrentTime":"2020-01-01T00:00:00Z"}})"));
  EXPECT_FALSE(holds(R"({"DateLessThan":{"aws:CurrentTime":"2020-01-01T00:00:00Z"}})"));
  EXPECT_FALSE(holds(R"({"StringEquals":{"sts:ExternalId":"x"}})"));
}

// --- threads

// A right that is taken away is gone on every thread when the change is answered.
TEST_F(AccessTest, EveryThreadSeesAChangeWithItsNextRequest) {
  ring();
  std::atomic<int> phase = 0;  // of four: changing, allowed, changing, denied
  std::atomic<bool> is_over = false;
  std::atomic<uint64_t> looks = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!is_over) {
        const int before = phase;
        const bool is_allowed = TryBob() == "ok";
        if (before % 2 == 0 || before != phase) continue;
        EXPECT_EQ(is_allowed, before % 4 == 1);
        ++looks;
      }
    });
  }
  const auto await_looks = [&] {
    ++phase;
    for (const uint64_t seen = looks; looks < seen + 10;) std::this_thread::yield();
    ++phase;
  };
  for (int i = 0; i < 100; ++i) {
    Put("own", Allow("dynamodb:*"));
    await_looks();
    Put("own", Deny("dynamodb:*"));
    await_looks();
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace armature::iam
