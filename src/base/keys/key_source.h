// MasterKeySource: where master keys come from: the environment, a file, a command, or, for as long as the process
// lives, from nowhere.
//
// A value; Read may be called again, when keys were replaced. Errors are one line fit for a user and never show a key.
// Used by server/, cli/, and whoever seals.
#pragma once

#include <string>
#include <string_view>

#include "base/keys/key_command.h"
#include "base/keys/master_keys.h"
#include "base/random.h"
#include "base/result.h"

namespace armature {

// Variables that hold master keys: what is started by the server does not get them.
inline constexpr const char* kIamKeyVariable = "ARMATURE_IAM_KEY";
inline constexpr const char* kEncryptionKeyVariable = "ARMATURE_ENCRYPTION_KEY";
// Whether an entry of an environment, NAME=VALUE, is one of them.
bool IsKeyVariable(std::string_view entry);

// The variable's value, empty if there is none. It is taken out of the environment, which processes that are started
// inherit, and overwritten where the kernel shows it to whoever may look at this process. REQUIRES: no other thread
// looks at the environment yet.
std::string TakeKeyVariable(const char* name);

struct MasterKeySource {
  // The keys themselves, and where they were found, for errors.
  std::string text{};
  std::string text_name{"the environment"};
  // A file of them. Made when it is first needed, readable by its owner only, unless the user has named it.
  std::string file{};
  bool may_create_file = false;
  // A command that prints them, and the option that it was given with.
  std::string command{};
  std::string command_option{};
  KeyCommandLimits command_limits{};
  // What they open, for warnings.
  std::string opens{"all of IAM's secrets"};

  bool is_empty() const { return text.empty() && file.empty() && command.empty(); }
  // How errors call it.
  const std::string& name() const;

  // NotFound: there is none yet, and it may be made. Without text, file and command: keys for as long as the process
  // lives.
  Result<MasterKeys> Read(RandomSource& random) const;
  // Makes the file, durably. REQUIRES: Read said NotFound.
  Result<MasterKeys> Create(RandomSource& random) const;

 private:
  Result<std::string> ReadText() const;
};

}  // namespace armature
