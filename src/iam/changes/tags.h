// Tags of users, roles, managed policies and providers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "iam/entities/iam_error.h"
#include "iam/state/draft.h"

namespace armature::iam {

// For E of User and Role by name, of ManagedPolicy and OidcProvider by ARN. A tag whose key is there already, in
// whatever case, takes its place.
template <class E>
IamResult<void> TagEntity(Draft& draft, std::string_view account, std::string_view name_or_arn, const Tags& tags);
// Keys that are not there are no error.
template <class E>
IamResult<void> UntagEntity(Draft& draft, std::string_view account, std::string_view name_or_arn,
                            std::span<const std::string> keys);

}  // namespace armature::iam
