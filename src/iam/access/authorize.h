// Decide: whether an identity may do something, by all policies that have a say.
//
// The one place where an auth::Identity meets policy::Evaluate: for DynamoDB's operations by way of PolicyAuthorizer,
// for those of IAM and STS directly, with the condition keys of their own. Pure, thread-safe.
#pragma once

#include <string_view>

#include "auth/access.h"
#include "auth/identity.h"
#include "iam/entities/iam_error.h"
#include "policy/evaluate.h"

namespace armature::iam {

struct Ask {
  std::string_view action;                              // "iam:CreateUser"
  std::string_view resource;                            // its ARN, or "*"
  std::string_view resource_account{};                  // empty: the caller's own
  const policy::Policy* resource_policy = nullptr;      // of the table, or a role's trust policy
  const policy::ConditionSource* conditions = nullptr;  // what only the operation knows
};

policy::Decision Decide(const auth::Identity& identity, const auth::Circumstances& circumstances, const Ask& ask);
// What the caller is told of a denial.
std::string DenialText(const auth::Identity& identity, const Ask& ask, const policy::Decision& decision);

// As IAM and STS tell it: AccessDenied, 403.
IamResult<void> CheckAllowed(const auth::Identity& identity, const auth::Circumstances& circumstances, const Ask& ask);

// An identity as policies see it. Views into it.
policy::Principal PolicyPrincipalOf(const auth::Identity& identity);

}  // namespace armature::iam
