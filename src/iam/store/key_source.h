// Where the master key of a data directory's IAM is looked for, by the server and by commands on the directory alike.
//
// In this order: the key itself in the environment (ARMATURE_IAM_KEY), the file that the user names, what an encrypted
// store keeps with its own keys, DIRECTORY/iam.key, which is made when it is first needed. Used by server/ and cli/.
#pragma once

#include <string>

#include "base/keys/key_source.h"

namespace armature::iam {

inline constexpr const char* kKeyFileName = "iam.key";

// An empty `data_directory` is a store in memory; an empty `named_file` is none. `kept_key` is what the store keeps
// sealed, as text; empty: it is not encrypted. The variable is taken out of the environment (TakeKeyVariable).
MasterKeySource FindMasterKey(const std::string& data_directory, const std::string& named_file,
                              const std::string& kept_key = {});

}  // namespace armature::iam
