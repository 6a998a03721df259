// Accounts, and the names that people have for them.
#pragma once

#include <string_view>

#include "iam/entities/iam_error.h"
#include "iam/state/draft.h"

namespace armature::iam {

// There from then on, even if it has nobody.
IamResult<void> EnsureAccount(Draft& draft, std::string_view account);
// An account has one alias: a new one takes the place of the old.
IamResult<void> CreateAccountAlias(Draft& draft, std::string_view account, std::string_view alias);
IamResult<void> DeleteAccountAlias(Draft& draft, std::string_view account, std::string_view alias);

}  // namespace armature::iam
