#include "policy/question.h"

#include <algorithm>

#include "policy/values/letter_case.h"

namespace armature::policy {

namespace {

ConditionValues OneUnlessEmpty(std::string_view value) {
  return value.empty() ? ConditionValues::None() : ConditionValues::One(value);
}

// Sessions of roles are known by the role's ARN: what a session calls itself is its own choice.
std::string_view PrincipalArnOf(const Principal& principal) {
  return principal.kind == PrincipalKind::kRoleSession ? principal.entity_arn : principal.arn;
}

std::string_view PrincipalTypeOf(PrincipalKind kind) {
  switch (kind) {
    case PrincipalKind::kRoot: return "Account";
    case PrincipalKind::kUser: return "User";
    case PrincipalKind::kRoleSession: return "AssumedRole";
    case PrincipalKind::kFederatedUser: return "FederatedUser";
    case PrincipalKind::kWebIdentity:
    case PrincipalKind::kService:
    case PrincipalKind::kAnonymous: return "Anonymous";
  }
  return "";
}

bool IsOfAnAccount(PrincipalKind kind) {
  return kind == PrincipalKind::kRoot || kind == PrincipalKind::kUser || kind == PrincipalKind::kRoleSession ||
         kind == PrincipalKind::kFederatedUser;
}

}  // namespace

Question::Question(const Request& request) : request_(request) {
  char* lower = short_action_.data();
  if (request.action.size() > short_action_.size()) {
    long_action_.resize(request.action.size());
    lower = long_action_.data();
  }
  std::transform(request.action.begin(), request.action.end(), lower, [](char c) { return LowerCase(c); });
  action_ = {lower, request.action.size()};
}

ConditionValues Question::Find(const ConditionKey& key) const {
  const Principal& principal = request_.principal;
  switch (key.known) {
    case KnownKey::kPrincipalArn:
      return IsOfAnAccount(principal.kind) ? OneUnlessEmpty(PrincipalArnOf(principal)) : ConditionValues::None();
    case KnownKey::kPrincipalAccount:
      return IsOfAnAccount(principal.kind) ? OneUnlessEmpty(principal.account) : ConditionValues::None();
    case KnownKey::kPrincipalType: return ConditionValues::One(PrincipalTypeOf(principal.kind));
    case KnownKey::kUserId: return OneUnlessEmpty(principal.user_id);
    case KnownKey::kUserName: return OneUnlessEmpty(principal.user_name);
    case KnownKey::kResourceAccount:
      return OneUnlessEmpty(request_.resource_account.empty() ? principal.account : request_.resource_account);
    default: return request_.conditions.Find(key);
  }
}

}  // namespace armature::policy
