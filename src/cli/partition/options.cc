#include "cli/partition/options.h"

#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace armature::cli::partition {
namespace {

constexpr std::string_view kExamples =
    R"(Examples:
  armature partition list Music
  armature partition split Music 5 --endpoint http://127.0.0.1:9000)";

}  // namespace

Result<Options, int> ParseOptions(int argc, const char* const* argv, const Environment& environment) {
  Options options;
  EndpointChoice of_list, of_split;  // each command its own: one that is not given still reads the environment
  CLI::App app("Shows what a table of a running server is divided into, and divides it further.",
               argc > 0 ? argv[0] : "armature partition");
  app.require_subcommand(1);
  app.footer(std::string(kExamples));
  CLI::App* const list = app.add_subcommand("list", "The partitions of a table and of its global indexes");
  CLI::App* const split =
      app.add_subcommand("split", "Divide a partition in the middle of its hashes, while it is used; then list");
  for (CLI::App* const command : {list, split}) {
    command->add_option("TABLE", options.table, "Name or ARN of the table")->required();
    if (command == split)
      command->add_option("PARTITION", options.partition, "Number of the partition, as list shows it")
          ->required()
          ->check(CLI::Range(int64_t{1}, INT64_MAX));
    AddEndpointOptions(*command, command == split ? of_split : of_list);
    command->add_flag("--json", options.is_json, "Print the server's reply as JSON");
    command->footer(std::string(kEndpointHelp));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Exceptions are CLI11's interface for help and for errors; they end here.
    return Unexpected<int>{app.exit(error) == 0 ? 0 : 2};
  }
  if (split->parsed()) options.action = Action::kSplit;
  auto endpoint = ResolveEndpoint(split->parsed() ? of_split : of_list, environment);
  if (!endpoint) {
    fmt::print(stderr, "armature partition: {}\n", endpoint.error().message());
    return Unexpected<int>{2};
  }
  options.endpoint = std::move(*endpoint);
  return options;
}

}  // namespace armature::cli::partition
