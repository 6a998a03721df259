// What the command line of `armature shell` says, with the endpoint, region and credentials it leads to.
//
// Plain data plus the functions that fill it; reads the environment and AWS's configuration files. Used by the shell at
// start.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shell/aws_config.h"
#include "cli/shell/output/output.h"

namespace armature::cli::shell {

struct Options {
  std::string endpoint;  // http://host:port or https://host
  std::string region;
  AwsCredentials credentials;
  std::string ca_file;
  std::vector<std::string> statements;  // of -e, in order
  std::string file;                     // of -f
  OutputMode mode = OutputMode::kTable;
  size_t page_size = 100;  // rows shown before an interactive reader is asked
  bool keep_going = false;
  bool is_consistent = false;
  bool has_timing = false;
  bool has_sampling = true;  // completion may read a few items of a table to learn its attributes
};

// The parts of a command line that lead to an endpoint, before anything is looked up.
struct EndpointChoice {
  std::string endpoint;
  std::string region;
  std::string profile;
};

// Fills endpoint, region and credentials of `options`. `aws` stands for Amazon's endpoint of the region; an Amazon
// address without a region in the settings names its own; only Amazon's addresses insist on credentials.
Result<void> ResolveEndpoint(const EndpointChoice& choice, const Environment& environment, Options& options);

// Either the options, or the exit code to end with (help was asked for, or an error was printed).
Result<Options, int> ParseOptions(int argc, char** argv);

}  // namespace armature::cli::shell
