// Where the master key of a data directory is looked for, by the server and by commands on the directory alike.
//
// In this order: the key itself in the environment (ARMATURE_IAM_KEY), the file that the user names, DIRECTORY/iam.key,
// which is made when it is first needed. Used by server/ and cli/.
#pragma once

#include <string>

#include "iam/store/master_keys.h"

namespace armature::iam {

inline constexpr const char* kKeyVariable = "ARMATURE_IAM_KEY";
inline constexpr const char* kKeyFileName = "iam.key";

// An empty `data_directory` is a store in memory; an empty `named_file` is none. The variable is taken out of the
// environment, which handler processes inherit: REQUIRES: no other thread looks at the environment yet.
MasterKeySource FindMasterKey(const std::string& data_directory, const std::string& named_file);

}  // namespace armature::iam
