#include "cli/encryption/options.h"

#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/encryption/key_options.h"

namespace armature::cli::encryption {
namespace {

constexpr std::string_view kExamples =
    R"(Examples:
  (umask 077; armature encryption new-key > /etc/armature/master.key)
  armature serve --encrypt --encrypt-key /etc/armature/master.key
  armature encryption rotate --data ./armature-data --encrypt-key /etc/armature/master.key
Keep the master key where copies of the data are not, and copies of both: without either of them nothing can be read.)";

}  // namespace

Result<Options, int> ParseOptions(int argc, const char* const* argv) {
  Options options;
  CLI::App app("Makes and replaces the master keys of encrypted data directories.",
               argc > 0 ? argv[0] : "armature encryption");
  app.require_subcommand(1);
  app.footer(std::string(kExamples));
  app.add_subcommand("new-key", "Print a new master key");
  CLI::App* const rotate = app.add_subcommand(
      "rotate",
      "Seal the keys of a data directory that no server has open under the first master key given, and let new files "
      "have a new data key; a server that runs does the same when it gets SIGHUP");
  rotate->add_option("--data", options.data_directory, "Data directory of a server that does not run")
      ->capture_default_str()
      ->type_name("DIR");
  AddKeyOptions(*rotate, options.keys, /*may_create=*/false);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Exceptions are CLI11's interface for help and for errors; they end here.
    return Unexpected<int>{app.exit(error) == 0 ? 0 : 2};
  }
  if (rotate->parsed()) options.action = Action::kRotate;
  return options;
}

}  // namespace armature::cli::encryption
