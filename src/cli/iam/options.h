// What the command line of `armature iam` says.
//
// Plain data plus the function that fills it. Used by the command at start.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "storage/encryption/keyring.h"

namespace armature::cli::iam_command {

enum class Action { kInit, kCheck };

// Whose principals.
struct Source {
  std::string data_directory = "./armature-data";
  std::string key_file{};  // empty: that of the directory
  storage::EncryptionOptions encryption{};
  std::string iam_file{};  // instead of the directory
  std::string account = "123456789012";
};

// May `principal` do `action` on `resource`?
struct Question {
  std::string principal;  // an ARN
  std::string action;
  std::string resource;
  std::vector<std::pair<std::string, std::string>> context{};  // condition keys; one may be there several times
  std::string resource_policy_file{};                          // instead of the stored one
  std::vector<std::string> session_policy_files{};             // that the session of a role is bound by
};

struct Options {
  Action action = Action::kInit;
  Source source;
  std::string user_name;  // of kInit
  Question question;      // of kCheck
};

// Either the options, or the exit code to end with (help was asked for, or an error was printed).
Result<Options, int> ParseOptions(int argc, const char* const* argv);

}  // namespace armature::cli::iam_command
