#include "cli/shell/options.h"

#include <cstdio>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace armature::cli::shell {
namespace {

constexpr std::string_view kStatementHelp =
    R"(Statements end with ';'. Without -e and -f they come from the standard input: a prompt on a
terminal, a script otherwise. A script stops at the first error, which goes to the standard
error, and the exit code is 1. At the prompt, \help lists the commands.)";

constexpr std::string_view kExamples =
    R"(Examples:
  armature shell
  armature shell -e 'SELECT * FROM Music' -o json
  armature shell --endpoint aws --region eu-west-1 --profile work < report.sql)";

}  // namespace

Result<Options, int> ParseOptions(int argc, char** argv) {
  Options options;
  EndpointChoice choice;
  std::string mode = "table";
  CLI::App app("A prompt for PartiQL against any DynamoDB endpoint.", argc > 0 ? argv[0] : "armature shell");
  app.footer(fmt::format("{}\n\n{}\n\n{}", kStatementHelp, kEndpointHelp, kExamples));
  AddEndpointOptions(app, choice);
  app.add_option("-e,--execute", options.statements, "Run this and end; repeatable, may hold several statements")
      ->allow_extra_args(false);
  app.add_option("-f,--file", options.file, "Run the script in this file and end")->check(CLI::ExistingFile);
  app.add_option("-o,--output", mode, "How rows are shown: table, vertical, json (plain), typed (DynamoDB's JSON)")
      ->check(CLI::IsMember({"table", "vertical", "json", "typed"}))
      ->capture_default_str();
  app.add_option("--page-size", options.page_size, "Rows shown at the prompt before it asks to go on")
      ->check(CLI::Range(size_t{1}, size_t{1'000'000}))
      ->capture_default_str();
  app.add_flag("--consistent", options.is_consistent, "Read strongly consistently");
  app.add_flag("--timing", options.has_timing, "Show how long each statement took");
  app.add_flag("--keep-going", options.keep_going, "In a script, go on after an error; the exit code is still 1");
  app.add_flag("!--no-sampling", options.has_sampling,
               "Completion: do not read a few items of a table to learn its attribute names");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Exceptions are CLI11's interface for help and for errors; they end here.
    return Unexpected<int>{app.exit(error) == 0 ? 0 : 2};
  }
  options.mode = *ParseOutputMode(mode);
  auto endpoint = ResolveEndpoint(choice, ProcessEnvironment());
  if (!endpoint) {
    fmt::print(stderr, "armature shell: {}\n", endpoint.error().message());
    return Unexpected<int>{2};
  }
  options.endpoint = std::move(*endpoint);
  return options;
}

}  // namespace armature::cli::shell
