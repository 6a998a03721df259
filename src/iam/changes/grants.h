// What users, groups and roles may do: policies inside them, policies attached to them, and boundaries.
//
// For E of User, Group and Role alike; only users and roles have boundaries.
#pragma once

#include <string_view>

#include "iam/entities/iam_error.h"
#include "iam/state/draft.h"

namespace armature::iam {

// In the place of one with the same name.
template <class E>
IamResult<void> PutInlinePolicy(Draft& draft, std::string_view account, std::string_view name,
                                std::string_view policy_name, std::string_view document);
template <class E>
IamResult<void> DeleteInlinePolicy(Draft& draft, std::string_view account, std::string_view name,
                                   std::string_view policy_name);
// For whoever reads.
template <class E>
IamResult<InlinePolicy> MustFindInlinePolicy(const Snapshot& state, std::string_view account, std::string_view name,
                                             std::string_view policy_name);

// Content with what is attached already.
template <class E>
IamResult<void> AttachPolicy(Draft& draft, std::string_view account, std::string_view name,
                             std::string_view policy_arn);
template <class E>
IamResult<void> DetachPolicy(Draft& draft, std::string_view account, std::string_view name,
                             std::string_view policy_arn);

template <class E>
IamResult<void> PutPermissionsBoundary(Draft& draft, std::string_view account, std::string_view name,
                                       std::string_view policy_arn);
template <class E>
IamResult<void> DeletePermissionsBoundary(Draft& draft, std::string_view account, std::string_view name);

}  // namespace armature::iam
