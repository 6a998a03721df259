#include "iam_api/simulation/simulation.h"

#include <algorithm>
#include <span>

#include "iam/entities/names.h"
#include "policy/document/statement_positions.h"
#include "policy/explain.h"

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
  documents_.push_back(std::move(document));
  sources_.push_back(std::move(source));
}

QueryResult Simulation::SetBoundary(std::string_view text) {
  ARMATURE_TRY(boundary_, Read(text, policy::PolicyKind::kIdentity));
  return {};
}

QueryResult Simulation::SetResourcePolicy(std::string_view text) {
  ARMATURE_TRY(resource_, Read(text, policy::PolicyKind::kResource));
  return {};
}

wire::iam::EvaluationResult Simulation::Run(std::string_view action, std::string_view resource,
                                            std::string_view resource_account, const policy::Principal& principal,
                                            const policy::ConditionSource& conditions) const {
  policy::ApplicablePolicies policies;
  policies.identity = identity_;
  policies.boundary = boundary_ ? boundary_->compiled.get() : nullptr;
  policies.resource = resource_ ? resource_->compiled.get() : nullptr;
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
    const bool is_identity = report.type == policy::PolicyType::kIdentity;
    const bool is_boundary = report.type == policy::PolicyType::kBoundary;
    auto& matched = result.MatchedStatements->emplace_back();
    matched.SourcePolicyId = is_identity   ? sources_[report.policy]
                             : is_boundary ? "PermissionsBoundary"
                                           : "ResourcePolicy";
    matched.SourcePolicyType = is_identity || is_boundary ? "IAM Policy" : "Resource Policy";
    const iam::Document& document = is_identity ? *documents_[report.policy] : is_boundary ? *boundary_ : *resource_;
    const auto positions = policy::StatementPositions(document.text);
    if (report.statement >= positions.size()) continue;
    matched.StartPosition = PositionOf(positions[report.statement].begin);
    matched.EndPosition = PositionOf(positions[report.statement].end);
  }
  if (boundary_) {
    result.PermissionsBoundaryDecisionDetail.emplace().AllowedByPermissionsBoundary =
        AllowsAlone(explanation, policy::PolicyType::kBoundary);
  }
  return result;
}

}  // namespace armature::iam_api
