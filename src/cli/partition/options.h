// What the command line of `armature partition` says, with the endpoint it leads to.
//
// Plain data plus the function that fills it. Used by the command at start.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/client/aws_config.h"
#include "cli/client/endpoint.h"

namespace armature::cli::partition {

enum class Action { kList, kSplit };

struct Options {
  Endpoint endpoint;
  Action action = Action::kList;
  std::string table;      // name or ARN
  int64_t partition = 0;  // of kSplit
  bool is_json = false;   // the reply as it came, instead of a table
};

// Either the options, or the exit code to end with (help was asked for, or an error was printed).
Result<Options, int> ParseOptions(int argc, const char* const* argv, const Environment& environment);

}  // namespace armature::cli::partition
