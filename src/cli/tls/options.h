// What the command line of `armature tls` says, parsed and checked.
//
// Plain data plus the function that fills it. Used by the command at start.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace armature::cli::tls {

struct Options {
  std::string directory = "armature-tls";
  std::vector<std::string> hosts;  // beside those of this machine
  int days = 365;
  bool may_replace = false;
};

// Either the options, or the exit code to end with (help was asked for, or an error was printed).
Result<Options, int> ParseOptions(int argc, const char* const* argv);

}  // namespace armature::cli::tls
