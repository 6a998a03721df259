// Reads principals from a file, for containers and tests: --iam-file.
//
// Two forms, told apart by their first character: TOML of our own (docs/iam-file.md), and the JSON that `aws iam
// get-account-authorization-details` prints, in which a user may have "AccessKeys" of the form that create-access-key
// prints. Every error is one line with the file, the line and the entry; no secret is ever in one. Used by server/.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "iam/seed/seed.h"

namespace armature::iam {

// `account` is that of entries that name none.
Result<Seed> ReadSeedFile(const std::string& path, const std::string& account);
// The same of a text; `name` is what errors call it.
Result<Seed> ParseSeed(std::string_view text, const std::string& name, const std::string& account);

// Of the two forms. Used by the above only.
Result<Seed> ParseTomlSeed(std::string_view text, const std::string& name, const std::string& account);
Result<Seed> ParseJsonSeed(std::string_view text, const std::string& name);

}  // namespace armature::iam
