// Policies: documents parsed as every kind, and a request held against them.
//
// Input: lines. The document; then the action, the resource, and condition keys as key=value. A malformed document has
// an error with a text. Of one that parses: the order of statements changes nothing, a Deny of everything denies, an
// Allow of everything leaves explicit denials only, the explanation fits the decision, and every statement has its
// place in the text.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/fuzz_check.h"
#include "policy/document/statement_positions.h"
#include "policy/explain.h"
#include "policy/resource/resource_policy.h"
#include "policy/testing/policy_testing.h"

namespace armature::policy {
namespace {

using PolicyPtr = std::shared_ptr<const Policy>;

struct Input {
  std::string_view document;
  std::string_view action = "dynamodb:GetItem";
  std::string_view resource = kTableArn;
  TestConditions conditions;

  explicit Input(std::string_view text) {
    const auto take_line = [&] {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      return line;
    };
    document = take_line();
    if (!text.empty()) action = take_line();
    if (!text.empty()) resource = take_line();
    while (!text.empty()) {
      const std::string_view line = take_line();
      const size_t equals = std::min(line.find('='), line.size());
      const std::string_view value = line.substr(std::min(equals + 1, line.size()));
      std::vector<std::string> values;
      if (const auto found = conditions.values().find(LowerCase(line.substr(0, equals)));
          found != conditions.values().end())
        values = found->second;
      values.emplace_back(value);
      conditions.Set(line.substr(0, equals), values);
    }
  }
};

// The same statements from the last to the first.
PolicyPtr Reversed(const Policy& policy) {
  auto arena = std::make_unique<Arena>();
  std::vector<Statement> statements(policy.statements().begin(), policy.statements().end());
  std::ranges::reverse(statements);
  const auto copy = arena->Copy(statements);
  return std::make_shared<Policy>(policy.kind(), std::move(arena), copy);
}

bool IsSame(const Decision& a, const Decision& b) {
  return a.outcome == b.outcome && (a.allowed() || a.type == b.type);
}

void CheckIdentity(const PolicyPtr& policy, const Request& request) {
  static const PolicyPtr allow = MakeStatements("{'Effect':'Allow','Action':'*','Resource':'*'}");
  static const PolicyPtr deny = MakeStatements("{'Effect':'Deny','Action':'*','Resource':'*'}");
  const auto decide = [&](const std::vector<PolicyPtr>& policies) { return Evaluate(request, {.identity = policies}); };
  const Decision decision = decide({policy});
  Require(IsSame(decision, decide({Reversed(*policy)})), "the order of statements means nothing");
  Require(decide({policy, deny}).outcome == Decision::Outcome::kExplicitDeny, "a deny of everything denies");
  Require(decide({policy, allow}).allowed() == (decision.outcome != Decision::Outcome::kExplicitDeny),
          "beside an allow of everything only explicit denials are left");
  const Explanation explanation = Explain(request, {.identity = {&policy, 1}});
  bool allows = false;
  bool denies = false;
  for (const StatementReport& report : explanation.statements) {
    Require(!Describe(report).empty(), "a statement can be described");
    if (report.matches()) (report.effect == Effect::kAllow ? allows : denies) = true;
  }
  Require(decision.allowed() == (allows && !denies), "the explanation fits the decision");
}

// A key written with escapes is not found, which is no statement fewer to find fault with.
void CheckPositions(std::string_view document, size_t statements) {
  const auto positions = StatementPositions(document);
  Require(positions.size() == statements || positions.empty(), "every statement has its place");
}

void Check(std::string_view text) {
  const Input input(text);
  const Request request{input.action, input.resource, {}, kBob, input.conditions};
  for (const PolicyKind kind : {PolicyKind::kIdentity, PolicyKind::kTrust, PolicyKind::kResource}) {
    const auto policy = Parse(input.document, kind);
    if (!policy) {
      Require(policy.error().code() == StatusCode::kInvalidArgument && !policy.error().message().empty(),
              "an error has a text");
      continue;
    }
    (void)ContextKeys(**policy);
    CheckPositions(input.document, (*policy)->statements().size());
    if (kind == PolicyKind::kIdentity) CheckIdentity(*policy, request);
    else (void)Evaluate(request, {.resource = policy->get()});
    if (kind == PolicyKind::kResource) (void)IsPublic(**policy);
  }
  (void)ParseResourcePolicy(input.document, PolicyOwner::kTable, kTableArn);
}

}  // namespace
}  // namespace armature::policy

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  armature::policy::Check(armature::FuzzText(data, size));
  return 0;
}
