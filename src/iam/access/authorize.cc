#include "iam/access/authorize.h"

#include "iam/access/policy_set.h"
#include "iam/access/principal_conditions.h"

namespace armature::iam {

namespace {

policy::PrincipalKind KindOf(auth::PrincipalKind kind) {
  switch (kind) {
    case auth::PrincipalKind::kRoot: return policy::PrincipalKind::kRoot;
    case auth::PrincipalKind::kUser: return policy::PrincipalKind::kUser;
    case auth::PrincipalKind::kAssumedRole: return policy::PrincipalKind::kRoleSession;
    case auth::PrincipalKind::kFederatedUser: return policy::PrincipalKind::kFederatedUser;
  }
  return policy::PrincipalKind::kAnonymous;
}

}  // namespace

policy::Principal PolicyPrincipalOf(const auth::Identity& identity) {
  const bool is_session_of_another =
      identity.kind == auth::PrincipalKind::kAssumedRole || identity.kind == auth::PrincipalKind::kFederatedUser;
  return {.kind = KindOf(identity.kind),
          .arn = identity.arn,
          .account = identity.account,
          .entity_arn = is_session_of_another ? std::string_view(identity.entity_arn) : std::string_view(),
          .unique_id = identity.entity_id,
          .user_id = identity.user_id,
          .user_name = identity.user_name};
}

policy::Decision Decide(const auth::Identity& identity, const auth::Circumstances& circumstances, const Ask& ask) {
  using policy::Decision;
  // Identities that IAM did not make (a server where everybody is believed) are roots, and have no policies.
  const auto* const set = static_cast<const IamPolicySet*>(identity.policies.get());
  if (set && set->is_broken) return {Decision::Outcome::kExplicitDeny, policy::PolicyType::kIdentity};
  const PrincipalConditions conditions(identity, circumstances, ask.conditions);
  const policy::Principal principal = PolicyPrincipalOf(identity);
  const policy::Request request{ask.action, ask.resource, ask.resource_account, principal, conditions};
  policy::ApplicablePolicies policies;
  policies.resource = ask.resource_policy;
  if (set) {
    policies.identity = set->identity;
    policies.boundary = set->boundary.get();
    policies.session = set->session;
  }
  return policy::Evaluate(request, policies);
}

std::string DenialText(const auth::Identity& identity, const Ask& ask, const policy::Decision& decision) {
  const auth::Circumstances nothing;
  const PrincipalConditions conditions(identity, nothing, nullptr);
  const policy::Principal principal = PolicyPrincipalOf(identity);
  return policy::DenialText({ask.action, ask.resource, ask.resource_account, principal, conditions}, decision);
}

IamResult<void> CheckAllowed(const auth::Identity& identity, const auth::Circumstances& circumstances, const Ask& ask) {
  const policy::Decision decision = Decide(identity, circumstances, ask);
  if (decision.allowed()) return {};
  return IamError{"AccessDenied", 403, DenialText(identity, ask, decision)};
}

}  // namespace armature::iam
