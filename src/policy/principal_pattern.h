// PrincipalPattern: one name in Principal or NotPrincipal, and whom it means.
//
// By which of its names a principal was found decides what a resource policy's Allow can do for it (evaluate.h):
// whoever is named himself needs no identity policy, whose account is named does. Immutable, in the policy's arena.
// Internal to policy/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/context.h"
#include "policy/document/principal_name.h"

namespace armature::policy {

// How a principal was named; several at once as a set of bits.
enum PrincipalNaming : uint8_t {
  kNotNamed = 0,
  kNamedAsEveryone = 1,
  kNamedByAccount = 2,
  kNamedAsEntity = 4,   // user, role, service or identity provider
  kNamedAsSession = 8,  // the session's own ARN
};
using PrincipalNamings = uint8_t;

struct PrincipalPattern {
  PrincipalForm form = PrincipalForm::kEveryone;
  std::string_view text;       // as document/principal_name.h has it
  std::string_view unique_id;  // of an entity that was looked up when the policy was saved; empty: found by its ARN

  PrincipalNaming Match(const Principal& principal) const;
};

// By which of its names the list has the principal.
PrincipalNamings NamingsIn(std::span<const PrincipalPattern> patterns, const Principal& principal);

// Every name the principal goes by. A Deny for NotPrincipal spares only those whose every name is listed: account, user
// or role, and session (facts of IAM: so it must be written).
PrincipalNamings AllNamingsOf(const Principal& principal);

}  // namespace armature::policy
