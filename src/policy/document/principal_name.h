// The forms in which a policy names principals, told apart.
//
// Forms only: whether a user or a role exists is not asked. Views into the text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace armature::policy {

enum class PrincipalForm : uint8_t {
  kEveryone,       // "*"
  kAccount,        // "111122223333" or its root's ARN: the account, not only its root
  kEntity,         // the ARN of a user or a role
  kSession,        // the ARN of an assumed role's session or of a federated user
  kUniqueId,       // "AIDA…", "AROA…"
  kService,        // "lambda.amazonaws.com"
  kFederated,      // an identity provider: its ARN or its domain
  kCanonicalUser,  // of S3: nobody here
};

struct PrincipalName {
  PrincipalForm form = PrincipalForm::kEveryone;
  std::string_view text;  // as written, but of an account its twelve digits
};

// `kind` is that of a PrincipalEntry (document.h). nullopt: no principal, among them groups, and ARNs with
// wildcards.
std::optional<PrincipalName> ReadPrincipalName(std::string_view kind, std::string_view text);

}  // namespace armature::policy
