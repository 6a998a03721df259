// The decision over several policies: the tables of IAM's documentation, row by row.
#include "policy/evaluate.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "policy/testing/policy_testing.h"

namespace armature::policy {
namespace {

using Outcome = Decision::Outcome;
using PolicyPtr = std::shared_ptr<const Policy>;

const PolicyPtr kAllow = MakeStatements("{'Effect':'Allow','Action':'dynamodb:GetItem','Resource':'*'}");
const PolicyPtr kOther = MakeStatements("{'Effect':'Allow','Action':'dynamodb:PutItem','Resource':'*'}");
const PolicyPtr kDeny = MakeStatements("{'Effect':'Deny','Action':'dynamodb:*','Resource':'*'}");

PolicyPtr ResourcePolicy(const std::string& principal, const std::string& effect = "Allow") {
  return MakeStatements(
      "{'Effect':'" + effect + "','Action':'dynamodb:GetItem','Resource':'*','Principal':" + principal + "}",
      PolicyKind::kResource);
}
std::string Aws(std::string_view principal) { return "{'AWS':'" + std::string(principal) + "'}"; }

struct Setting {
  const Principal* principal = &kBob;
  std::vector<PolicyPtr> identity{};
  PolicyPtr boundary{};
  std::vector<PolicyPtr> session{};
  PolicyPtr resource{};
  std::string_view resource_account{};
};

Decision Decide(const Setting& setting) {
  const TestConditions none;
  const Request request{"dynamodb:GetItem", kTableArn, setting.resource_account, *setting.principal, none};
  return Evaluate(request, {setting.identity, setting.boundary.get(), setting.session, setting.resource.get()});
}

// "allowed", or "implicit" or "explicit" with what is named.
std::string Verdict(const Setting& setting) {
  const Decision decision = Decide(setting);
  if (decision.allowed()) return "allowed";
  return std::string(decision.outcome == Outcome::kExplicitDeny ? "explicit: " : "implicit: ") +
         std::string(PolicyTypeName(decision.type));
}

constexpr const char* kNoIdentity = "implicit: identity-based policy";
constexpr const char* kNoBoundary = "implicit: permissions boundary";
constexpr const char* kNoSession = "implicit: session policy";
constexpr const char* kNoResource = "implicit: resource-based policy";

// --- one account, no resource policy

TEST(Evaluate, NothingIsAllowedUnlessSomethingAllowsIt) {
  EXPECT_EQ(Verdict({}), kNoIdentity);
  EXPECT_EQ(Verdict({.identity = {kOther}}), kNoIdentity);
  EXPECT_EQ(Verdict({.identity = {kOther, kAllow}}), "allowed");
}

TEST(Evaluate, ADenyAnywhereWins) {
  EXPECT_EQ(Verdict({.identity = {kAllow, kDeny}}), "explicit: identity-based policy");
  EXPECT_EQ(Verdict({.identity = {kAllow}, .boundary = kDeny}), "explicit: permissions boundary");
  EXPECT_EQ(Verdict({.principal = &kSession, .identity = {kAllow}, .session = {kAllow, kDeny}}),
            "explicit: session policy");
  EXPECT_EQ(Verdict({.identity = {kAllow}, .resource = ResourcePolicy("'*'", "Deny")}),
            "explicit: resource-based policy");
  // Also over a resource policy that would need nothing else.
  EXPECT_EQ(Verdict({.identity = {kDeny}, .resource = ResourcePolicy(Aws(kBob.arn))}),
            "explicit: identity-based policy");
}

TEST(Evaluate, ExplicitDenialsAreNamedBeforeImplicitOnes) {
  EXPECT_EQ(Verdict({.principal = &kSession, .identity = {}, .session = {kDeny}}), "explicit: session policy");
  EXPECT_EQ(Verdict({.identity = {kDeny}, .boundary = kDeny}), "explicit: identity-based policy");
}

TEST(Evaluate, BoundaryAndSessionPoliciesNarrow) {
  EXPECT_EQ(Verdict({.identity = {kAllow}, .boundary = kOther}), kNoBoundary);
  EXPECT_EQ(Verdict({.identity = {kAllow}, .boundary = kAllow}), "allowed");
  EXPECT_EQ(Verdict({.identity = {}, .boundary = kAllow}), kNoIdentity);
  EXPECT_EQ(Verdict({.principal = &kSession, .identity = {kAllow}}), "allowed");
  EXPECT_EQ(Verdict({.principal = &kSession, .identity = {kAllow}, .session = {kOther}}), kNoSession);
  EXPECT_EQ(Verdict({.principal = &kSession, .identity = {kAllow}, .session = {kOther, kAllow}}), "allowed");
  EXPECT_EQ(Verdict({.principal = &kSession, .identity = {kAllow}, .boundary = kOther, .session = {kOther}}),
            kNoBoundary);
}

TEST(Evaluate, RootMayDoEverythingInItsAccount) {
  EXPECT_EQ(Verdict({.principal = &kRoot}), "allowed");
  EXPECT_EQ(Verdict({.principal = &kRoot, .resource = ResourcePolicy(Aws(kAccount), "Deny")}),
            "explicit: resource-based policy");
  EXPECT_EQ(Verdict({.principal = &kRoot, .resource_account = kOtherAccount}), kNoResource);
  EXPECT_EQ(
      Verdict({.principal = &kRoot, .resource = ResourcePolicy(Aws(kAccount)), .resource_account = kOtherAccount}),
      "allowed");
}

TEST(Evaluate, AFederatedUserHasWhatItsSessionWasGiven) {
  EXPECT_EQ(Verdict({.principal = &kFederated, .identity = {kAllow}}), kNoSession);
  EXPECT_EQ(Verdict({.principal = &kFederated, .identity = {kAllow}, .session = {kAllow}}), "allowed");
  EXPECT_EQ(Verdict({.principal = &kFederated, .identity = {}, .session = {kAllow}}), kNoIdentity);
  Principal of_root = kFederated;
  of_root.entity_arn = kRoot.arn;
  of_root.unique_id = {};
  EXPECT_EQ(Verdict({.principal = &of_root, .session = {kAllow}}), "allowed");
  EXPECT_EQ(Verdict({.principal = &of_root}), kNoSession);
}

// --- one account, a resource policy allows

// What stands between the principal and the resource, one at a time.
struct Row {
  const Principal& principal;
  std::string named;
  bool needs_identity;
  bool needs_boundary;
  bool needs_session;
};

void CheckRow(const Row& row) {
  const PolicyPtr resource = ResourcePolicy(row.named);
  SCOPED_TRACE(std::string(row.principal.arn) + " named " + row.named);
  const auto expected = [](bool needs, const char* denial) { return std::string(needs ? denial : "allowed"); };
  const std::vector<PolicyPtr> good_session =
      row.principal.kind == PrincipalKind::kUser ? std::vector<PolicyPtr>{} : std::vector<PolicyPtr>{kAllow};
  EXPECT_EQ(Verdict({&row.principal, {kAllow}, kAllow, good_session, resource}), "allowed");
  EXPECT_EQ(Verdict({&row.principal, {}, kAllow, good_session, resource}), expected(row.needs_identity, kNoIdentity));
  EXPECT_EQ(Verdict({&row.principal, {kAllow}, kOther, good_session, resource}),
            expected(row.needs_boundary, kNoBoundary));
  if (row.principal.kind == PrincipalKind::kUser) return;
  EXPECT_EQ(Verdict({&row.principal, {kAllow}, kAllow, {kOther}, resource}), expected(row.needs_session, kNoSession));
}

TEST(EvaluateTable, UserNamedByItsArn) { CheckRow({kBob, Aws(kBob.arn), false, false, false}); }
TEST(EvaluateTable, UserNamedByItsUniqueId) { CheckRow({kBob, Aws(kBob.unique_id), false, false, false}); }
TEST(EvaluateTable, RoleSessionNamedByItsRole) { CheckRow({kSession, Aws(kSession.entity_arn), false, true, true}); }
TEST(EvaluateTable, RoleSessionNamedByItself) { CheckRow({kSession, Aws(kSession.arn), false, false, false}); }
TEST(EvaluateTable, FederatedUserNamedByItself) { CheckRow({kFederated, Aws(kFederated.arn), false, false, false}); }
TEST(EvaluateTable, FederatedUserNamedByItsUser) { CheckRow({kFederated, Aws(kBob.arn), false, true, true}); }
TEST(EvaluateTable, AnybodyNamedByTheAccount) {
  for (const Principal* principal : {&kBob, &kSession, &kFederated}) {
    CheckRow({*principal, Aws(kAccount), true, true, true});
    CheckRow({*principal, Aws("arn:aws:iam::111122223333:root"), true, true, true});
  }
}
TEST(EvaluateTable, AnybodyNamedAsEverybody) {
  CheckRow({kBob, "'*'", false, false, true});
  CheckRow({kSession, "'*'", false, true, true});
  CheckRow({kFederated, Aws("*"), false, true, true});
}

TEST(Evaluate, AFederatedUserWithoutSessionPoliciesCanBeNamed) {
  EXPECT_EQ(Verdict({.principal = &kFederated, .resource = ResourcePolicy(Aws(kFederated.arn))}), "allowed");
  EXPECT_EQ(Verdict({.principal = &kFederated, .resource = ResourcePolicy(Aws(kBob.arn))}), kNoSession);
}

// The strongest of several ways in which a policy names somebody counts, whichever comes first.
TEST(Evaluate, StatementsOfAResourcePolicyAddUp) {
  const std::string by_account = "{'Effect':'Allow','Action':'*','Resource':'*','Principal':{'AWS':'111122223333'}}";
  const std::string by_name =
      "{'Effect':'Allow','Action':'*','Resource':'*','Principal':{'AWS':'" + std::string(kBob.arn) + "'}}";
  for (const std::string& statements : {by_account + "," + by_name, by_name + "," + by_account})
    EXPECT_EQ(Verdict({.resource = MakeStatements(statements, PolicyKind::kResource)}), "allowed");
}

TEST(Evaluate, AResourcePolicyThatSaysNothingChangesNothing) {
  EXPECT_EQ(Verdict({.identity = {kAllow}, .resource = ResourcePolicy(Aws(kOtherAccount))}), "allowed");
  EXPECT_EQ(Verdict({.resource = ResourcePolicy(Aws(kOtherAccount))}), kNoIdentity);
}

// --- two accounts

TEST(EvaluateAcrossAccounts, BothSidesMustAllow) {
  for (const std::string& named : {Aws(kAccount), Aws(kBob.arn), std::string("'*'")}) {
    const PolicyPtr resource = ResourcePolicy(named);
    EXPECT_EQ(Verdict({.identity = {kAllow}, .resource = resource, .resource_account = kOtherAccount}), "allowed");
    EXPECT_EQ(Verdict({.identity = {}, .resource = resource, .resource_account = kOtherAccount}), kNoIdentity);
    EXPECT_EQ(
        Verdict({.identity = {kAllow}, .boundary = kOther, .resource = resource, .resource_account = kOtherAccount}),
        kNoBoundary);
  }
  EXPECT_EQ(Verdict({.identity = {kAllow}, .resource_account = kOtherAccount}), kNoResource);
  EXPECT_EQ(
      Verdict(
          {.identity = {kAllow}, .resource = ResourcePolicy(Aws(kOtherAccount)), .resource_account = kOtherAccount}),
      kNoResource);
  EXPECT_EQ(
      Verdict({.identity = {kAllow}, .resource = ResourcePolicy("'*'", "Deny"), .resource_account = kOtherAccount}),
      "explicit: resource-based policy");
}

TEST(EvaluateAcrossAccounts, ToNameTheSessionWaivesNothing) {
  const PolicyPtr resource = ResourcePolicy(Aws(kSession.arn));
  EXPECT_EQ(Verdict({&kSession, {}, nullptr, {}, resource, kOtherAccount}), kNoIdentity);
  EXPECT_EQ(Verdict({&kSession, {kAllow}, kOther, {}, resource, kOtherAccount}), kNoBoundary);
  EXPECT_EQ(Verdict({&kSession, {kAllow}, kAllow, {kOther}, resource, kOtherAccount}), kNoSession);
  EXPECT_EQ(Verdict({&kSession, {kAllow}, kAllow, {kAllow}, resource, kOtherAccount}), "allowed");
}

// --- trust policies

std::string AssumeVerdict(const std::string& principal, const std::vector<PolicyPtr>& identity,
                          std::string_view role_account, const Principal& caller = kBob) {
  const PolicyPtr trust =
      MakeStatements("{'Effect':'Allow','Action':'sts:AssumeRole','Principal':" + principal + "}", PolicyKind::kTrust);
  const TestConditions none;
  const Request request{"sts:AssumeRole", "arn:aws:iam::111122223333:role/R", role_account, caller, none};
  const Decision decision = Evaluate(request, {.identity = identity, .resource = trust.get()});
  return decision.allowed() ? "allowed" : std::string(PolicyTypeName(decision.type));
}

TEST(EvaluateTrust, MustAllowEvenInOneAccount) {
  const PolicyPtr may_assume = MakeStatements("{'Effect':'Allow','Action':'sts:AssumeRole','Resource':'*'}");
  EXPECT_EQ(AssumeVerdict(Aws(kBob.arn), {}, kAccount), "allowed");
  EXPECT_EQ(AssumeVerdict(Aws(kAccount), {}, kAccount), "identity-based policy");
  EXPECT_EQ(AssumeVerdict(Aws(kAccount), {may_assume}, kAccount), "allowed");
  EXPECT_EQ(AssumeVerdict(Aws(kOtherAccount), {may_assume}, kAccount), "role trust policy");
  EXPECT_EQ(AssumeVerdict(Aws(kBob.arn), {}, kOtherAccount), "identity-based policy");
  EXPECT_EQ(AssumeVerdict(Aws(kBob.arn), {may_assume}, kOtherAccount), "allowed");
}

TEST(EvaluateTrust, WhoeverStandsOutsideAccountsNeedsTheTrustPolicyOnly) {
  const Principal lambda = {PrincipalKind::kService, "lambda.amazonaws.com", {}};
  EXPECT_EQ(AssumeVerdict("{'Service':'lambda.amazonaws.com'}", {}, kAccount, lambda), "allowed");
  EXPECT_EQ(AssumeVerdict("{'Service':'dax.amazonaws.com'}", {}, kAccount, lambda), "role trust policy");
  const Principal nobody = {PrincipalKind::kAnonymous, "anonymous", {}};
  EXPECT_EQ(AssumeVerdict(Aws(kAccount), {}, kAccount, nobody), "role trust policy");
}

// --- texts

TEST(DenialText, SaysWhoWhatAndWhy) {
  const TestConditions none;
  const Request request{"dynamodb:Query", kTableArn, {}, kSession, none};
  const std::string head =
      "User: arn:aws:sts::111122223333:assumed-role/Reader/s1 is not authorized to perform: dynamodb:Query on "
      "resource: "
      "arn:aws:dynamodb:us-east-1:111122223333:table/Games ";
  const auto implicit = [&](PolicyType type) { return DenialText(request, {Outcome::kImplicitDeny, type}); };
  const auto explicitly = [&](PolicyType type) { return DenialText(request, {Outcome::kExplicitDeny, type}); };
  EXPECT_EQ(implicit(PolicyType::kIdentity),
            head + "because no identity-based policy allows the dynamodb:Query action");
  EXPECT_EQ(implicit(PolicyType::kResource),
            head + "because no resource-based policy allows the dynamodb:Query action");
  EXPECT_EQ(implicit(PolicyType::kBoundary), head + "because no permissions boundary allows the dynamodb:Query action");
  EXPECT_EQ(implicit(PolicyType::kSession), head + "because no session policy allows the dynamodb:Query action");
  EXPECT_EQ(implicit(PolicyType::kTrust), head + "because no role trust policy allows the dynamodb:Query action");
  EXPECT_EQ(explicitly(PolicyType::kIdentity), head + "with an explicit deny in an identity-based policy");
  EXPECT_EQ(explicitly(PolicyType::kResource), head + "with an explicit deny in a resource-based policy");
  EXPECT_EQ(explicitly(PolicyType::kBoundary), head + "with an explicit deny in a permissions boundary");
  EXPECT_EQ(explicitly(PolicyType::kSession), head + "with an explicit deny in a session policy");
  EXPECT_EQ(explicitly(PolicyType::kTrust), head + "with an explicit deny in the role trust policy");
}

}  // namespace
}  // namespace armature::policy
