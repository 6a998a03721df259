#include "policy/managed_policies.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "policy/testing/policy_testing.h"

namespace armature::policy {
namespace {

bool Allows(std::string_view name, std::string_view action, const TestConditions& conditions = {}) {
  for (const ManagedPolicy& managed : ManagedPolicies()) {
    if (managed.name != name) continue;
    const auto policy = Parse(managed.document, PolicyKind::kIdentity);
    EXPECT_TRUE(policy) << name;
    return policy && Evaluate(Request{action, kTableArn, {}, kBob, conditions}, {.identity = {&*policy, 1}}).allowed();
  }
  ADD_FAILURE() << name;
  return false;
}

TEST(ManagedPolicies, AllParseAndHaveNamesOfTheirOwn) {
  std::set<std::string> arns;
  for (const ManagedPolicy& managed : ManagedPolicies()) {
    const auto policy = Parse(managed.document, PolicyKind::kIdentity);
    EXPECT_TRUE(policy) << managed.name << ": " << (policy ? "" : policy.error().message());
    EXPECT_TRUE(arns.insert(managed.Arn()).second) << managed.name;
    EXPECT_TRUE(managed.default_version.starts_with('v')) << managed.name;
    EXPECT_FALSE(managed.description.empty()) << managed.name;
  }
  EXPECT_TRUE(arns.contains("arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess"));
  EXPECT_TRUE(arns.contains("arn:aws:iam::aws:policy/service-role/AWSLambdaDynamoDBExecutionRole"));
  EXPECT_TRUE(arns.contains("arn:aws:iam::aws:policy/aws-service-role/DynamoDBReplicationServiceRolePolicy"));
}

TEST(ManagedPolicies, GrantWhatTheirNamesSay) {
  EXPECT_TRUE(Allows("AdministratorAccess", "iam:CreateUser"));
  EXPECT_TRUE(Allows("PowerUserAccess", "dynamodb:DeleteTable"));
  EXPECT_FALSE(Allows("PowerUserAccess", "iam:CreateUser"));
  for (const char* reader : {"AmazonDynamoDBReadOnlyAccess", "ReadOnlyAccess"}) {
    EXPECT_TRUE(Allows(reader, "dynamodb:Query")) << reader;
    EXPECT_TRUE(Allows(reader, "dynamodb:DescribeTable")) << reader;
    EXPECT_FALSE(Allows(reader, "dynamodb:PutItem")) << reader;
  }
  EXPECT_FALSE(Allows("AmazonDynamoDBReadOnlyAccess", "dynamodb:GetRecords"));
  EXPECT_FALSE(Allows("SecurityAudit", "dynamodb:GetItem"));
  EXPECT_TRUE(Allows("AmazonDynamoDBFullAccess", "dynamodb:DeleteTable"));
  EXPECT_TRUE(Allows("AmazonDynamoDBFullAccess", "iam:PassRole", {{"iam:PassedToService", {"dax.amazonaws.com"}}}));
  EXPECT_FALSE(Allows("AmazonDynamoDBFullAccess", "iam:PassRole", {{"iam:PassedToService", {"ec2.amazonaws.com"}}}));
  EXPECT_FALSE(Allows("AmazonDynamoDBFullAccess_v2", "iam:PassRole", {{"iam:PassedToService", {"dax.amazonaws.com"}}}));
  EXPECT_TRUE(Allows("AWSLambdaDynamoDBExecutionRole", "dynamodb:GetRecords"));
}

}  // namespace
}  // namespace armature::policy
