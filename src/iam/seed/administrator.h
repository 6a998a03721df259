// The first principal of an account: a user who may do everything, with a key.
//
// For `armature iam init`, on the data directory of a server that does not run or inside one that does. Asked again, it
// gives the same user one more key, as long as there is room for one.
#pragma once

#include <string>
#include <string_view>

#include "base/async.h"
#include "iam/entities/iam_error.h"
#include "iam/state/draft.h"
#include "iam/store/directory.h"

namespace armature::iam {

inline constexpr std::string_view kAdministratorName = "administrator";

IamResult<AccessKey> MakeAdministrator(Draft& draft, std::string_view account, std::string_view user_name);
// The same as one durable change.
Task<IamResult<AccessKey>> InitAccount(Directory& directory, std::string account,
                                       std::string user_name = std::string(kAdministratorName));

// The lines that a shell understands: AWS_ACCESS_KEY_ID=… and AWS_SECRET_ACCESS_KEY=…. The only way in which a secret
// is printed, and only right after it was made.
std::string CredentialLines(const AccessKey& key);

}  // namespace armature::iam
