// What the command line of `armature shell` says, with the endpoint it leads to.
//
// Plain data plus the function that fills it. Used by the shell at start.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/client/endpoint.h"
#include "cli/shell/output/output.h"

namespace armature::cli::shell {

struct Options {
  Endpoint endpoint;
  std::vector<std::string> statements;  // of -e, in order
  std::string file;                     // of -f
  OutputMode mode = OutputMode::kTable;
  size_t page_size = 100;  // rows shown before an interactive reader is asked
  bool keep_going = false;
  bool is_consistent = false;
  bool has_timing = false;
  bool has_sampling = true;  // completion may read a few items of a table to learn its attributes
};

// Either the options, or the exit code to end with (help was asked for, or an error was printed).
Result<Options, int> ParseOptions(int argc, char** argv);

}  // namespace armature::cli::shell
