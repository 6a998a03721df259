// What the command line of `armature encryption` says.
//
// Plain data plus the function that fills it. Used by the command at start.
#pragma once

#include <string>

#include "base/result.h"
#include "storage/encryption/keyring.h"

namespace armature::cli::encryption {

enum class Action { kNewKey, kRotate };

struct Options {
  Action action = Action::kNewKey;
  std::string data_directory = "./armature-data";  // of kRotate
  storage::EncryptionOptions keys;                 // of kRotate
};

// Either the options, or the exit code to end with (help was asked for, or an error was printed).
Result<Options, int> ParseOptions(int argc, const char* const* argv);

}  // namespace armature::cli::encryption
