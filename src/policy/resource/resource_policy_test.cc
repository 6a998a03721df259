#include "policy/resource/resource_policy.h"

#include <string>

#include <gtest/gtest.h>

#include "policy/testing/policy_testing.h"

namespace armature::policy {
namespace {

constexpr std::string_view kStreamArn =
    "arn:aws:dynamodb:us-east-1:111122223333:table/Games/stream/2026-11-18T11:30:00.000";
const std::string kHead = "One or more parameter values were invalid: Invalid policy document: ";

// What is said of a policy with this statement; empty: nothing.
std::string Error(const std::string& members, PolicyOwner owner = PolicyOwner::kTable) {
  const auto policy =
      ParseResourcePolicy(Json("{'Version':'2012-10-17','Statement':{'Effect':'Allow'," + members + "}}"), owner,
                          owner == PolicyOwner::kTable ? kTableArn : kStreamArn);
  if (policy) return "";
  EXPECT_EQ(policy.error().name, "ValidationException");
  return policy.error().message;
}
std::string ActionsError(const std::string& actions, PolicyOwner owner = PolicyOwner::kTable) {
  return Error("'Principal':{'AWS':'444455556666'},'Resource':'*','Action':" + actions, owner);
}
std::string ResourceError(const std::string& resource, PolicyOwner owner = PolicyOwner::kTable) {
  return Error("'Principal':{'AWS':'444455556666'},'Action':'dynamodb:*','Resource':'" + resource + "'", owner);
}
bool IsPublicWith(const std::string& principal, const std::string& condition) {
  return IsPublic(*MakeStatements(
      "{'Effect':'Allow','Action':'dynamodb:*','Resource':'*'," + principal + ",'Condition':" + condition + "}",
      PolicyKind::kResource));
}
bool EverybodyIsPublicWith(const std::string& condition) { return IsPublicWith("'Principal':'*'", condition); }

TEST(ResourcePolicy, ActionsThatMayAppear) {
  EXPECT_EQ(ActionsError("'dynamodb:GetItem'"), "");
  EXPECT_EQ(ActionsError("['dynamodb:getitem','dynamodb:PartiQLSelect','dynamodb:UpdateTimeToLive']"), "");
  EXPECT_EQ(ActionsError("'dynamodb:*'"), "");
  EXPECT_EQ(ActionsError("'dynamodb:*'", PolicyOwner::kStream), "");
  EXPECT_EQ(ActionsError("'dynamodb:Describe*'"), "");
  EXPECT_EQ(ActionsError("['dynamodb:GetRecords','dynamodb:DescribeStream','dynamodb:GetShardIterator']",
                         PolicyOwner::kStream),
            "");
}

TEST(ResourcePolicy, ActionsThatMayNotAppear) {
  const std::string invalid = kHead + "The following action names are invalid: ";
  EXPECT_EQ(ActionsError("'dynamodb:ListStreams'", PolicyOwner::kStream), invalid + "\"dynamodb:ListStreams\"");
  EXPECT_EQ(ActionsError("'dynamodb:GetRecords'"), invalid + "\"dynamodb:GetRecords\"");
  EXPECT_EQ(ActionsError("'dynamodb:GetItem'", PolicyOwner::kStream), invalid + "\"dynamodb:GetItem\"");
  EXPECT_EQ(ActionsError("['dynamodb:CreateTable','dynamodb:GetItem','s3:GetObject','dynamodb:CreateTable']"),
            invalid + "\"dynamodb:CreateTable\", \"s3:GetObject\"");
}

TEST(ResourcePolicy, MalformedDocumentsHaveTheSameHead) {
  EXPECT_EQ(Error("'Action':'dynamodb:*','Resource':'*'"), kHead + "Missing required field Principal");
  EXPECT_EQ(Error("'Principal':{'AWS':'bob'},'Action':'dynamodb:*','Resource':'*'"),
            kHead + "Invalid principal in policy: \"AWS\":\"bob\"");
  EXPECT_EQ(Error("'x'"), kHead + "The policy is not in the valid JSON format");
}

TEST(ResourcePolicy, StatementsAreAboutTheResource) {
  for (const char* good :
       {"*", "arn:aws:dynamodb:us-east-1:111122223333:table/Games",
        "arn:aws:dynamodb:us-east-1:111122223333:table/Games/index/ByTitle",
        "arn:aws:dynamodb:us-east-1:111122223333:table/Games/index/*", "arn:aws:dynamodb:*:*:table/G*",
        "arn:aws:dynamodb:us-east-1:111122223333:table/${aws:PrincipalTag/table}"})
    EXPECT_EQ(ResourceError(good), "") << good;
  EXPECT_EQ(ResourceError("arn:aws:dynamodb:us-east-1:111122223333:table/Other"),
            kHead + "The following resources are invalid: \"arn:aws:dynamodb:us-east-1:111122223333:table/Other\"");
  EXPECT_EQ(ResourceError(std::string(kStreamArn), PolicyOwner::kStream), "");
  EXPECT_NE(ResourceError(std::string(kTableArn), PolicyOwner::kStream), "");
  EXPECT_NE(ResourceError(std::string(kTableArn) + "/index/x", PolicyOwner::kStream), "");
}

TEST(ResourcePolicy, PublicOnesAreRefused) {
  EXPECT_EQ(Error("'Principal':'*','Action':'dynamodb:GetItem','Resource':'*'"),
            kHead + "The policy grants public access, which block public access does not allow");
  EXPECT_EQ(Error("'Principal':'*','Action':'dynamodb:GetItem','Resource':'*','Condition':{'StringEquals':{'aws:"
                  "PrincipalAccount':'111122223333'}}"),
            "");
}

TEST(ResourcePolicy, WhoIsListedIsNotThePublic) {
  EXPECT_FALSE(IsPublicWith("'Principal':{'AWS':'444455556666','Service':'dax.amazonaws.com'}", "{}"));
  EXPECT_TRUE(IsPublicWith("'Principal':{'AWS':['444455556666','*']}", "{}"));
  EXPECT_TRUE(IsPublicWith("'NotPrincipal':{'AWS':'444455556666'}", "{}"));
  EXPECT_FALSE(IsPublic(*MakeStatements("{'Effect':'Deny','Action':'dynamodb:*','Resource':'*','Principal':'*'}",
                                        PolicyKind::kResource)));
}

TEST(ResourcePolicy, FixedValuesHoldEverybodyToSomebody) {
  EXPECT_FALSE(EverybodyIsPublicWith("{'StringEquals':{'aws:principalaccount':['111122223333','444455556666']}}"));
  EXPECT_FALSE(EverybodyIsPublicWith("{'ArnEquals':{'aws:PrincipalArn':'arn:aws:iam::111122223333:role/R'}}"));
  EXPECT_FALSE(EverybodyIsPublicWith("{'StringLike':{'aws:PrincipalOrgID':'o-abc'}}"));
  EXPECT_FALSE(EverybodyIsPublicWith("{'Bool':{'aws:PrincipalIsAWSService':'true'}}"));
  EXPECT_FALSE(EverybodyIsPublicWith("{'ForAnyValue:StringEquals':{'aws:PrincipalOrgPaths':'o-a/r-b/ou-c/'}}"));
}

TEST(ResourcePolicy, LooseConditionsDoNot) {
  EXPECT_TRUE(EverybodyIsPublicWith("{'ArnLike':{'aws:PrincipalArn':'arn:aws:iam::*:role/R'}}"));
  EXPECT_TRUE(EverybodyIsPublicWith("{'StringLike':{'aws:PrincipalOrgID':'o-*'}}"));
  EXPECT_TRUE(EverybodyIsPublicWith("{'StringEquals':{'aws:PrincipalAccount':'${aws:PrincipalTag/a}'}}"));
  EXPECT_TRUE(EverybodyIsPublicWith("{'StringNotEquals':{'aws:PrincipalAccount':'111122223333'}}"));
  EXPECT_TRUE(EverybodyIsPublicWith("{'StringEqualsIfExists':{'aws:PrincipalAccount':'111122223333'}}"));
  EXPECT_TRUE(EverybodyIsPublicWith("{'ForAllValues:StringEquals':{'aws:PrincipalAccount':'111122223333'}}"));
  EXPECT_TRUE(EverybodyIsPublicWith("{'Bool':{'aws:PrincipalIsAWSService':'false'}}"));
  EXPECT_TRUE(EverybodyIsPublicWith("{'StringEquals':{'aws:RequestedRegion':'us-east-1'}}"));
  EXPECT_TRUE(EverybodyIsPublicWith("{'IpAddress':{'aws:SourceIp':'10.0.0.0/8'}}"));
}

TEST(ResourcePolicy, WhichActionsWorkAcrossAccounts) {
  EXPECT_TRUE(WorksAcrossAccounts("dynamodb:GetItem"));
  EXPECT_TRUE(WorksAcrossAccounts("dynamodb:GetRecords"));
  EXPECT_FALSE(WorksAcrossAccounts("dynamodb:PartiQLSelect"));
  EXPECT_FALSE(WorksAcrossAccounts("dynamodb:PutResourcePolicy"));
  EXPECT_FALSE(WorksAcrossAccounts("dynamodb:ListTables"));
}

}  // namespace
}  // namespace armature::policy
