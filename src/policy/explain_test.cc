#include "policy/explain.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "policy/testing/policy_testing.h"

namespace armature::policy {
namespace {

const auto kPolicy = MakeStatements(
    "{'Sid':'OwnItems','Effect':'Allow','Action':'dynamodb:*Item','Resource':'arn:aws:dynamodb:*:*:table/"
    "Games','Condition':"
    "{'ForAllValues:StringEquals':{'dynamodb:LeadingKeys':'${aws:username}'}}},"
    "{'Effect':'Allow','Action':'dynamodb:Query','Resource':'*'},"
    "{'Effect':'Allow','Action':'dynamodb:GetItem','Resource':'arn:aws:dynamodb:*:*:table/Other'},"
    "{'Sid':'Never','Effect':'Deny','Action':'dynamodb:GetItem','Resource':'*','Condition':{'Bool':{'aws:"
    "SecureTransport':'false'}}}");
const auto kResourcePolicy =
    MakeStatements("{'Effect':'Allow','Action':'dynamodb:*','Resource':'*','Principal':{'AWS':'444455556666'}}",
                   PolicyKind::kResource);

std::vector<std::string> LinesOf(const TestConditions& conditions, std::string* decision) {
  const Request request{"dynamodb:GetItem", kTableArn, {}, kBob, conditions};
  const ApplicablePolicies policies{.identity = {&kPolicy, 1}, .resource = kResourcePolicy.get()};
  const Explanation explanation = Explain(request, policies);
  *decision = explanation.decision.allowed() ? "allowed" : DenialText(request, explanation.decision);
  std::vector<std::string> lines;
  for (const StatementReport& report : explanation.statements) lines.push_back(Describe(report));
  return lines;
}

TEST(Explain, TellsOfEveryStatementWhyOrWhyNot) {
  std::string decision;
  const auto lines = LinesOf({{"dynamodb:LeadingKeys", {"bob"}}, {"aws:SecureTransport", {"true"}}}, &decision);
  EXPECT_EQ(decision, "allowed");
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "resource-based policy 1, statement 1: would allow, but the principal is another",
                       "identity-based policy 1, statement 1 (OwnItems): allows",
                       "identity-based policy 1, statement 2: would allow, but the action is another",
                       "identity-based policy 1, statement 3: would allow, but the resource is another",
                       "identity-based policy 1, statement 4 (Never): would deny, but the condition Bool on "
                       "aws:SecureTransport does not hold"}));
}

TEST(Explain, NamesTheConditionThatFailed) {
  std::string decision;
  const auto lines = LinesOf({{"dynamodb:LeadingKeys", {"eve"}}, {"aws:SecureTransport", {"false"}}}, &decision);
  EXPECT_EQ(decision,
            "User: arn:aws:iam::111122223333:user/bob is not authorized to perform: dynamodb:GetItem on resource: "
            "arn:aws:dynamodb:us-east-1:111122223333:table/Games with an explicit deny in an identity-based policy");
  EXPECT_EQ(
      lines[1],
      "identity-based policy 1, statement 1 (OwnItems): would allow, but the condition ForAllValues:StringEquals on "
      "dynamodb:LeadingKeys does not hold");
  EXPECT_EQ(lines[4], "identity-based policy 1, statement 4 (Never): denies");
}

TEST(Explain, MissingContextKeys) {
  const TestConditions conditions = {{"aws:SecureTransport", {"true"}}};
  const ApplicablePolicies policies{.identity = {&kPolicy, 1}, .resource = kResourcePolicy.get()};
  EXPECT_EQ(MissingContextKeys(Request{"dynamodb:GetItem", kTableArn, {}, kBob, conditions}, policies),
            std::vector<std::string>{"dynamodb:LeadingKeys"});
  EXPECT_EQ(MissingContextKeys(Request{"dynamodb:GetItem", kTableArn, {}, kSession, conditions}, policies),
            (std::vector<std::string>{"aws:username", "dynamodb:LeadingKeys"}));
}

}  // namespace
}  // namespace armature::policy
