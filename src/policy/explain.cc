#include "policy/explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "policy/question.h"
#include "policy/values/letter_case.h"

namespace armature::policy {

namespace {

// visit(type, index among its type, policy), in the order of a decision.
template <class Visit>
void ForEachPolicy(const ApplicablePolicies& policies, Visit visit) {
  if (policies.resource != nullptr) {
    const bool is_trust = policies.resource->kind() == PolicyKind::kTrust;
    visit(is_trust ? PolicyType::kTrust : PolicyType::kResource, size_t{0}, *policies.resource);
  }
  for (size_t i = 0; i < policies.identity.size(); ++i) visit(PolicyType::kIdentity, i, *policies.identity[i]);
  if (policies.boundary != nullptr) visit(PolicyType::kBoundary, size_t{0}, *policies.boundary);
  for (size_t i = 0; i < policies.session.size(); ++i) visit(PolicyType::kSession, i, *policies.session[i]);
}

std::string Reason(const StatementReport& report) {
  switch (report.mismatch) {
    case Mismatch::kNone: return {};
    case Mismatch::kAction: return "the action is another";
    case Mismatch::kResource: return "the resource is another";
    case Mismatch::kPrincipal: return "the principal is another";
    case Mismatch::kCondition:
      return fmt::format("the condition {} on {} does not hold", report.condition_operator, report.condition_key);
  }
  return {};
}

}  // namespace

Explanation Explain(const Request& request, const ApplicablePolicies& policies) {
  Explanation explanation;
  explanation.decision = Evaluate(request, policies);
  const Question question(request);
  ForEachPolicy(policies, [&](PolicyType type, size_t index, const Policy& policy) {
    const auto statements = policy.statements();
    for (size_t i = 0; i < statements.size(); ++i) {
      const StatementMatch match = statements[i].Match(question);
      StatementReport report{type, index, i, statements[i].sid, statements[i].effect, match.mismatch};
      if (match.condition != nullptr) {
        report.condition_operator = match.condition->operation_name();
        report.condition_key = match.condition->key_name();
      }
      explanation.statements.push_back(report);
    }
  });
  return explanation;
}

std::string Describe(const StatementReport& report) {
  std::string text =
      fmt::format("{} {}, statement {}", PolicyTypeName(report.type), report.policy + 1, report.statement + 1);
  if (!report.sid.empty()) text += fmt::format(" ({})", report.sid);
  const std::string_view verb = report.effect == Effect::kAllow ? "allow" : "deny";
  if (report.matches()) return text + (report.effect == Effect::kAllow ? ": allows" : ": denies");
  return text + fmt::format(": would {}, but {}", verb, Reason(report));
}

std::vector<std::string> MissingContextKeys(const Request& request, const ApplicablePolicies& policies) {
  const Question question(request);
  std::vector<std::string> missing;
  ForEachPolicy(policies, [&](PolicyType, size_t, const Policy& policy) {
    for (std::string& name : ContextKeys(policy)) {
      const std::string lower = LowerCase(name);
      if (question.Find(ConditionKeyOf(lower)).empty()) missing.push_back(std::move(name));
    }
  });
  std::ranges::sort(missing);
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  return missing;
}

std::vector<std::string> LooseConditions(const ApplicablePolicies& policies) {
  const auto is_loose = [](const Condition& condition) {
    const Operator& operation = condition.operation();
    return operation.set == SetPrefix::kNone && operation.family != OperatorFamily::kNull &&
           IsMultivalued(condition.key().known);
  };
  std::vector<std::string> lines;
  ForEachPolicy(policies, [&](PolicyType type, size_t index, const Policy& policy) {
    const auto statements = policy.statements();
    for (size_t i = 0; i < statements.size(); ++i) {
      if (statements[i].effect != Effect::kAllow) continue;
      for (const Condition& condition : statements[i].conditions)
        if (is_loose(condition))
          lines.push_back(
              fmt::format("{} {}, statement {}: {} on {} holds if one of several values fits; "
                          "ForAllValues:{} wants all of them to",
                          PolicyTypeName(type), index + 1, i + 1, condition.operation_name(), condition.key_name(),
                          condition.operation_name()));
    }
  });
  return lines;
}

}  // namespace armature::policy
