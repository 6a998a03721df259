// The options that say what a data directory is encrypted with, the same wherever a command opens one.
//
// Used by commands on a data directory here and by server/.
#pragma once

#include <CLI/App.hpp>

#include "storage/encryption/keyring.h"

namespace armature::cli {

// --encrypt, where a directory may be made, and --encrypt-key and --encrypt-key-command.
void AddKeyOptions(CLI::App& app, storage::EncryptionOptions& options, bool may_create);

}  // namespace armature::cli
