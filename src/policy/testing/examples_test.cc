// Policies as users of DynamoDB write them, and requests that they are to let through or not: table Games with UserId
// and Title, an index ByTitle, non-key attributes Wins and Notes.
#include <string>

#include <gtest/gtest.h>

#include "policy/testing/policy_testing.h"

namespace armature::policy {
namespace {

const std::string kIndexArn = std::string(kTableArn) + "/index/ByTitle";

bool IsAllowed(const std::shared_ptr<const Policy>& policy, std::string_view action, const TestConditions& conditions,
               std::string_view resource = kTableArn, const Principal& principal = kBob) {
  return Evaluate(Request{action, resource, {}, principal, conditions}, {.identity = {&policy, 1}}).allowed();
}

// --- each user his own items

const auto kOwnItems = MakeStatements(
    "{'Effect':'Allow','Action':['dynamodb:GetItem','dynamodb:BatchGetItem','dynamodb:Query','dynamodb:PutItem','"
    "dynamodb:UpdateItem',"
    "'dynamodb:DeleteItem','dynamodb:BatchWriteItem','dynamodb:Scan'],'Resource':['arn:aws:dynamodb:us-east-1:"
    "111122223333:table/Games',"
    "'arn:aws:dynamodb:us-east-1:111122223333:table/Games/index/*'],'Condition':{'ForAllValues:StringEquals':"
    "{'dynamodb:LeadingKeys':['${aws:username}']}}}");

TEST(PolicyExamples, OwnItemsByLeadingKey) {
  EXPECT_TRUE(IsAllowed(kOwnItems, "dynamodb:GetItem", {{"dynamodb:LeadingKeys", {"bob"}}}));
  EXPECT_FALSE(IsAllowed(kOwnItems, "dynamodb:GetItem", {{"dynamodb:LeadingKeys", {"eve"}}}));
  EXPECT_FALSE(IsAllowed(kOwnItems, "dynamodb:BatchGetItem", {{"dynamodb:LeadingKeys", {"bob", "eve"}}}));
  EXPECT_TRUE(IsAllowed(kOwnItems, "dynamodb:BatchWriteItem", {{"dynamodb:LeadingKeys", {"bob"}}}));
  // The leading key of this index is the title.
  EXPECT_FALSE(IsAllowed(kOwnItems, "dynamodb:Query", {{"dynamodb:LeadingKeys", {"chess"}}}, kIndexArn));
  // AWS's own hole: a Scan has no leading key, and ForAllValues holds.
  EXPECT_TRUE(IsAllowed(kOwnItems, "dynamodb:Scan", {}));
}

TEST(PolicyExamples, FirstPartitionKeyValuesAreTheLeadingKeys) {
  const auto policy = MakeStatements(
      "{'Effect':'Allow','Action':'dynamodb:*','Resource':'*','Condition':{'ForAllValues:StringEquals':{'dynamodb:"
      "FirstPartitionKeyValues':"
      "'${aws:username}'},'Null':{'dynamodb:LeadingKeys':'false'}}}");
  EXPECT_TRUE(IsAllowed(policy, "dynamodb:GetItem", {{"dynamodb:LeadingKeys", {"bob"}}}));
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:GetItem", {{"dynamodb:LeadingKeys", {"eve"}}}));
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:Scan", {}));
}

TEST(PolicyExamples, OwnItemsByPrefixAndWebIdentity) {
  const auto policy = MakeStatements(
      "{'Effect':'Allow','Action':'dynamodb:GetItem','Resource':'*','Condition':{'ForAllValues:StringLike':{'dynamodb:"
      "LeadingKeys':"
      "['${www.amazon.com:user_id}#*','shared']}}}");
  const auto allows = [&](const std::string& key) {
    return IsAllowed(policy, "dynamodb:GetItem", {{"dynamodb:LeadingKeys", {key}}, {"www.amazon.com:user_id", {"u1"}}},
                     kTableArn, kSession);
  };
  EXPECT_TRUE(allows("u1#games"));
  EXPECT_FALSE(allows("u10#games"));
  EXPECT_TRUE(allows("shared"));
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:GetItem", {{"dynamodb:LeadingKeys", {"u1#games"}}}, kTableArn, kSession));
}

// --- some attributes only

const auto kSomeAttributes = MakeStatements(
    "{'Effect':'Allow','Action':['dynamodb:GetItem','dynamodb:Query','dynamodb:UpdateItem'],'Resource':'arn:aws:"
    "dynamodb:*:*:table/Games',"
    "'Condition':{'ForAllValues:StringEquals':{'dynamodb:Attributes':['UserId','Title','Wins']},'StringEqualsIfExists':"
    "{'dynamodb:Select':'SPECIFIC_ATTRIBUTES','dynamodb:ReturnValues':['NONE','UPDATED_OLD','UPDATED_NEW']}}}");

TEST(PolicyExamples, SomeAttributesOnly) {
  const std::vector<std::string> named = {"UserId", "Title", "Wins"};
  EXPECT_TRUE(IsAllowed(kSomeAttributes, "dynamodb:GetItem",
                        {{"dynamodb:Attributes", named}, {"dynamodb:Select", {"SPECIFIC_ATTRIBUTES"}}}));
  EXPECT_FALSE(IsAllowed(kSomeAttributes, "dynamodb:GetItem",
                         {{"dynamodb:Attributes", named}, {"dynamodb:Select", {"ALL_ATTRIBUTES"}}}));
  EXPECT_FALSE(IsAllowed(kSomeAttributes, "dynamodb:GetItem",
                         {{"dynamodb:Attributes", {"UserId", "Notes"}}, {"dynamodb:Select", {"SPECIFIC_ATTRIBUTES"}}}));
  EXPECT_TRUE(IsAllowed(kSomeAttributes, "dynamodb:UpdateItem",
                        {{"dynamodb:Attributes", named}, {"dynamodb:ReturnValues", {"NONE"}}}));
  EXPECT_FALSE(IsAllowed(kSomeAttributes, "dynamodb:UpdateItem",
                         {{"dynamodb:Attributes", named}, {"dynamodb:ReturnValues", {"ALL_NEW"}}}));
}

// --- no scans, only transactions, no PartiQL over the whole table

TEST(PolicyExamples, NoFullTableScans) {
  const auto policy = MakeStatements(
      "{'Effect':'Allow','Action':'dynamodb:PartiQLSelect','Resource':'*'},"
      "{'Effect':'Deny','Action':'dynamodb:PartiQLSelect','Resource':'*','Condition':{'Bool':{'dynamodb:FullTableScan':"
      "true}}}");
  EXPECT_TRUE(IsAllowed(policy, "dynamodb:PartiQLSelect", {{"dynamodb:FullTableScan", {"false"}}}));
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:PartiQLSelect", {{"dynamodb:FullTableScan", {"true"}}}));
}

TEST(PolicyExamples, WritesInTransactionsOnly) {
  const auto policy = MakeStatements(
      "{'Effect':'Allow','Action':'dynamodb:PutItem','Resource':'*','Condition':{'ForAnyValue:StringEquals':{'dynamodb:"
      "EnclosingOperation':"
      "['TransactWriteItems','TransactGetItems']}}}");
  EXPECT_TRUE(IsAllowed(policy, "dynamodb:PutItem", {{"dynamodb:EnclosingOperation", {"TransactWriteItems"}}}));
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:PutItem", {}));
}

// --- tags

TEST(PolicyExamples, ByTags) {
  const auto policy = MakeStatements(
      "{'Effect':'Allow','Action':'dynamodb:*','Resource':'*','Condition':{'StringEquals':{'aws:ResourceTag/"
      "team':'${aws:PrincipalTag/team}'}}},"
      "{'Effect':'Deny','Action':'dynamodb:TagResource','Resource':'*','Condition':{'Null':{'aws:TagKeys':'false'},"
      "'ForAllValues:StringNotEquals':{'aws:TagKeys':['cost']}}}");
  const TestConditions same = {{"aws:ResourceTag/team", {"red"}}, {"aws:PrincipalTag/team", {"red"}}};
  EXPECT_TRUE(IsAllowed(policy, "dynamodb:GetItem", same));
  EXPECT_FALSE(
      IsAllowed(policy, "dynamodb:GetItem", {{"aws:ResourceTag/team", {"red"}}, {"aws:PrincipalTag/team", {"blue"}}}));
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:GetItem", {{"aws:ResourceTag/team", {"red"}}}));
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:GetItem", {}));
  TestConditions tagging = same;
  tagging.Set("aws:TagKeys", {"team"});
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:TagResource", tagging));
  tagging.Set("aws:TagKeys", {"cost"});
  EXPECT_TRUE(IsAllowed(policy, "dynamodb:TagResource", tagging));
}

// The documentation's own example of a key that does not exist.
TEST(PolicyExamples, AServiceHasNoResourceTagsOfItsOwn) {
  const auto policy = MakeStatements(
      "{'Effect':'Allow','Action':'dynamodb:*','Resource':'*','Condition':{'StringEquals':{'dynamodb:ResourceTag/"
      "team':'red'}}}");
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:GetItem", {{"aws:ResourceTag/team", {"red"}}}));
}

// --- where, when and how

TEST(PolicyExamples, FromTheOfficeInTimeAndByTls) {
  const auto policy = MakeStatements(
      "{'Effect':'Allow','Action':'dynamodb:*','Resource':'*','Condition':{'IpAddress':{'aws:SourceIp':['203.0.113.0/"
      "24','2001:db8::/32']},"
      "'DateGreaterThan':{'aws:CurrentTime':'2026-01-01T00:00:00Z'},'DateLessThan':{'aws:EpochTime':'1800000000'},"
      "'Bool':{'aws:SecureTransport':'true'}}}");
  TestConditions good = {{"aws:SourceIp", {"203.0.113.7"}},
                         {"aws:CurrentTime", {"2026-11-18T11:30:00Z"}},
                         {"aws:EpochTime", {"1795001400"}},
                         {"aws:SecureTransport", {"true"}}};
  EXPECT_TRUE(IsAllowed(policy, "dynamodb:GetItem", good));
  const auto but = [&](const std::string& key, const std::string& value) {
    TestConditions conditions = good;
    conditions.Set(key, {value});
    return IsAllowed(policy, "dynamodb:GetItem", conditions);
  };
  EXPECT_TRUE(but("aws:SourceIp", "2001:db8::7"));
  EXPECT_FALSE(but("aws:SourceIp", "198.51.100.1"));
  EXPECT_FALSE(but("aws:CurrentTime", "2025-12-31T23:59:59Z"));
  EXPECT_FALSE(but("aws:EpochTime", "1800000000"));
  EXPECT_FALSE(but("aws:SecureTransport", "false"));
}

TEST(PolicyExamples, TemporaryCredentialsWithMfaOnly) {
  const auto policy = MakeStatements(
      "{'Effect':'Allow','Action':'*','Resource':'*'},"
      "{'Effect':'Deny','NotAction':'sts:GetSessionToken','Resource':'*','Condition':{'BoolIfExists':{'aws:"
      "MultiFactorAuthPresent':'false'}}}");
  EXPECT_TRUE(IsAllowed(policy, "dynamodb:GetItem", {{"aws:MultiFactorAuthPresent", {"true"}}}));
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:GetItem", {{"aws:MultiFactorAuthPresent", {"false"}}}));
  EXPECT_FALSE(IsAllowed(policy, "dynamodb:GetItem", {}));
  EXPECT_TRUE(IsAllowed(policy, "sts:GetSessionToken", {}));
}

TEST(PolicyExamples, TrustWithAnExternalId) {
  const auto trust = MakeStatements(
      "{'Effect':'Allow','Action':'sts:AssumeRole','Principal':{'AWS':'111122223333'},'Condition':{'StringEquals':{'"
      "sts:ExternalId':'secret'}}}",
      PolicyKind::kTrust);
  const auto may_assume =
      MakeStatements("{'Effect':'Allow','Action':'sts:AssumeRole','Resource':'arn:aws:iam::444455556666:role/R'}");
  const auto assumes = [&](const TestConditions& conditions) {
    const Request request{"sts:AssumeRole", "arn:aws:iam::444455556666:role/R", kOtherAccount, kBob, conditions};
    return Evaluate(request, {.identity = {&may_assume, 1}, .resource = trust.get()}).allowed();
  };
  EXPECT_TRUE(assumes({{"sts:ExternalId", {"secret"}}}));
  EXPECT_FALSE(assumes({{"sts:ExternalId", {"guess"}}}));
  EXPECT_FALSE(assumes({}));
}

}  // namespace
}  // namespace armature::policy
