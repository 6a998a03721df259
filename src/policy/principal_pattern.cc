#include "policy/principal_pattern.h"

namespace armature::policy {

namespace {

bool IsSession(PrincipalKind kind) {
  return kind == PrincipalKind::kRoleSession || kind == PrincipalKind::kFederatedUser;
}

// The user or role behind the principal; root is its account.
std::string_view EntityArnOf(const Principal& principal) {
  if (principal.kind == PrincipalKind::kUser) return principal.arn;
  return IsSession(principal.kind) ? principal.entity_arn : std::string_view();
}

bool HasAccount(PrincipalKind kind) {
  return kind == PrincipalKind::kRoot || kind == PrincipalKind::kUser || IsSession(kind);
}

PrincipalNaming If(bool is_named, PrincipalNaming naming) { return is_named ? naming : kNotNamed; }

}  // namespace

PrincipalNaming PrincipalPattern::Match(const Principal& principal) const {
  switch (form) {
    case PrincipalForm::kEveryone: return kNamedAsEveryone;
    case PrincipalForm::kAccount: return If(HasAccount(principal.kind) && principal.account == text, kNamedByAccount);
    case PrincipalForm::kEntity:
      if (!unique_id.empty()) return If(principal.unique_id == unique_id, kNamedAsEntity);
      return If(EntityArnOf(principal) == text, kNamedAsEntity);
    case PrincipalForm::kSession: return If(IsSession(principal.kind) && principal.arn == text, kNamedAsSession);
    case PrincipalForm::kUniqueId: return If(principal.unique_id == text, kNamedAsEntity);
    case PrincipalForm::kService:
      return If(principal.kind == PrincipalKind::kService && principal.arn == text, kNamedAsEntity);
    case PrincipalForm::kFederated:
      return If(principal.kind == PrincipalKind::kWebIdentity && principal.arn == text, kNamedAsEntity);
    case PrincipalForm::kCanonicalUser: return kNotNamed;
  }
  return kNotNamed;
}

PrincipalNamings NamingsIn(std::span<const PrincipalPattern> patterns, const Principal& principal) {
  PrincipalNamings namings = kNotNamed;
  for (const PrincipalPattern& pattern : patterns) namings |= pattern.Match(principal);
  return namings;
}

PrincipalNamings AllNamingsOf(const Principal& principal) {
  switch (principal.kind) {
    case PrincipalKind::kRoot: return kNamedByAccount;
    case PrincipalKind::kUser: return kNamedByAccount | kNamedAsEntity;
    case PrincipalKind::kRoleSession:
    case PrincipalKind::kFederatedUser: return kNamedByAccount | kNamedAsEntity | kNamedAsSession;
    case PrincipalKind::kWebIdentity:
    case PrincipalKind::kService: return kNamedAsEntity;
    case PrincipalKind::kAnonymous: return kNamedAsEveryone;
  }
  return kNamedAsEveryone;
}

}  // namespace armature::policy
