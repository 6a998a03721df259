// Access keys of users and of an account's root.
//
// A user name that is empty means the root. The secret is in what CreateAccessKey returns and is shown to nobody again.
#pragma once

#include <string_view>

#include "iam/entities/iam_error.h"
#include "iam/state/draft.h"

namespace armature::iam {

IamResult<AccessKey> CreateAccessKey(Draft& draft, std::string_view account, std::string_view user);
IamResult<void> UpdateAccessKey(Draft& draft, std::string_view account, std::string_view user, std::string_view id,
                                bool is_active);
IamResult<void> DeleteAccessKey(Draft& draft, std::string_view account, std::string_view user, std::string_view id);
// One that somebody brings along, id and secret: from a seed file. In the place of the user's own of that id.
IamResult<void> ImportAccessKey(Draft& draft, std::string_view account, std::string_view user, std::string_view id,
                                std::string_view secret, bool is_active);
// For whoever reads.
IamResult<std::vector<AccessKey>> AccessKeysOf(const Snapshot& state, std::string_view account, std::string_view user);

}  // namespace armature::iam
