// The frame of a command's options: the file that --config names, flags, and how faults are told.
//
// A command says which options there are and what they are put into; this reads them, the file's first, so that flags
// of the command line count in their place.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "server/command/config_file.h"

namespace CLI {
class App;
}

namespace armature::server {

// Options, or what to print instead and the exit code to end with.
template <class Options>
struct ParsedCommand {
  std::optional<Options> options;
  std::string text;
  int exit_code = 0;
};

// What ends a command before it has begun.
struct CommandEnd {
  std::string text;
  int exit_code = 0;

  template <class Options>
  operator ParsedCommand<Options>() && {
    return {std::nullopt, std::move(text), exit_code};
  }
};

// A fault in what was said, in one line.
CommandEnd CommandFault(std::string_view line);

// Puts the flags where `app` was told to. Empty: it has. `where` names what they come from, in faults, and `command` is
// the one with the --help.
std::optional<CommandEnd> ParseInto(CLI::App& app, std::vector<std::string> flags, std::string_view where,
                                    std::string_view command);

// The settings of the file that --config names, and the arguments behind them. `parse(flags, where)` makes a
// ParsedCommand<Options> of flags.
template <class Options, class Parse>
ParsedCommand<Options> ParseWithFile(const std::vector<std::string>& arguments, const Parse& parse) {
  std::vector<std::string> all;
  if (const auto file = ConfigFileIn(arguments)) {
    auto flags = FlagsFromFile(*file);
    if (!flags) return CommandFault(flags.error().message());
    all = std::move(*flags);
    // By itself first, so that what is wrong in it is said of it.
    if (ParsedCommand<Options> parsed = parse(all, *file + ": "); !parsed.options) return parsed;
  }
  all.insert(all.end(), arguments.begin(), arguments.end());
  return parse(std::move(all), std::string());
}

// As --log-level has them.
extern const std::map<std::string, LogLevel> kLogLevels;

}  // namespace armature::server
