// Which statements are about which requests: actions, resources with variables, principals.
#include "policy/statement.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "policy/testing/policy_testing.h"

namespace armature::policy {
namespace {

bool IsAllowed(const std::shared_ptr<const Policy>& policy, std::string_view action, std::string_view resource,
               const TestConditions& conditions = {}, const Principal& principal = kBob) {
  return Evaluate(Request{action, resource, {}, principal, conditions}, {.identity = {&policy, 1}}).allowed();
}
bool AllowsAction(const std::string& element, std::string_view action) {
  return IsAllowed(MakeStatements("{'Effect':'Allow'," + element + ",'Resource':'*'}"), action, kTableArn);
}
// Of an identity policy with this Resource element.
bool AllowsResource(const std::string& element, std::string_view resource, const TestConditions& conditions = {},
                    const Principal& principal = kBob) {
  return IsAllowed(MakeStatements("{'Effect':'Allow','Action':'*'," + element + "}"), "dynamodb:GetItem", resource,
                   conditions, principal);
}
bool AllowsArn(const std::string& pattern, std::string_view resource) {
  return AllowsResource("'Resource':'" + pattern + "'", resource);
}

// --- actions

TEST(Statement, Actions) {
  EXPECT_TRUE(AllowsAction("'Action':'DYNAMODB:getitem'", "dynamodb:GetItem"));
  EXPECT_TRUE(AllowsAction("'Action':['dynamodb:PutItem','dynamodb:Get*']", "dynamodb:GetItem"));
  EXPECT_FALSE(AllowsAction("'Action':['dynamodb:PutItem','dynamodb:Batch*']", "dynamodb:GetItem"));
  EXPECT_FALSE(AllowsAction("'Action':'s3:*'", "dynamodb:GetItem"));
}

TEST(Statement, NotActionIsAllOthers) {
  EXPECT_FALSE(AllowsAction("'NotAction':['iam:*','dynamodb:Delete*']", "dynamodb:DeleteTable"));
  EXPECT_TRUE(AllowsAction("'NotAction':['iam:*','dynamodb:Delete*']", "dynamodb:GetItem"));
}

TEST(Statement, ActionsOfAnyLengthCanBeAskedFor) {
  const std::string action = "dynamodb:" + std::string(500, 'A');
  EXPECT_TRUE(AllowsAction("'Action':'dynamodb:" + std::string(500, 'a') + "'", action));
  EXPECT_FALSE(AllowsAction("'Action':'dynamodb:" + std::string(499, 'a') + "'", action));
}

// --- resources

TEST(Statement, ResourcesAreGlobsWithTheirCase) {
  EXPECT_TRUE(AllowsArn("*", kTableArn));
  EXPECT_TRUE(AllowsArn(std::string(kTableArn), kTableArn));
  EXPECT_FALSE(AllowsArn("arn:aws:dynamodb:us-east-1:111122223333:table/games", kTableArn));
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb:*:*:table/Ga?es", kTableArn));
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb:us-*:111122223333:table/*", kTableArn));
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb:us-*-1:111122223333:table/*", kTableArn));
}

TEST(Statement, ATableIsNotItsIndexes) {
  const std::string index = std::string(kTableArn) + "/index/ByTitle";
  EXPECT_FALSE(AllowsArn(std::string(kTableArn), index));
  EXPECT_TRUE(AllowsArn(std::string(kTableArn) + "*", index));
  EXPECT_TRUE(AllowsArn(std::string(kTableArn) + "/index/*", index));
  EXPECT_FALSE(AllowsArn(std::string(kTableArn) + "/index/*", kTableArn));
}

TEST(Statement, AStarAtTheEndOfAPartReachesBeyondIt) {
  const std::string stream = std::string(kTableArn) + "/stream/2026-11-18T11:30:00.000";
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb:*", stream));
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb:us*:table/Games/stream/2026-11-18T11:30:00.000", stream));
  EXPECT_FALSE(AllowsArn("arn:aws:dynamodb:us*3:table/Games/stream/2026-11-18T11:30:00.000", stream));
  EXPECT_FALSE(AllowsArn("arn:aws:dynamodb:us-east-1?111122223333:table/Games/stream/2026-11-18T11:30:00.000", stream));
  // In the last part colons are characters like any other.
  EXPECT_TRUE(AllowsArn(std::string(kTableArn) + "/stream/2026*0.000", stream));
  EXPECT_TRUE(AllowsArn(std::string(kTableArn) + "/stream/2026-11-18T11?30*", stream));
}

TEST(Statement, MissingPartsMayBeAnything) {
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb", kTableArn));
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb:us-east-1", kTableArn));
  EXPECT_FALSE(AllowsArn("arn:aws:dynamodb:us-west-2", kTableArn));
  EXPECT_FALSE(AllowsArn("arn:aws:dyn", kTableArn));
}

TEST(Statement, WhatHasNoResourceIsGrantedByTheStarOnly) {
  EXPECT_TRUE(AllowsArn("*", "*"));
  EXPECT_FALSE(AllowsArn("arn:aws:dynamodb:*:*:*", "*"));
  EXPECT_FALSE(AllowsArn("arn:aws:dynamodb:*:*:table/*", "*"));
}

TEST(Statement, NotResourceIsAllOthers) {
  EXPECT_FALSE(AllowsResource("'NotResource':'arn:aws:dynamodb:*:*:table/Games'", kTableArn));
  EXPECT_TRUE(AllowsResource("'NotResource':'arn:aws:dynamodb:*:*:table/Other'", kTableArn));
}

// --- variables

constexpr std::string_view kBobsTable = "arn:aws:dynamodb:us-east-1:111122223333:table/bob-data";

TEST(Statement, VariablesStandForTheRequestsValues) {
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb:*:*:table/${aws:username}-*", kBobsTable));
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb:*:*:table/${AWS:UserName}-data", kBobsTable));
  EXPECT_FALSE(AllowsArn("arn:aws:dynamodb:*:*:table/${aws:userid}-*", kBobsTable));
  EXPECT_TRUE(AllowsResource("'Resource':'arn:aws:dynamodb:*:*:table/${accounts.example.com:sub}-data'", kBobsTable,
                             {{"accounts.example.com:sub", {"bob"}}}));
}

TEST(Statement, AVariableWithoutAValueHasItsDefaultOrMatchesNothing) {
  const std::string plain = "'Resource':'arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/who}-data'";
  const std::string with_default = "'Resource':'arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/who, ~bob~}-data'";
  EXPECT_FALSE(AllowsResource(plain, kBobsTable));
  EXPECT_TRUE(AllowsResource(with_default, kBobsTable));
  EXPECT_FALSE(AllowsResource(with_default, kBobsTable, {{"aws:PrincipalTag/who", {"eve"}}}));
  EXPECT_TRUE(AllowsResource(plain, kBobsTable, {{"aws:PrincipalTag/WHO", {"bob"}}}));
  EXPECT_FALSE(AllowsResource("'Resource':'arn:aws:dynamodb:*:*:table/${aws:username}-*'", kBobsTable, {}, kSession));
}

TEST(Statement, WhatIsPutInIsLiteral) {
  const TestConditions star = {{"aws:PrincipalTag/who", {"*"}}};
  const std::string resource = "'Resource':'arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/who}'";
  EXPECT_FALSE(AllowsResource(resource, kBobsTable, star));
  EXPECT_TRUE(AllowsResource(resource, "arn:aws:dynamodb:us-east-1:111122223333:table/*", star));
  EXPECT_FALSE(AllowsResource(resource, kBobsTable, {{"aws:PrincipalTag/who", {"${aws:username}-data"}}}));
}

TEST(Statement, LiteralsOfSpecialCharacters) {
  constexpr std::string_view kOdd = "arn:aws:dynamodb:us-east-1:111122223333:table/*?$";
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb:*:*:table/${*}${?}${$}", kOdd));
  EXPECT_FALSE(AllowsArn("arn:aws:dynamodb:*:*:table/${*}", kBobsTable));
  EXPECT_TRUE(AllowsArn("arn:aws:dynamodb:*:*:table/${", "arn:aws:dynamodb:us-east-1:1:table/${"));
}

// Each of them looks for its end.
TEST(Statement, VariablesThatNeverEndTakeNoTime) {
  std::string open;
  for (int i = 0; i < 50000; ++i) open += "${";
  const std::string table = "arn:aws:dynamodb:us-east-1:1:table/" + open;
  EXPECT_TRUE(AllowsArn(table, table));
}

TEST(Statement, OnlyKeysOfOneValueCanBeVariables) {
  const std::string resource = "'Resource':'arn:aws:dynamodb:*:*:table/${dynamodb:LeadingKeys}-data'";
  EXPECT_FALSE(AllowsResource(resource, kBobsTable, {{"dynamodb:LeadingKeys", {"bob"}}}));
  EXPECT_FALSE(
      AllowsResource("'Resource':'arn:aws:dynamodb:*:*:table/${t:k}-data'", kBobsTable, {{"t:k", {"bob", "eve"}}}));
}

TEST(Statement, VariablesStandInTheSixthPartOnly) {
  EXPECT_FALSE(
      AllowsResource("'Resource':'arn:aws:dynamodb:${t:region}:*:table/*'", kBobsTable, {{"t:region", {"us-east-1"}}}));
}

TEST(Statement, TheOldVersionKnowsNoVariables) {
  const auto policy = Make(
      "{'Version':'2008-10-17','Statement':{'Effect':'Allow','Principal':'*','Action':'*','Resource':"
      "'arn:aws:dynamodb:*:*:table/${aws:username}-*'}}",
      PolicyKind::kResource);
  const TestConditions none;
  const auto allows = [&](std::string_view resource) {
    return Evaluate(Request{"dynamodb:GetItem", resource, {}, kBob, none}, {.resource = policy.get()}).allowed();
  };
  EXPECT_FALSE(allows(kBobsTable));
  EXPECT_TRUE(allows("arn:aws:dynamodb:us-east-1:111122223333:table/${aws:username}-data"));
}

// It is not known what is excepted: an Allow grants nothing, a Deny takes everything.
TEST(Statement, NotResourceWithAVariableWithoutAValueIsAgainstTheCaller) {
  const std::string excepted = "'NotResource':'arn:aws:dynamodb:*:*:table/${t:absent}'";
  EXPECT_FALSE(AllowsResource(excepted, kBobsTable));
  const auto denying =
      MakeStatements("{'Effect':'Allow','Action':'*','Resource':'*'},{'Effect':'Deny','Action':'*'," + excepted + "}");
  EXPECT_FALSE(IsAllowed(denying, "dynamodb:GetItem", kBobsTable));
  EXPECT_TRUE(IsAllowed(denying, "dynamodb:GetItem", kBobsTable, {{"t:absent", {"bob-data"}}}));
}

// --- condition keys are looked up late

TEST(Statement, ConditionKeysAreMadeForStatementsThatOtherwiseMatchOnly) {
  const auto policy = MakeStatements(
      "{'Effect':'Allow','Action':'dynamodb:PutItem','Resource':'*','Condition':{'StringEquals':{'dynamodb:LeadingKeys'"
      ":'a'}}},"
      "{'Effect':'Allow','Action':'*','Resource':'arn:aws:dynamodb:*:*:table/"
      "Other','Condition':{'StringEquals':{'dynamodb:LeadingKeys':'a'}}},"
      "{'Effect':'Allow','Action':'dynamodb:GetItem','Resource':'*'}");
  const TestConditions conditions = {{"dynamodb:LeadingKeys", {"a"}}};
  EXPECT_TRUE(IsAllowed(policy, "dynamodb:GetItem", kTableArn, conditions));
  EXPECT_EQ(conditions.asked("dynamodb:LeadingKeys"), 0);
  EXPECT_TRUE(IsAllowed(policy, "dynamodb:PutItem", kTableArn, conditions));
  EXPECT_EQ(conditions.asked("dynamodb:LeadingKeys"), 1);
}

TEST(Statement, ThePrincipalAnswersForItself) {
  const auto holds = [](const std::string& key, const std::string& value, const Principal& principal) {
    const auto policy = MakeStatements("{'Effect':'Allow','Action':'*','Resource':'*','Condition':{'StringEquals':{'" +
                                       key + "':'" + value + "'}}}");
    const TestConditions forged = {{key, {"forged"}}};
    const auto session = MakeStatements("{'Effect':'Allow','Action':'*','Resource':'*'}");
    return Evaluate(Request{"a:b", "*", {}, principal, forged}, {.identity = {&policy, 1}, .session = {&session, 1}})
        .allowed();
  };
  EXPECT_TRUE(holds("aws:PrincipalArn", "arn:aws:iam::111122223333:user/bob", kBob));
  EXPECT_TRUE(holds("aws:PrincipalArn", "arn:aws:iam::111122223333:role/team/Reader", kSession));
  EXPECT_TRUE(holds("aws:PrincipalArn", "arn:aws:sts::111122223333:federated-user/guest", kFederated));
  EXPECT_TRUE(holds("aws:PrincipalType", "AssumedRole", kSession));
  EXPECT_TRUE(holds("aws:PrincipalType", "User", kBob));
  EXPECT_TRUE(holds("aws:PrincipalAccount", "111122223333", kSession));
  EXPECT_TRUE(holds("aws:ResourceAccount", "111122223333", kBob));
  EXPECT_TRUE(holds("aws:userid", "AROAREADERREADERREADE:s1", kSession));
  EXPECT_TRUE(holds("aws:username", "bob", kBob));
  EXPECT_FALSE(holds("aws:username", "forged", kSession));
}

// --- principals

// Whether the trust policy with this element lets the principal assume the role, with identity policies that let it.
bool Trusts(const std::string& element, const Principal& principal, const std::string& effect = "Allow") {
  std::string statements = "{'Effect':'" + effect + "','Action':'sts:AssumeRole'," + element + "}";
  if (effect == "Deny") statements += ",{'Effect':'Allow','Action':'sts:AssumeRole','Principal':'*'}";
  const auto trust = MakeStatements(statements, PolicyKind::kTrust);
  const auto all = MakeStatements("{'Effect':'Allow','Action':'*','Resource':'*'}");
  const TestConditions none;
  const ApplicablePolicies policies{.identity = {&all, 1}, .session = {&all, 1}, .resource = trust.get()};
  return Evaluate(Request{"sts:AssumeRole", "arn:aws:iam::111122223333:role/R", {}, principal, none}, policies)
      .allowed();
}

TEST(Statement, PrincipalsInAllTheirForms) {
  const Principal lambda = {PrincipalKind::kService, "lambda.amazonaws.com", {}};
  const Principal web = {PrincipalKind::kWebIdentity, "arn:aws:iam::111122223333:oidc-provider/id.example.com", {}};
  struct Case {
    const char* element;
    std::vector<const Principal*> who;
  };
  const Case cases[] = {
      {"'*'", {&kBob, &kSession, &kFederated, &kRoot, &lambda, &web}},
      {"{'AWS':'*'}", {&kBob, &kSession, &kFederated, &kRoot, &lambda, &web}},
      {"{'AWS':'111122223333'}", {&kBob, &kSession, &kFederated, &kRoot}},
      {"{'AWS':'arn:aws:iam::111122223333:root'}", {&kBob, &kSession, &kFederated, &kRoot}},
      {"{'AWS':'444455556666'}", {}},
      {"{'AWS':'arn:aws:iam::111122223333:user/bob'}", {&kBob, &kFederated}},
      {"{'AWS':'AIDABOBBOBBOBBOBBOBBO'}", {&kBob, &kFederated}},
      {"{'AWS':'arn:aws:iam::111122223333:role/team/Reader'}", {&kSession}},
      {"{'AWS':'arn:aws:iam::111122223333:role/Reader'}", {}},
      {"{'AWS':'AROAREADERREADERREADE'}", {&kSession}},
      {"{'AWS':'arn:aws:sts::111122223333:assumed-role/Reader/s1'}", {&kSession}},
      {"{'AWS':'arn:aws:sts::111122223333:assumed-role/Reader/s2'}", {}},
      {"{'AWS':'arn:aws:sts::111122223333:federated-user/guest'}", {&kFederated}},
      {"{'Service':'lambda.amazonaws.com'}", {&lambda}},
      {"{'Service':['dax.amazonaws.com','lambda.amazonaws.com'],'AWS':'arn:aws:iam::111122223333:user/bob'}",
       {&kBob, &kFederated, &lambda}},
      {"{'Federated':'arn:aws:iam::111122223333:oidc-provider/id.example.com'}", {&web}},
      {"{'Federated':'id.example.com'}", {}},
      {"{'CanonicalUser':'79a59df900b949e5'}", {}},
  };
  for (const Case& each : cases)
    for (const Principal* principal : {&kBob, &kSession, &kFederated, &kRoot, &lambda, &web}) {
      const bool is_named = std::ranges::find(each.who, principal) != each.who.end();
      EXPECT_EQ(Trusts(std::string("'Principal':") + each.element, *principal), is_named)
          << each.element << " " << principal->arn;
    }
}

// A Deny spares only those whose every name is listed.
TEST(Statement, NotPrincipal) {
  const std::string account = "'arn:aws:iam::111122223333:root'";
  const std::string bob = "'arn:aws:iam::111122223333:user/bob'";
  const std::string role = "'arn:aws:iam::111122223333:role/team/Reader'";
  const std::string session = "'arn:aws:sts::111122223333:assumed-role/Reader/s1'";
  const auto denied_but = [&](const std::string& listed, const Principal& principal) {
    return !Trusts("'NotPrincipal':{'AWS':[" + listed + "]}", principal, "Deny");
  };
  EXPECT_TRUE(denied_but(bob, kBob));
  EXPECT_TRUE(denied_but(account, kBob));
  EXPECT_FALSE(denied_but(bob + "," + account, kBob));
  EXPECT_FALSE(denied_but(account, kRoot));
  EXPECT_TRUE(denied_but(role + "," + account, kSession));
  EXPECT_FALSE(denied_but(role + "," + account + "," + session, kSession));
  EXPECT_TRUE(denied_but(bob + "," + account, kSession));
  // An Allow is for everybody who is not listed.
  EXPECT_FALSE(Trusts("'NotPrincipal':{'AWS':[" + bob + "]}", kBob));
  EXPECT_TRUE(Trusts("'NotPrincipal':{'AWS':[" + bob + "]}", kSession));
}

class OneUser : public PrincipalDirectory {
 public:
  std::optional<std::string> FindUniqueId(std::string_view arn) const override {
    if (arn == kBob.arn) return std::string(kBob.unique_id);
    return std::nullopt;
  }
};

TEST(Statement, SavedPoliciesAreBoundToUniqueIds) {
  const auto statement = [](const std::string& arn) {
    return Json("{'Statement':{'Effect':'Allow','Action':'sts:AssumeRole','Principal':{'AWS':'" + arn + "'}}}");
  };
  const auto missing = Parse(statement("arn:aws:iam::111122223333:user/eve"), PolicyKind::kTrust, OneUser());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message(), "Invalid principal in policy: \"AWS\":\"arn:aws:iam::111122223333:user/eve\"");
  EXPECT_TRUE(Parse(statement("444455556666"), PolicyKind::kTrust, OneUser()));
  const auto trust = Parse(statement(std::string(kBob.arn)), PolicyKind::kTrust, OneUser());
  ASSERT_TRUE(trust);
  const TestConditions none;
  const auto trusts = [&](const Principal& principal) {
    return Evaluate(Request{"sts:AssumeRole", "*", {}, principal, none}, {.resource = trust->get()}).allowed();
  };
  EXPECT_TRUE(trusts(kBob));
  // Another user who was given the name later.
  Principal later = kBob;
  later.unique_id = "AIDASOMEBODYELSESOMEB";
  EXPECT_FALSE(trusts(later));
}

TEST(Policy, TellsWhichContextKeysItAsksFor) {
  const auto policy = MakeStatements(
      "{'Effect':'Allow','Action':'*','Resource':'arn:aws:dynamodb:*:*:table/${aws:username}','Condition':"
      "{'StringEquals':{'aws:RequestedRegion':'x','aws:ResourceTag/a':'${aws:PrincipalTag/a, "
      "~b~}'},'Bool':{'aws:SecureTransport':'true'}}},"
      "{'Effect':'Deny','Action':'*','Resource':'*','Condition':{'Null':{'aws:RequestedRegion':'true'}}}");
  EXPECT_EQ(ContextKeys(*policy),
            (std::vector<std::string>{"aws:PrincipalTag/a", "aws:RequestedRegion", "aws:ResourceTag/a",
                                      "aws:SecureTransport", "aws:username"}));
}

// It does not need the document any more.
TEST(Policy, OwnsWhatItSays) {
  auto document = std::make_unique<std::string>(
      Json("{'Version':'2012-10-17','Statement':{'Sid':'LongEnoughToBeOnTheHeap123456789','Effect':'Allow','Action':'"
           "dynamodb:GetItem',"
           "'Resource':'arn:aws:dynamodb:*:*:table/"
           "${aws:username}-*','Condition':{'StringEquals':{'aws:RequestedRegion':'us-east-1'}}}}"));
  const auto policy = Parse(*document, PolicyKind::kIdentity);
  ASSERT_TRUE(policy);
  std::ranges::fill(*document, 'x');
  document.reset();
  EXPECT_EQ((*policy)->statements()[0].sid, "LongEnoughToBeOnTheHeap123456789");
  EXPECT_TRUE(IsAllowed(*policy, "dynamodb:GetItem", kBobsTable, {{"aws:RequestedRegion", {"us-east-1"}}}));
}

}  // namespace
}  // namespace armature::policy
