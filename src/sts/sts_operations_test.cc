// The operations of STS, as forms in and replies out, and what the sessions they give may do.
#include "sts/sts_operations.h"

#include <gmock/gmock.h>

#include "iam/access/authorize.h"
#include "iam_api/calls_testing.h"
#include "oidc/oidc_testing.h"

namespace armature::sts {
namespace {

using iam_api::CallsTest;
using iam_api::Element;
using iam_api::Form;
using iam_api::Who;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kRole = "arn:aws:iam::111122223333:role/p/r";
constexpr std::string_view kBob = "arn:aws:iam::111122223333:user/bob";

// A trust policy with what stands behind its principal: actions and conditions.
std::string TrustWith(std::string_view principal, std::string_view actions, std::string_view condition = {}) {
  const std::string limit = condition.empty() ? std::string() : fmt::format(R"(,"Condition":{})", condition);
  return fmt::format(R"({{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Principal":{},"Action":{}{}}}]}})",
                     principal, actions, limit);
}

class StsTest : public CallsTest {
 protected:
  StsTest() {
    AddOperations(operations_);
    AddOperations(operations_, sts_);
    EXPECT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
    key_id_ = Element(Call("Action=CreateAccessKey&UserName=bob"), "AccessKeyId");
  }

  void AddRole(const std::string& trust, std::string_view more = {}) {
    ASSERT_EQ(
        Try(fmt::format("Action=CreateRole&RoleName=r&Path=/p/&AssumeRolePolicyDocument={}{}", Form(trust), more)),
        "ok");
    ASSERT_EQ(Try("Action=PutRolePolicy&RoleName=r&PolicyName=in&PolicyDocument=" + Form(iam::Allow("dynamodb:*"))),
              "ok");
  }
  void AddTrustingRole() { AddRole(iam::Trust(kBob)); }
  void Allow(const std::string& document) {
    ASSERT_EQ(Try("Action=PutUserPolicy&UserName=bob&PolicyName=p&PolicyDocument=" + Form(document)), "ok");
  }
  static std::string Assume(std::string_view more = {}) {
    return fmt::format("Action=AssumeRole&RoleArn={}&RoleSessionName=s1{}", Form(kRole), more);
  }
  Who Bob() { return Holder(key_id_); }
  std::string CallAsBob(std::string_view form) { return Call(form, Bob(), key_id_); }
  std::string TryAsBob(std::string_view form) {
    const std::string reply = CallAsBob(form);
    return reply.starts_with("<") ? "ok" : reply;
  }
  // Whether a session may do something to a table.
  bool May(const Who& who, std::string_view action) {
    auth::Circumstances now;
    now.now_millis = clock_.NowMillis();
    return iam::Decide(*who, now, {.action = action, .resource = "arn:aws:dynamodb:us-east-1:111122223333:table/T"})
        .allowed();
  }

  std::string key_id_;
  oidc::TestIssuer issuer_{"k1", "ES256"};
  Status issuer_failure_;
  oidc::IssuerKeys issuers_{
      {{"https://i.example", "unused", {}}}, clock_, [this](const auto&, const auto&) -> Result<oidc::KeySet> {
        if (!issuer_failure_.ok()) return issuer_failure_;
        return oidc::KeySet::Read(issuer_.KeySetJson());
      }};
  StsService sts_{*directory_, issuers_};
};

const std::string kDenied =
    "AccessDenied: User: arn:aws:iam::111122223333:user/bob is not authorized to perform: sts:AssumeRole on resource: "
    "arn:aws:iam::111122223333:role/p/r";

// --- who calls

TEST_F(StsTest, EveryCallerLearnsWhoHeIs) {
  const std::string of_bob = CallAsBob("Action=GetCallerIdentity");
  EXPECT_EQ(Element(of_bob, "Arn"), kBob);
  EXPECT_EQ(Element(of_bob, "UserId"), FindUser("bob")->id);
  EXPECT_EQ(Element(of_bob, "Account"), "111122223333");
  AddTrustingRole();
  const std::string of_role = Call("Action=GetCallerIdentity", CallerIn(CallAsBob(Assume())));
  EXPECT_EQ(Element(of_role, "Arn"), "arn:aws:sts::111122223333:assumed-role/r/s1");
  EXPECT_THAT(Element(of_role, "UserId"), MatchesRegex("AROA[A-Z2-7]{17}:s1"));
  Allow(iam::Deny("*"));
  EXPECT_EQ(TryAsBob("Action=GetCallerIdentity"), "ok") << "no policy takes it away";
}

// --- AssumeRole

TEST_F(StsTest, ARoleIsAssumedByWhomItTrusts) {
  AddTrustingRole();
  const std::string reply = CallAsBob(Assume());
  EXPECT_THAT(Element(reply, "AccessKeyId"), MatchesRegex("ASIA[A-Z2-7]{16}"));
  EXPECT_EQ(Element(reply, "Expiration"), "2023-11-14T23:13:20Z");
  EXPECT_EQ(Element(Element(reply, "AssumedRoleUser"), "Arn"), "arn:aws:sts::111122223333:assumed-role/r/s1");
  EXPECT_THAT(reply, Not(HasSubstr("PackedPolicySize")));
  const Who session = CallerIn(reply);
  ASSERT_TRUE(session);
  EXPECT_TRUE(May(session, "dynamodb:GetItem"));
  EXPECT_FALSE(May(session, "s3:GetObject"));
}

TEST_F(StsTest, WhoIsNotTrustedLearnsNothing) {
  EXPECT_EQ(TryAsBob(Assume()), kDenied) << "there is no such role";
  AddRole(iam::Trust("arn:aws:iam::444455556666:root"));
  EXPECT_EQ(TryAsBob(Assume()), kDenied);
  EXPECT_EQ(TryAsBob("Action=AssumeRole&RoleSessionName=s1&RoleArn=" + Form(std::string(kBob))),
            "AccessDenied: User: arn:aws:iam::111122223333:user/bob is not authorized to perform: sts:AssumeRole on "
            "resource: "
            "arn:aws:iam::111122223333:user/bob");
  EXPECT_EQ(TryAsBob("Action=AssumeRole&RoleSessionName=s1&RoleArn=this-is-not-an-arn-at-all"),
            "ValidationError: this-is-not-an-arn-at-all is invalid");
}

TEST_F(StsTest, TrustInTheAccountLeavesItToTheAccountsOwnPolicies) {
  AddRole(iam::Trust("arn:aws:iam::111122223333:root"));
  EXPECT_EQ(TryAsBob(Assume()), kDenied);
  Allow(iam::Allow("sts:AssumeRole"));
  EXPECT_EQ(TryAsBob(Assume()), "ok");
}

TEST_F(StsTest, AcrossAccountsBothSidesMustAllow) {
  AddTrustingRole();
  const Who other_root = Root(iam::kOtherAccount);
  ASSERT_EQ(Try("Action=CreateUser&UserName=eve", other_root), "ok");
  const auto eve = [&] {
    const auto state = directory_->Current();
    return iam::IdentityOf(*state, *state->FindAccount(iam::kOtherAccount)->users.Find("eve"));
  };
  ASSERT_EQ(Try("Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=" +
                Form(iam::Trust("arn:aws:iam::444455556666:user/eve"))),
            "ok");
  EXPECT_THAT(Try(Assume(), eve()), StartsWith("AccessDenied")) << "her own account does not let her";
  ASSERT_EQ(Try("Action=PutUserPolicy&UserName=eve&PolicyName=p&PolicyDocument=" + Form(iam::Allow("sts:AssumeRole")),
                other_root),
            "ok");
  EXPECT_EQ(Try(Assume(), eve()), "ok");
}

TEST_F(StsTest, TheRootAssumesNoRoles) {
  AddTrustingRole();
  EXPECT_EQ(Try(Assume()), "AccessDenied: Roles may not be assumed by root accounts.");
}

TEST_F(StsTest, AnExternalIdMustFit) {
  AddRole(TrustWith(R"({"AWS":"arn:aws:iam::111122223333:user/bob"})", R"("sts:AssumeRole")",
                    R"({"StringEquals":{"sts:ExternalId":"secret-7"}})"));
  EXPECT_EQ(TryAsBob(Assume()), kDenied);
  EXPECT_EQ(TryAsBob(Assume("&ExternalId=wrong")), kDenied);
  EXPECT_EQ(TryAsBob(Assume("&ExternalId=secret-7")), "ok");
}

TEST_F(StsTest, DurationsHaveLimits) {
  AddRole(iam::Trust(kBob), "&MaxSessionDuration=7200");
  EXPECT_EQ(TryAsBob(Assume("&DurationSeconds=7200")), "ok");
  EXPECT_EQ(TryAsBob(Assume("&DurationSeconds=7201")),
            "ValidationError: The requested DurationSeconds exceeds the MaxSessionDuration set for this role.");
  EXPECT_THAT(TryAsBob(Assume("&DurationSeconds=899")), HasSubstr("greater than or equal to 900"));
  const std::string token = CallAsBob("Action=GetSessionToken");
  EXPECT_EQ(Try(Assume("&DurationSeconds=3601"), CallerIn(token)),
            "ValidationError: The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role "
            "chaining.");
  EXPECT_EQ(Try(Assume("&DurationSeconds=3600"), CallerIn(token)), "ok");
}

TEST_F(StsTest, SessionPoliciesBindTheSession) {
  AddTrustingRole();
  const std::string reply = CallAsBob(Assume("&Policy=" + Form(iam::Allow("dynamodb:GetItem"))));
  EXPECT_THAT(Element(reply, "PackedPolicySize"), MatchesRegex("[0-9]+"));
  EXPECT_TRUE(May(CallerIn(reply), "dynamodb:GetItem"));
  EXPECT_FALSE(May(CallerIn(reply), "dynamodb:PutItem"));
  const Who read_only =
      CallerIn(CallAsBob(Assume("&PolicyArns.member.1.arn=arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess")));
  EXPECT_TRUE(May(read_only, "dynamodb:GetItem"));
  EXPECT_FALSE(May(read_only, "dynamodb:PutItem"));
  EXPECT_THAT(TryAsBob(Assume("&Policy=nonsense")), StartsWith("MalformedPolicyDocument"));
  EXPECT_THAT(TryAsBob(Assume("&Policy=" + Form(iam::Allow(std::string(2100, 'a'))))), StartsWith("ValidationError"));
  EXPECT_THAT(TryAsBob(Assume("&PolicyArns.member.1.arn=arn:aws:iam::111122223333:policy/none")),
              StartsWith("ValidationError"));
}

TEST_F(StsTest, SessionTagsNeedTheirOwnPermission) {
  AddTrustingRole();
  const std::string tagged = Assume("&Tags.member.1.Key=team&Tags.member.1.Value=red");
  EXPECT_THAT(TryAsBob(tagged), HasSubstr("sts:TagSession"));
  ASSERT_EQ(
      Try("Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=" +
          Form(TrustWith(R"({"AWS":"arn:aws:iam::111122223333:user/bob"})", R"(["sts:AssumeRole","sts:TagSession"])",
                         R"({"StringEqualsIfExists":{"aws:RequestTag/team":"red"}})"))),
      "ok");
  const std::string reply = CallAsBob(tagged);
  ASSERT_TRUE(CallerIn(reply)) << reply;
  EXPECT_EQ(CallerIn(reply)->tags.front().value, "red");
  EXPECT_THAT(reply, HasSubstr("<PackedPolicySize>"));
  EXPECT_EQ(TryAsBob(Assume("&Tags.member.1.Key=team&Tags.member.1.Value=blue")), kDenied);
}

TEST_F(StsTest, TagsThatDoNotFitAreRefused) {
  AddTrustingRole();
  EXPECT_EQ(TryAsBob(Assume("&Tags.member.1.Key=k&Tags.member.1.Value=1&Tags.member.2.Key=K&Tags.member.2.Value=2")),
            "InvalidParameterValue: Duplicate tag keys found. Please note that Tag keys are case insensitive.");
  EXPECT_EQ(TryAsBob(Assume("&Tags.member.1.Key=k&Tags.member.1.Value=1&TransitiveTagKeys.member.1=other")),
            "InvalidParameterValue: The specified transitive tag key must be included in the requested tags.");
}

TEST_F(StsTest, TheRequestedSourceIdentityIsWhatTheTrustPolicyIsAskedAbout) {
  AddRole(TrustWith(R"({"AWS":"arn:aws:iam::111122223333:user/bob"})", R"(["sts:AssumeRole","sts:SetSourceIdentity"])",
                    R"({"StringEquals":{"sts:SourceIdentity":"${aws:username}"}})"));
  EXPECT_EQ(TryAsBob(Assume("&SourceIdentity=bob")), "ok");
  EXPECT_EQ(TryAsBob(Assume("&SourceIdentity=eve")), kDenied);
  EXPECT_EQ(TryAsBob(Assume()), kDenied) << "none is asked for";
}

TEST_F(StsTest, TheRequestsOwnKeysAreKnownToTheTrustPolicy) {
  const auto holds = [&](std::string_view condition, std::string_view more = {}) {
    EXPECT_EQ(Try("Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=" +
                  Form(TrustWith(R"({"AWS":"arn:aws:iam::111122223333:user/bob"})",
                                 R"(["sts:AssumeRole","sts:TagSession"])", condition))),
              "ok");
    return TryAsBob(Assume(more)) == "ok";
  };
  AddTrustingRole();
  EXPECT_TRUE(holds(R"({"StringLike":{"sts:RoleSessionName":"s?"}})"));
  EXPECT_FALSE(holds(R"({"StringLike":{"sts:RoleSessionName":"${aws:username}-*"}})"));
  constexpr std::string_view kShort = R"({"NumericLessThanEquals":{"sts:DurationSeconds":"1800"}})";
  EXPECT_TRUE(holds(kShort, "&DurationSeconds=1800"));
  EXPECT_FALSE(holds(kShort, "&DurationSeconds=1801"));
  EXPECT_FALSE(holds(kShort)) << "none is asked for";
  constexpr std::string_view kTeam = R"({"ForAllValues:StringEquals":{"sts:TransitiveTagKeys":["team"]},)"
                                     R"("Null":{"sts:TransitiveTagKeys":"false"}})";
  constexpr std::string_view kTags =
      "&Tags.member.1.Key=team&Tags.member.1.Value=red&Tags.member.2.Key=x"
      "&Tags.member.2.Value=1&TransitiveTagKeys.member.1=";
  EXPECT_TRUE(holds(kTeam, std::string(kTags) + "team"));
  EXPECT_FALSE(holds(kTeam, std::string(kTags) + "x"));
  EXPECT_FALSE(holds(kTeam));
}

TEST_F(StsTest, TransitiveTagsAndTheSourceIdentityPassDownAChain) {
  AddRole(TrustWith(R"({"AWS":["arn:aws:iam::111122223333:user/bob","arn:aws:iam::111122223333:root"]})",
                    R"(["sts:AssumeRole","sts:TagSession","sts:SetSourceIdentity"])"));
  ASSERT_EQ(Try("Action=PutRolePolicy&RoleName=r&PolicyName=chain&PolicyDocument=" + Form(iam::Allow("sts:*"))), "ok");
  const std::string first =
      CallAsBob(Assume("&SourceIdentity=bob&Tags.member.1.Key=team&Tags.member.1.Value=red&Tags.member.2.Key=x"
                       "&Tags.member.2.Value=1&TransitiveTagKeys.member.1=team"));
  EXPECT_EQ(Element(first, "SourceIdentity"), "bob");
  const Who chained = CallerIn(first);
  ASSERT_TRUE(chained) << first;
  const std::string second = Call(Assume(), chained);
  const Who last = CallerIn(second);
  ASSERT_TRUE(last) << second;
  ASSERT_EQ(last->tags.size(), 1U);
  EXPECT_EQ(last->tags.front().key, "team");
  EXPECT_EQ(last->session->source_identity, "bob");
  EXPECT_EQ(Try(Assume("&Tags.member.1.Key=Team&Tags.member.1.Value=blue"), chained),
            "InvalidParameterValue: One of the specified transitive tag keys can't be set because it conflicts with a "
            "transitive tag key from the calling session.");
  EXPECT_THAT(Try(Assume("&SourceIdentity=eve"), chained), HasSubstr("sts:SetSourceIdentity"));
}

TEST_F(StsTest, WhatBecomesOfTheRoleBecomesOfItsSessions) {
  AddTrustingRole();
  const std::string reply = CallAsBob(Assume());
  ASSERT_EQ(Try("Action=DeleteRolePolicy&RoleName=r&PolicyName=in"), "ok");
  EXPECT_FALSE(May(CallerIn(reply), "dynamodb:GetItem"));
  ASSERT_EQ(Try("Action=DeleteRole&RoleName=r"), "ok");
  EXPECT_EQ(CallerIn(reply), nullptr);
}

// --- GetSessionToken, GetFederationToken

TEST_F(StsTest, ASessionOfAUserIsTheUserButNotToIam) {
  Allow(iam::Allow("*"));
  const std::string reply = CallAsBob("Action=GetSessionToken");
  EXPECT_EQ(Element(reply, "Expiration"), "2023-11-15T10:13:20Z");
  const Who session = CallerIn(reply);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->arn, kBob);
  EXPECT_TRUE(May(session, "dynamodb:GetItem"));
  EXPECT_EQ(Try("Action=ListUsers", session),
            "InvalidClientTokenId: The security token included in the request is invalid");
  EXPECT_EQ(Try("Action=GetSessionToken", session),
            "AccessDenied: Cannot call GetSessionToken with session credentials");
  EXPECT_EQ(Try("Action=GetFederationToken&Name=guest", session),
            "AccessDenied: Cannot call GetFederationToken with session credentials");
  EXPECT_THAT(Try("Action=GetAccessKeyInfo&AccessKeyId=" + key_id_, session), StartsWith("AccessDenied"));
  EXPECT_EQ(Try("Action=GetCallerIdentity", session), "ok");
  ASSERT_EQ(Try("Action=DeleteAccessKey&UserName=bob&AccessKeyId=" + key_id_), "ok");
  EXPECT_EQ(CallerIn(reply), nullptr) << "the session ends with the key that asked for it";
}

TEST_F(StsTest, AFederatedUserHasWhatBothTheUserAndThePassedPoliciesAllow) {
  EXPECT_THAT(TryAsBob("Action=GetFederationToken&Name=guest"), StartsWith("AccessDenied"));
  Allow(
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["sts:*","dynamodb:GetItem","dynamodb:PutItem"],"Resource":"*"}]})");
  const std::string bare = CallAsBob("Action=GetFederationToken&Name=guest");
  EXPECT_EQ(Element(bare, "FederatedUserId"), "111122223333:guest");
  EXPECT_EQ(Element(Element(bare, "FederatedUser"), "Arn"), "arn:aws:sts::111122223333:federated-user/guest");
  EXPECT_EQ(Element(bare, "PackedPolicySize"), "0");
  EXPECT_FALSE(May(CallerIn(bare), "dynamodb:GetItem")) << "without a policy there is nothing";
  const Who guest =
      CallerIn(CallAsBob("Action=GetFederationToken&Name=guest&Policy=" + Form(iam::Allow("dynamodb:*"))));
  EXPECT_TRUE(May(guest, "dynamodb:GetItem"));
  EXPECT_FALSE(May(guest, "dynamodb:Scan"));
  EXPECT_THAT(Try("Action=ListUsers", guest), StartsWith("InvalidClientTokenId"));
  AddTrustingRole();
  EXPECT_THAT(Try(Assume(), guest), StartsWith("AccessDenied"));
}

TEST_F(StsTest, NobodyHasAFactor) {
  EXPECT_THAT(TryAsBob("Action=GetSessionToken&SerialNumber=arn:aws:iam::111122223333:mfa/bob&TokenCode=123456"),
              StartsWith("AccessDenied: MultiFactorAuthentication failed"));
}

// --- the others

TEST_F(StsTest, TheAccountOfAKey) {
  EXPECT_THAT(TryAsBob("Action=GetAccessKeyInfo&AccessKeyId=" + key_id_), StartsWith("AccessDenied"));
  EXPECT_EQ(Element(Call("Action=GetAccessKeyInfo&AccessKeyId=" + key_id_), "Account"), "111122223333");
  ASSERT_EQ(Try("Action=DeleteAccessKey&UserName=bob&AccessKeyId=" + key_id_), "ok");
  EXPECT_EQ(Element(Call("Action=GetAccessKeyInfo&AccessKeyId=" + key_id_), "Account"), "111122223333")
      << "gone or not";
  EXPECT_THAT(Try("Action=GetAccessKeyInfo&AccessKeyId=AAAAAAAAAAAAAAAAA"), StartsWith("ValidationError"));
}

TEST_F(StsTest, NothingHereIsAnEncodedMessage) {
  EXPECT_EQ(Try("Action=DecodeAuthorizationMessage&EncodedMessage=abc"),
            "InvalidAuthorizationMessageException: Message is not valid");
  EXPECT_THAT(TryAsBob("Action=DecodeAuthorizationMessage&EncodedMessage=abc"), StartsWith("AccessDenied"));
}

// --- web identities

class WebIdentityTest : public StsTest {
 protected:
  WebIdentityTest() {
    EXPECT_EQ(Try("Action=CreateOpenIDConnectProvider&Url=https://i.example&ClientIDList.member.1=app"), "ok");
    AddRole(TrustWith(R"({"Federated":"arn:aws:iam::111122223333:oidc-provider/i.example"})",
                      R"("sts:AssumeRoleWithWebIdentity")", R"({"StringEquals":{"i.example:aud":"app"}})"));
  }
  // A token of bob's, with claims in the place of the ordinary ones or behind them.
  std::string Token(std::string_view more = {}, std::string_view audience = "\"app\"") const {
    const int64_t now = clock_.NowMillis() / 1000;
    return issuer_.Sign(fmt::format(R"({{"iss":"https://i.example","sub":"bob-7","aud":{},"exp":{},"iat":{}{}}})",
                                    audience, now + 600, now, more));
  }
  std::string CallWith(const std::string& token, std::string_view more = {}) {
    return Call(fmt::format("Action=AssumeRoleWithWebIdentity&RoleArn={}&RoleSessionName=web&WebIdentityToken={}{}",
                            Form(kRole), Form(token), more),
                nullptr);
  }
};

TEST_F(WebIdentityTest, EachUserHasHisOwnItems) {
  const std::string own =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/${i.example:sub}"}]})";
  ASSERT_EQ(Try("Action=PutRolePolicy&RoleName=r&PolicyName=own&PolicyDocument=" + Form(own)), "ok");
  const std::string reply = CallWith(Token());
  EXPECT_EQ(Element(reply, "SubjectFromWebIdentityToken"), "bob-7");
  EXPECT_EQ(Element(reply, "Audience"), "app");
  EXPECT_EQ(Element(reply, "Provider"), "https://i.example");
  const Who session = CallerIn(reply);
  ASSERT_TRUE(session) << reply;
  EXPECT_EQ(session->arn, "arn:aws:sts::111122223333:assumed-role/r/web");
  EXPECT_EQ(session->session->federated_provider, "arn:aws:iam::111122223333:oidc-provider/i.example");
  EXPECT_TRUE(iam::Decide(*session, {}, {.action = "s3:GetObject", .resource = "arn:aws:s3:::b/bob-7"}).allowed());
  EXPECT_FALSE(iam::Decide(*session, {}, {.action = "s3:GetObject", .resource = "arn:aws:s3:::b/eve-8"}).allowed());
}

// As some issuers write themselves, and as they are then configured.
TEST_F(WebIdentityTest, AnIssuerMayEndWithASlash) {
  const oidc::IssuerKeys::ReadSource read = [this](const auto&, const auto&) {
    return oidc::KeySet::Read(issuer_.KeySetJson());
  };
  oidc::IssuerKeys issuers({{"https://i.example/", "unused", {}}}, clock_, read);
  StsService sts{*directory_, issuers};
  query::QueryOperations operations;
  AddOperations(operations, sts);
  operations_ = std::move(operations);
  const int64_t now = clock_.NowMillis() / 1000;
  const std::string reply = CallWith(issuer_.Sign(
      fmt::format(R"({{"iss":"https://i.example/","sub":"bob-7","aud":"app","exp":{},"iat":{}}})", now + 600, now)));
  EXPECT_EQ(Element(reply, "Provider"), "https://i.example/") << reply;
}

TEST_F(WebIdentityTest, WhoIsNotBelievedIsToldWhy) {
  const int64_t now = clock_.NowMillis() / 1000;
  EXPECT_THAT(CallWith("nonsense"), StartsWith("InvalidIdentityToken: The ID Token provided is not a valid JWT."));
  EXPECT_EQ(CallWith(issuer_.Sign(
                fmt::format(R"({{"iss":"https://o.example","sub":"b","aud":"app","exp":{0},"iat":{0}}})", now))),
            "InvalidIdentityToken: No OpenIDConnect provider found in your account for https://o.example");
  EXPECT_THAT(CallWith(oidc::TestIssuer("k1", "ES256")
                           .Sign(fmt::format(R"({{"iss":"https://i.example","sub":"b","aud":"app","exp":{},"iat":{}}})",
                                             now + 60, now))),
              StartsWith("InvalidIdentityToken: Couldn't retrieve verification key"));
  EXPECT_EQ(CallWith(issuer_.Sign(fmt::format(
                R"({{"iss":"https://i.example","sub":"b","aud":"app","exp":{},"iat":{}}})", now - 5, now - 60))),
            fmt::format(
                "ExpiredTokenException: Token expired: current date/time {} must be before the expiration date/time {}",
                now, now - 5));
  EXPECT_EQ(CallWith(Token({}, R"("other")")), "InvalidIdentityToken: Incorrect token audience");
  EXPECT_EQ(CallWith(Token(R"(,"azp":"other")")), "InvalidIdentityToken: Incorrect token audience");
  EXPECT_EQ(CallWith(issuer_.Sign(R"({"iss":"https://i.example","sub":"b"})")),
            "InvalidIdentityToken: Missing a required claim: aud");
}

TEST_F(WebIdentityTest, TheTrustPolicyDecides) {
  ASSERT_EQ(Try("Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=" +
                Form(TrustWith(R"({"Federated":"arn:aws:iam::111122223333:oidc-provider/i.example"})",
                               R"("sts:AssumeRoleWithWebIdentity")", R"({"StringEquals":{"i.example:sub":"eve-8"}})"))),
            "ok");
  EXPECT_EQ(CallWith(Token()), "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity");
  ASSERT_EQ(Try("Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=" + Form(iam::Trust(kBob))), "ok");
  EXPECT_EQ(CallWith(Token()), "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity");
}

TEST_F(WebIdentityTest, TagsOfTheTokenNeedTheTrustPolicysLeave) {
  constexpr std::string_view kTags = R"(,"https://aws.amazon.com/tags":{"principal_tags":{"team":["red"]}})";
  EXPECT_EQ(CallWith(Token(kTags)), "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity");
  ASSERT_EQ(Try("Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=" +
                Form(TrustWith(R"({"Federated":"arn:aws:iam::111122223333:oidc-provider/i.example"})",
                               R"(["sts:AssumeRoleWithWebIdentity","sts:TagSession"])"))),
            "ok");
  const Who session = CallerIn(CallWith(Token(kTags)));
  ASSERT_TRUE(session);
  EXPECT_EQ(session->tags.front().value, "red");
}

TEST_F(WebIdentityTest, TheTokensSourceIdentityIsWhatTheTrustPolicyIsAskedAbout) {
  ASSERT_EQ(Try("Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=" +
                Form(TrustWith(R"({"Federated":"arn:aws:iam::111122223333:oidc-provider/i.example"})",
                               R"(["sts:AssumeRoleWithWebIdentity","sts:SetSourceIdentity"])",
                               R"({"StringEquals":{"sts:SourceIdentity":"bob"}})"))),
            "ok");
  const Who session = CallerIn(CallWith(Token(R"(,"https://aws.amazon.com/source_identity":"bob")")));
  ASSERT_TRUE(session);
  EXPECT_EQ(session->session->source_identity, "bob");
  constexpr std::string_view kDeniedHim = "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity";
  EXPECT_EQ(CallWith(Token(R"(,"https://aws.amazon.com/source_identity":"eve")")), kDeniedHim);
  EXPECT_EQ(CallWith(Token()), kDeniedHim);
}

TEST_F(WebIdentityTest, TheProviderIsKnownToTheTrustPolicyAndToTheSessionsPolicies) {
  const auto trust = [&](std::string_view provider) {
    return Try("Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=" +
               Form(TrustWith(R"({"Federated":"arn:aws:iam::111122223333:oidc-provider/i.example"})",
                              R"("sts:AssumeRoleWithWebIdentity")",
                              fmt::format(R"({{"StringEquals":{{"aws:FederatedProvider":"{}"}}}})", provider))));
  };
  ASSERT_EQ(trust("arn:aws:iam::111122223333:oidc-provider/other.example"), "ok");
  EXPECT_THAT(CallWith(Token()), StartsWith("AccessDenied"));
  ASSERT_EQ(trust("arn:aws:iam::111122223333:oidc-provider/i.example"), "ok");
  const Who session = CallerIn(CallWith(Token()));
  ASSERT_TRUE(session);
  EXPECT_TRUE(May(session, "dynamodb:GetItem"));
  ASSERT_EQ(Try("Action=PutRolePolicy&RoleName=r&PolicyName=not&PolicyDocument=" +
                Form(R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"*","Resource":"*","Condition":)"
                     R"({"StringEquals":{"aws:FederatedProvider":)"
                     R"("arn:aws:iam::111122223333:oidc-provider/i.example"}}}]})")),
            "ok");
  EXPECT_FALSE(May(CallerIn(CallWith(Token())), "dynamodb:GetItem"));
}

TEST_F(WebIdentityTest, AnIssuerThatCannotBeReached) {
  issuer_failure_ = Status::Unavailable("down");
  EXPECT_THAT(CallWith(Token()), StartsWith("IDPCommunicationError"));
}

}  // namespace
}  // namespace armature::sts
