#include "server/command/command_line.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text/visible_text.h"

namespace armature::server {

const std::map<std::string, LogLevel> kLogLevels{{"debug", LogLevel::kDebug},
                                                 {"info", LogLevel::kInfo},
                                                 {"warn", LogLevel::kWarn},
                                                 {"error", LogLevel::kError},
                                                 {"off", LogLevel::kOff}};

CommandEnd CommandFault(std::string_view line) { return {fmt::format("armature: {}\n", OneLine(line)), 2}; }

std::optional<CommandEnd> ParseInto(CLI::App& app, std::vector<std::string> flags, std::string_view where,
                                    std::string_view command) {
  std::reverse(flags.begin(), flags.end());  // CLI11 takes its arguments from the back
  try {
    app.parse(flags);
  } catch (const CLI::CallForHelp&) { return CommandEnd{app.help(), 0}; } catch (const std::exception& error) {
    // Not only its own: a flag with a value that is no number is std::invalid_argument.
    return CommandFault(fmt::format("{}{} (see {} --help)", where, error.what(), command));
  }
  return std::nullopt;
}

}  // namespace armature::server
