#include "iam_api/simulation/simulation.h"

#include <algorithm>
#include <span>

#include "iam/entities/names.h"

namespace armature::iam_api {

using policy::Decision;
using query::QueryResult;

namespace {

constexpr std::string_view kLeadingKeys = "dynamodb:leadingkeys";
constexpr std::string_view kFirstKeys = "dynamodb:firstpartitionkeyvalues";

model::ApiResult<iam::DocumentRef> Read(std::string_view text, policy::PolicyKind kind) {
  auto document = iam::MakeDocument(text, kind);
  if (!document) return wire::iam::InvalidInput(document.error().message);
  return *document;
}

std::string DecisionName(const Decision& decision) {
  switch (decision.outcome) {
    case Decision::Outcome::kAllowed: return "allowed";
    case Decision::Outcome::kExplicitDeny: return "explicitDeny";
    case Decision::Outcome::kImplicitDeny: break;
  }
  return "implicitDeny";
}

wire::iam::Position PositionOf(const policy::TextPosition& position) {
  wire::iam::Position told;
  told.Line = static_cast<int64_t>(position.line);
  told.Column = static_cast<int64_t>(position.column);
  return told;
}

// Whether the boundary by itself would let it pass.
bool AllowsAlone(const policy::Explanation& explanation, policy::PolicyType type) {
  bool is_allowed = false;
  for (const policy::StatementReport& report : explanation.statements) {
    if (report.type != type || !report.matches()) continue;
    if (report.effect == policy::Effect::kDeny) return false;
    is_allowed = true;
  }
  return is_allowed;
}

}  // namespace

QueryResult CountGivenPolicies(const wire::List<std::string_view>& texts, size_t& bytes) {
  for (const std::string_view text : texts) bytes += text.size();
  if (bytes <= kMostGivenPolicyBytes) return {};
  return wire::iam::InvalidInput(
      fmt::format("The policies of a simulation can have {} characters together.", kMostGivenPolicyBytes));
}

QueryResult CheckContextSize(const wire::List<wire::iam::ContextEntryInput>& entries) {
  size_t values = 0, bytes = 0;
  for (const auto& entry : entries)
    for (const std::string_view value : entry.ContextKeyValues) {
      ++values;
      bytes += value.size();
    }
  if (values <= kMostContextValues && bytes <= kMostContextBytes) return {};
  return wire::iam::InvalidInput(fmt::format("ContextEntries can have {} values of {} characters together.",
                                             kMostContextValues, kMostContextBytes));
}

GivenConditions::GivenConditions(const wire::List<wire::iam::ContextEntryInput>& entries) {
  for (const auto& entry : entries) {
    auto& values = values_[iam::FoldCase(entry.ContextKeyName.value_or({}))];
    values.assign(entry.ContextKeyValues.begin(), entry.ContextKeyValues.end());
  }
}

policy::ConditionValues GivenConditions::Find(const policy::ConditionKey& key) const {
  auto found = values_.find(key.name);
  // One key with two names.
  if (found == values_.end() && key.known == policy::KnownKey::kLeadingKeys)
    found = values_.find(key.name == kLeadingKeys ? kFirstKeys : kLeadingKeys);
  if (found == values_.end()) return policy::ConditionValues::None();
  return policy::ConditionValues::Many(std::span<const std::string_view>(found->second));
}

QueryResult Simulation::AddIdentityPolicy(std::string_view text, std::string source) {
  ARMATURE_TRY(iam::DocumentRef document, Read(text, policy::PolicyKind::kIdentity));
  AddIdentityPolicy(std::move(document), std::move(source));
  return {};
}

void Simulation::AddIdentityPolicy(iam::DocumentRef document, std::string source) {
  identity_.push_back(document->compiled);
  held_.push_back({.source = std::move(source)});
  held_.back().Hold(std::move(document));
}

QueryResult Simulation::SetBoundary(std::string_view text) {
  ARMATURE_TRY(iam::DocumentRef document, Read(text, policy::PolicyKind::kIdentity));
  SetBoundary(std::move(document));
  return {};
}

QueryResult Simulation::SetResourcePolicy(std::string_view text) {
  ARMATURE_TRY(iam::DocumentRef document, Read(text, policy::PolicyKind::kResource));
  resource_.Hold(std::move(document));
  return {};
}

void Simulation::Held::Hold(iam::DocumentRef held) {
  document = std::move(held);
  positions = policy::StatementPositions(document->text);
}

size_t Simulation::policy_bytes() const {
  const auto bytes_of = [](const Held& held) { return held.document ? held.document->text.size() : 0; };
  size_t bytes = bytes_of(boundary_) + bytes_of(resource_);
  for (const Held& held : held_) bytes += bytes_of(held);
  return bytes;
}

const Simulation::Held& Simulation::HolderOf(const policy::StatementReport& report) const {
  if (report.type == policy::PolicyType::kIdentity) return held_[report.policy];
  return report.type == policy::PolicyType::kBoundary ? boundary_ : resource_;
}

wire::iam::Statement Simulation::Matched(const policy::StatementReport& report) const {
  const Held& holder = HolderOf(report);
  wire::iam::Statement matched;
  matched.SourcePolicyId = holder.source;
  matched.SourcePolicyType = &holder == &resource_ ? "Resource Policy" : "IAM Policy";
  if (report.statement >= holder.positions.size()) return matched;
  matched.StartPosition = PositionOf(holder.positions[report.statement].begin);
  matched.EndPosition = PositionOf(holder.positions[report.statement].end);
  return matched;
}

wire::iam::EvaluationResult Simulation::Run(std::string_view action, std::string_view resource,
                                            std::string_view resource_account, const policy::Principal& principal,
                                            const policy::ConditionSource& conditions) const {
  policy::ApplicablePolicies policies;
  policies.identity = identity_;
  policies.boundary = boundary_.policy();
  policies.resource = resource_.policy();
  const policy::Request request{action, resource, resource_account, principal, conditions};
  const policy::Explanation explanation = policy::Explain(request, policies);

  wire::iam::EvaluationResult result;
  result.EvalActionName = action;
  result.EvalResourceName = resource;
  result.EvalDecision = DecisionName(explanation.decision);
  result.MissingContextValues = policy::MissingContextKeys(request, policies);
  result.MatchedStatements.emplace();
  const policy::Effect decisive = explanation.decision.allowed() ? policy::Effect::kAllow : policy::Effect::kDeny;
  for (const policy::StatementReport& report : explanation.statements) {
    if (!report.matches() || report.effect != decisive) continue;
    result.MatchedStatements->push_back(Matched(report));
  }
  if (boundary_.document) {
    result.PermissionsBoundaryDecisionDetail.emplace().AllowedByPermissionsBoundary =
        AllowsAlone(explanation, policy::PolicyType::kBoundary);
  }
  return result;
}

}  // namespace armature::iam_api
