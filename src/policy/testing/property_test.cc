// Random policies and requests: the evaluator against the reference (reference_evaluator.h). Failures print the request
// and all documents.
#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "policy/explain.h"
#include "policy/testing/policy_testing.h"
#include "policy/testing/reference_evaluator.h"

namespace armature::policy {
namespace {

using Random = std::mt19937;
using Words = std::vector<std::string>;

const Words kActions = {
    "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:*", "dynamodb:Get*", "*", "s3:*",
    "dynamodb:?etItem", "DYNAMODB:*item",   "dynamodb:G*t*m"};
const Words kResources = {"*",
                          "arn:aws:dynamodb:us-east-1:111122223333:table/Games",
                          "arn:aws:dynamodb:*:*:table/G*",
                          "arn:aws:dynamodb:us-*-1:*:table/*",
                          "arn:aws:dynamodb:us*:table/?ames",
                          "arn:aws:dynamodb",
                          "arn:aws:dynamodb:us-west-2",
                          "arn:aws:dynamodb:*:*:table/${aws:username}",
                          "arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/t, 'Games'}*",
                          "arn:aws:dynamodb:*:*:table/${t:s}${*}",
                          "arn:aws:dynamodb:*:*:table/Games/index/*"};
const Words kRequestResources = {"*", "arn:aws:dynamodb:us-east-1:111122223333:table/Games",
                                 "arn:aws:dynamodb:us-east-1:111122223333:table/Games/index/ByTitle",
                                 "arn:aws:dynamodb:us-west-2:111122223333:table/bob",
                                 "arn:aws:dynamodb:us-east-1:111122223333:table/a*"};
const Words kPrincipals = {R"("*")",
                           R"({"AWS":"*"})",
                           R"({"AWS":"111122223333"})",
                           R"({"AWS":"arn:aws:iam::111122223333:root"})",
                           R"({"AWS":"444455556666"})",
                           R"({"AWS":["arn:aws:iam::111122223333:user/bob","444455556666"]})",
                           R"({"AWS":"AIDABOBBOBBOBBOBBOBBO"})",
                           R"({"AWS":"arn:aws:iam::111122223333:role/team/Reader"})",
                           R"({"AWS":["111122223333","arn:aws:iam::111122223333:role/team/Reader"]})",
                           R"({"AWS":"arn:aws:sts::111122223333:assumed-role/Reader/s1"})",
                           R"({"AWS":["arn:aws:sts::111122223333:federated-user/guest","111122223333"]})",
                           R"({"Service":"lambda.amazonaws.com"})"};

// Trust policies, and who asks for a role.
const Words kTrustActions = {"sts:AssumeRole", "sts:AssumeRoleWithWebIdentity", "sts:TagSession",
                             "sts:SetSourceIdentity", "sts:*"};
const Words kRequestTrustActions = {"sts:AssumeRole", "sts:AssumeRoleWithWebIdentity", "sts:SetSourceIdentity"};
constexpr std::string_view kRoleArn = "arn:aws:iam::111122223333:role/team/Reader";
constexpr std::string_view kProviderArn = "arn:aws:iam::111122223333:oidc-provider/i.example";
constexpr Principal kStranger = {PrincipalKind::kWebIdentity, kProviderArn, {}};
constexpr Principal kService = {PrincipalKind::kService, "lambda.amazonaws.com", {}};
const Words kTrusted = {R"("*")",
                        R"({"AWS":"111122223333"})",
                        R"({"AWS":"444455556666"})",
                        R"({"AWS":["arn:aws:iam::111122223333:user/bob","444455556666"]})",
                        R"({"AWS":"AIDABOBBOBBOBBOBBOBBO"})",
                        R"({"AWS":"arn:aws:sts::111122223333:assumed-role/Reader/s1"})",
                        R"({"Service":"lambda.amazonaws.com"})",
                        R"({"Service":["s3.amazonaws.com","lambda.amazonaws.com"],"AWS":"111122223333"})",
                        R"({"Federated":"arn:aws:iam::111122223333:oidc-provider/i.example"})",
                        R"({"Federated":["arn:aws:iam::111122223333:oidc-provider/o.example"]})",
                        R"({"Federated":"accounts.google.com"})"};

// Keys of one family have values that its operators understand, and now and then others.
struct KeyFamily {
  Words operators;
  Words keys;
  Words policy_values;  // as JSON
  Words request_values;
};
const KeyFamily kFamilies[] = {
    {{"StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase", "StringLike",
      "StringNotLike"},
     {"t:s", "dynamodb:LeadingKeys", "aws:PrincipalTag/T", "aws:username", "AWS:PrincipalAccount"},
     {R"("a")", R"("b")", R"("A")", R"("a*")", R"("*b")", R"("${aws:username}")", R"("${t:s}")",
      R"("${t:absent, 'b'}")", R"("?")", R"("bob")", R"("${*}")", R"("111122223333")", R"("${aws:username}${?}*")"},
     {"a", "b", "A", "ab", "bob", "a*", "", "*"}},
    {{"NumericEquals", "NumericNotEquals", "NumericLessThan", "NumericLessThanEquals", "NumericGreaterThan",
      "NumericGreaterThanEquals"},
     {"t:n", "T:N2"},
     {"1", "2", R"("1.50")", R"("-3")", "10", R"("x")"},
     {"1", "1.5", "2.0", "-3", "10", "x", "0"}},
    {{"DateEquals", "DateNotEquals", "DateLessThan", "DateLessThanEquals", "DateGreaterThan", "DateGreaterThanEquals"},
     {"t:d", "aws:CurrentTime"},
     {R"("2026-11-18T11:30:00Z")", R"("2026-11-18T11:30:01Z")", "1795001400", R"("0")"},
     {"2026-11-18T11:30:00Z", "2020-02-29T00:00:00Z", "1795001400", "1795001401", "never"}},
    {{"Bool"},
     {"t:b", "aws:SecureTransport"},
     {"true", "false", R"("TRUE")", R"("${t:b}")", R"("x")"},
     {"true", "false", "True", "x"}},
    {{"IpAddress", "NotIpAddress"},
     {"aws:SourceIp", "t:ip"},
     {R"("10.0.0.0/8")", R"("10.1.2.3")", R"("0.0.0.0/0")", R"("192.168.1.0/25")", R"("x")"},
     {"10.1.2.3", "10.255.0.1", "192.168.1.127", "192.168.1.128", "::1"}},
    {{"ArnEquals", "ArnLike", "ArnNotEquals", "ArnNotLike"},
     {"t:arn", "aws:PrincipalArn"},
     {R"("arn:aws:iam::*:user/*")", R"("arn:aws:iam::111122223333:role/team/Reader")", R"("${aws:PrincipalArn}")",
      R"("arn:*")", R"("arn:aws:i?m::1*:*/${aws:username}")", R"("*")", R"("arn:aws:lambda:*:*:function:*")"},
     {"arn:aws:iam::111122223333:user/bob", "arn:aws:iam::111122223333:role/team/Reader",
      "arn:aws:lambda:us-east-1:1:function:f:2", "x:y"}},
    {{"StringEquals", "StringNotEquals", "StringLike"},
     {"i.example:sub", "sts:SourceIdentity", "sts:ExternalId", "sts:RoleSessionName", "sts:TransitiveTagKeys"},
     {R"("bob")", R"("b*")", R"("${aws:username}")", R"("${i.example:sub}")", R"("${sts:ExternalId, 'eve'}")"},
     {"bob", "eve", "b*"}},
    {{"BinaryEquals"}, {"t:bin"}, {R"("QQ==")", R"("QUI=")"}, {"QQ==", "QUI=", "QkI="}},
};

class Generator {
 public:
  // `actions` are those of identity and resource policies.
  explicit Generator(uint32_t seed, Words actions = kActions) : random_(seed), actions_(std::move(actions)) {}

  size_t Below(size_t n) { return random_() % n; }
  bool OneIn(size_t n) { return Below(n) == 0; }
  template <class List>
  auto& Pick(List& list) {
    return list[Below(std::size(list))];
  }

  // One of the words, or a list of up to three.
  std::string OneOrMore(const Words& json_words) {
    if (!OneIn(3)) return Pick(json_words);
    std::string list;
    for (size_t left = Below(4); left > 0; --left) list += (list.empty() ? "" : ",") + Pick(json_words);
    return "[" + list + "]";
  }
  std::string OneOrMoreTexts(const Words& words) {
    Words quoted;
    for (const std::string& word : words) quoted.push_back('"' + word + '"');
    std::string chosen = OneOrMore(quoted);
    return chosen == "[]" ? quoted[0] : chosen;
  }

  std::string Conditions() {
    std::map<std::string, std::map<std::string, std::string>> operators;
    for (size_t left = Below(3); left > 0; --left) {
      if (OneIn(8)) {
        operators["Null"][Pick(Pick(kFamilies).keys)] = OneIn(2) ? "true" : R"("false")";
        continue;
      }
      const KeyFamily& family = Pick(kFamilies);
      std::string name = Pick(family.operators);
      if (OneIn(3)) name = (OneIn(2) ? "ForAllValues:" : "ForAnyValue:") + name;
      if (OneIn(4)) name += "IfExists";
      // Bad dates are refused; all others may have any value.
      operators[name][Pick(family.keys)] = OneOrMore(family.policy_values);
    }
    std::string json;
    for (const auto& [name, keys] : operators) {
      std::string members;
      for (const auto& [key, value] : keys) members += (members.empty() ? "" : ",") + ('"' + key + "\":" + value);
      json += (json.empty() ? "" : ",") + ('"' + name + "\":{" + members + "}");
    }
    return "{" + json + "}";
  }

  std::string Document(PolicyKind kind) {
    std::string statements;
    for (size_t left = 1 + Below(3); left > 0; --left) {
      std::string statement = OneIn(4) ? R"({"Effect":"Deny")" : R"({"Effect":"Allow")";
      if (kind == PolicyKind::kTrust) {
        statement += R"(,"Action":)" + OneOrMoreTexts(kTrustActions);
        statement += (OneIn(6) ? R"(,"NotPrincipal":)" : R"(,"Principal":)") + Pick(kTrusted);
      } else {
        statement += (OneIn(5) ? R"(,"NotAction":)" : R"(,"Action":)") + OneOrMoreTexts(actions_);
        statement += (OneIn(5) ? R"(,"NotResource":)" : R"(,"Resource":)") + OneOrMoreTexts(kResources);
      }
      if (kind == PolicyKind::kResource)
        statement += (OneIn(6) ? R"(,"NotPrincipal":)" : R"(,"Principal":)") + Pick(kPrincipals);
      if (OneIn(2)) statement += R"(,"Condition":)" + Conditions();
      statements += (statements.empty() ? "" : ",") + statement + "}";
    }
    const bool is_old = kind != PolicyKind::kIdentity && OneIn(4);
    return std::string(R"({"Version":")") + (is_old ? "2008-10-17" : "2012-10-17") + R"(","Statement":[)" + statements +
           "]}";
  }

  TestConditions RequestConditions() {
    TestConditions conditions;
    for (const KeyFamily& family : kFamilies)
      for (const std::string& key : family.keys) {
        if (OneIn(3)) continue;
        std::vector<std::string> values = {Pick(family.request_values)};
        const bool is_multivalued = key == "dynamodb:LeadingKeys" || key == "sts:TransitiveTagKeys";
        while (is_multivalued && OneIn(2)) values.push_back(Pick(family.request_values));
        conditions.Set(key, values);
      }
    return conditions;
  }

 private:
  Random random_;
  const Words actions_;
};

std::string ShortVerdict(const Decision& decision) {
  if (decision.allowed()) return "allowed";
  const char* const types[] = {"identity", "boundary", "session", "resource", "trust"};
  return std::string(decision.outcome == Decision::Outcome::kExplicitDeny ? "explicit " : "implicit ") +
         types[static_cast<size_t>(decision.type)];
}

// The documents that apply to one request, as text and compiled.
struct World {
  ReferencePolicies texts;
  std::vector<std::shared_ptr<const Policy>> identity;
  std::shared_ptr<const Policy> boundary;
  std::vector<std::shared_ptr<const Policy>> session;
  std::shared_ptr<const Policy> resource;  // or the trust policy

  ApplicablePolicies policies() const { return {identity, boundary.get(), session, resource.get()}; }
  std::string Show() const {
    std::string text;
    for (const std::string& document : texts.identity) text += "\nidentity " + document;
    if (texts.boundary) text += "\nboundary " + *texts.boundary;
    for (const std::string& document : texts.session) text += "\nsession " + document;
    if (texts.resource) text += "\nresource " + *texts.resource;
    if (texts.trust) text += "\ntrust " + *texts.trust;
    return text;
  }
};

World MakeWorld(Generator& generator, PolicyKind of_resource = PolicyKind::kResource) {
  const auto compile = [](const std::string& document, PolicyKind kind) {
    auto policy = Parse(document, kind);
    EXPECT_TRUE(policy) << document << ": " << (policy ? "" : policy.error().message());
    return policy ? *policy : nullptr;
  };
  World world;
  for (size_t left = generator.Below(3); left > 0; --left)
    world.texts.identity.push_back(generator.Document(PolicyKind::kIdentity));
  if (generator.OneIn(3)) world.texts.boundary = generator.Document(PolicyKind::kIdentity);
  if (generator.OneIn(3)) world.texts.session = {generator.Document(PolicyKind::kIdentity)};
  if (of_resource == PolicyKind::kTrust) world.texts.trust = generator.Document(PolicyKind::kTrust);
  else if (generator.OneIn(2)) world.texts.resource = generator.Document(PolicyKind::kResource);
  for (const std::string& text : world.texts.identity) world.identity.push_back(compile(text, PolicyKind::kIdentity));
  for (const std::string& text : world.texts.session) world.session.push_back(compile(text, PolicyKind::kIdentity));
  if (world.texts.boundary) world.boundary = compile(*world.texts.boundary, PolicyKind::kIdentity);
  if (world.texts.resource) world.resource = compile(*world.texts.resource, PolicyKind::kResource);
  if (world.texts.trust) world.resource = compile(*world.texts.trust, PolicyKind::kTrust);
  return world;
}

TEST(PolicyProperty, DecidesAsTheReferenceDoes) {
  Generator generator(20261118);
  std::map<std::string, int> verdicts;
  const Principal* const principals[] = {&kBob, &kRoot, &kSession, &kFederated};
  for (int i = 0; i < 6000; ++i) {
    const World world = MakeWorld(generator);
    if (HasFailure()) return;
    for (int j = 0; j < 4; ++j) {
      const TestConditions conditions = generator.RequestConditions();
      const Principal& principal = *principals[generator.Below(4)];
      const std::string& resource = generator.Pick(kRequestResources);
      const Request request{generator.OneIn(2) ? "dynamodb:GetItem" : "dynamodb:PutItem", resource,
                            generator.OneIn(4) ? kOtherAccount : std::string_view(), principal, conditions};
      const std::string verdict = ShortVerdict(Evaluate(request, world.policies()));
      ++verdicts[verdict];
      std::string shown;
      for (const auto& [key, values] : conditions.values())
        for (const std::string& value : values) shown += " " + key + "=" + value;
      ASSERT_EQ(verdict, ReferenceVerdict(request, conditions.values(), world.texts))
          << i << "/" << j << ": " << principal.arn << " " << request.action << " on " << resource << shown
          << world.Show();
    }
  }
  // Every outcome was there, and often.
  for (const char* verdict :
       {"allowed", "explicit identity", "explicit boundary", "explicit session", "explicit resource",
        "implicit identity", "implicit boundary", "implicit session", "implicit resource"})
    EXPECT_GT(verdicts[verdict], 100) << verdict;
}

// Who may have a role: users, roles and roots of its account and of another one, web identities and services.
TEST(PolicyProperty, TrustsWhomTheReferenceDoes) {
  Generator generator(20261119, {"sts:AssumeRole", "sts:*", "*", "dynamodb:*", "sts:Assume*", "STS:*identity"});
  std::map<std::string, int> verdicts;
  std::map<PrincipalKind, int> allowed;
  const Principal* const principals[] = {&kBob, &kRoot, &kSession, &kFederated, &kStranger, &kService};
  for (int i = 0; i < 4000; ++i) {
    World world = MakeWorld(generator, PolicyKind::kTrust);
    if (HasFailure()) return;
    for (int j = 0; j < 4; ++j) {
      const TestConditions conditions = generator.RequestConditions();
      const Principal& principal = *principals[generator.Below(std::size(principals))];
      const bool is_outside = principal.account.empty();
      // Who belongs to no account has no policies of his own.
      World asked = world;
      if (is_outside) {
        asked.texts.identity.clear();
        asked.identity.clear();
        asked.texts.session.clear();
        asked.session.clear();
        asked.texts.boundary.reset();
        asked.boundary.reset();
      }
      const std::string& action = generator.Pick(kRequestTrustActions);
      const Request request{action, kRoleArn, generator.OneIn(3) ? kOtherAccount : kAccount, principal, conditions};
      const std::string verdict = ShortVerdict(Evaluate(request, asked.policies()));
      ++verdicts[verdict];
      if (verdict == "allowed") ++allowed[principal.kind];
      std::string shown;
      for (const auto& [key, values] : conditions.values())
        for (const std::string& value : values) shown += " " + key + "=" + value;
      ASSERT_EQ(verdict, ReferenceVerdict(request, conditions.values(), asked.texts))
          << i << "/" << j << ": " << principal.arn << " " << request.action << shown << asked.Show();
    }
  }
  for (const char* verdict : {"allowed", "explicit trust", "explicit identity", "implicit trust", "implicit identity"})
    EXPECT_GT(verdicts[verdict], 100) << verdict;
  for (const Principal* const principal : principals) EXPECT_GT(allowed[principal->kind], 5) << principal->arn;
}

// What is told of single statements fits the decision.
TEST(PolicyProperty, ExplanationsFitTheDecision) {
  Generator generator(1);
  for (int i = 0; i < 2000; ++i) {
    const World world = MakeWorld(generator);
    const TestConditions conditions = generator.RequestConditions();
    const Request request{"dynamodb:GetItem", generator.Pick(kRequestResources), {}, kSession, conditions};
    const Explanation explanation = Explain(request, world.policies());
    const auto matches = [&](Effect effect, PolicyType type) {
      return std::ranges::any_of(explanation.statements, [&](const StatementReport& report) {
        return report.matches() && report.effect == effect && report.type == type;
      });
    };
    const Decision& decision = explanation.decision;
    if (decision.outcome == Decision::Outcome::kExplicitDeny) {
      EXPECT_TRUE(matches(Effect::kDeny, decision.type)) << world.Show();
    } else {
      for (const StatementReport& report : explanation.statements)
        EXPECT_FALSE(report.matches() && report.effect == Effect::kDeny) << world.Show();
      EXPECT_FALSE(!decision.allowed() && matches(Effect::kAllow, decision.type)) << world.Show();
    }
  }
}

}  // namespace
}  // namespace armature::policy
