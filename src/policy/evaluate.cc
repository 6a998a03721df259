#include "policy/evaluate.h"

#include <cassert>
#include <optional>

#include <fmt/format.h>

#include "model/messages/policies.h"
#include "policy/question.h"

namespace armature::policy {

namespace {

using Outcome = Decision::Outcome;

bool Denies(const Policy& policy, const Question& question) {
  for (const Statement& statement : policy.statements())
    if (statement.effect == Effect::kDeny && statement.Match(question).mismatch == Mismatch::kNone) return true;
  return false;
}

bool Denies(PolicyList policies, const Question& question) {
  for (const auto& policy : policies)
    if (Denies(*policy, question)) return true;
  return false;
}

bool Allows(const Policy& policy, const Question& question) {
  for (const Statement& statement : policy.statements())
    if (statement.effect == Effect::kAllow && statement.Match(question).mismatch == Mismatch::kNone) return true;
  return false;
}

bool Allows(PolicyList policies, const Question& question) {
  for (const auto& policy : policies)
    if (Allows(*policy, question)) return true;
  return false;
}

// By which names the principal is allowed; all statements count, because a stronger name may come later.
PrincipalNamings NamingsAllowedBy(const Policy& policy, const Question& question) {
  PrincipalNamings namings = kNotNamed;
  for (const Statement& statement : policy.statements()) {
    if (statement.effect != Effect::kAllow) continue;
    const StatementMatch match = statement.Match(question);
    if (match.mismatch == Mismatch::kNone) namings |= match.namings;
  }
  return namings;
}

PolicyType TypeOf(const Policy& resource_policy) {
  return resource_policy.kind() == PolicyKind::kTrust ? PolicyType::kTrust : PolicyType::kResource;
}

bool IsOutsideAccounts(PrincipalKind kind) {
  return kind == PrincipalKind::kService || kind == PrincipalKind::kWebIdentity || kind == PrincipalKind::kAnonymous;
}

// Root, and federated users that root asked for, have every right that identity policies could give.
bool IsBackedByRoot(const Principal& principal) {
  if (principal.kind == PrincipalKind::kRoot) return true;
  return principal.kind == PrincipalKind::kFederatedUser && principal.entity_arn.ends_with(":root");
}

// What an Allow of the resource policy makes up for in the principal's own account.
struct Waived {
  bool identity = false;
  bool boundary = false;
  bool session = false;
};

Waived WaivedFor(PrincipalNamings namings, PrincipalKind kind) {
  Waived waived;
  // To name the account only hands the matter to its identity policies.
  waived.identity = (namings & (kNamedAsEveryone | kNamedAsEntity | kNamedAsSession)) != 0;
  waived.session = (namings & kNamedAsSession) != 0;
  waived.boundary = waived.session || (waived.identity && kind == PrincipalKind::kUser);
  return waived;
}

class Evaluation {
 public:
  Evaluation(const Request& request, const ApplicablePolicies& policies)
      : request_(request), policies_(policies), question_(request) {}

  Decision Decide() const {
    if (const auto type = ExplicitDeny()) return {Outcome::kExplicitDeny, *type};
    if (const auto type = MissingAllow()) return {Outcome::kImplicitDeny, *type};
    return {Outcome::kAllowed, {}};
  }

 private:
  const Principal& principal() const { return request_.principal; }

  std::optional<PolicyType> ExplicitDeny() const {
    if (policies_.resource != nullptr && Denies(*policies_.resource, question_)) return TypeOf(*policies_.resource);
    if (Denies(policies_.identity, question_)) return PolicyType::kIdentity;
    if (policies_.boundary != nullptr && Denies(*policies_.boundary, question_)) return PolicyType::kBoundary;
    if (Denies(policies_.session, question_)) return PolicyType::kSession;
    return std::nullopt;
  }

  // Whose Allow is missing first; nullopt: nobody's.
  std::optional<PolicyType> MissingAllow() const {
    const bool is_trust = policies_.resource != nullptr && policies_.resource->kind() == PolicyKind::kTrust;
    const bool is_own_account = request_.resource_account.empty() || request_.resource_account == principal().account;
    const PrincipalNamings namings =
        policies_.resource == nullptr ? PrincipalNamings{kNotNamed} : NamingsAllowedBy(*policies_.resource, question_);
    const std::optional<PolicyType> resource = is_trust ? PolicyType::kTrust : PolicyType::kResource;
    if (IsOutsideAccounts(principal().kind)) return namings == kNotNamed ? resource : std::nullopt;
    // The principal's account comes first, then that of the resource.
    const Waived waived = is_own_account ? WaivedFor(namings, principal().kind) : Waived();
    if (const auto type = MissingInOwnAccount(waived)) return type;
    const bool needs_resource_policy = is_trust || !is_own_account;
    if (needs_resource_policy && namings == kNotNamed) return resource;
    return std::nullopt;
  }

  std::optional<PolicyType> MissingInOwnAccount(const Waived& waived) const {
    if (!waived.identity && !IsBackedByRoot(principal()) && !Allows(policies_.identity, question_))
      return PolicyType::kIdentity;
    if (!waived.boundary && policies_.boundary != nullptr && !Allows(*policies_.boundary, question_))
      return PolicyType::kBoundary;
    const bool is_restricted = !policies_.session.empty() || principal().kind == PrincipalKind::kFederatedUser;
    if (!waived.session && is_restricted && !Allows(policies_.session, question_)) return PolicyType::kSession;
    return std::nullopt;
  }

  const Request& request_;
  const ApplicablePolicies& policies_;
  const Question question_;
};

std::string_view ArticleOf(PolicyType type) {
  switch (type) {
    case PolicyType::kIdentity: return "an";
    case PolicyType::kTrust: return "the";
    case PolicyType::kBoundary:
    case PolicyType::kSession:
    case PolicyType::kResource: return "a";
  }
  return "";
}

}  // namespace

Decision Evaluate(const Request& request, const ApplicablePolicies& policies) {
  return Evaluation(request, policies).Decide();
}

std::string_view PolicyTypeName(PolicyType type) {
  switch (type) {
    case PolicyType::kIdentity: return "identity-based policy";
    case PolicyType::kBoundary: return "permissions boundary";
    case PolicyType::kSession: return "session policy";
    case PolicyType::kResource: return "resource-based policy";
    case PolicyType::kTrust: return "role trust policy";
  }
  return "";
}

std::string DenialText(const Request& request, const Decision& decision) {
  assert(!decision.allowed());
  namespace messages = model::messages;
  const std::string_view name = PolicyTypeName(decision.type);
  const std::string reason = decision.outcome == Outcome::kExplicitDeny
                                 ? fmt::format(fmt::runtime(messages::kExplicitDeny), ArticleOf(decision.type), name)
                                 : fmt::format(fmt::runtime(messages::kNoPolicyAllows), name, request.action);
  return fmt::format(fmt::runtime(messages::kNotAuthorized), request.principal.arn, request.action, request.resource,
                     reason);
}

}  // namespace armature::policy
