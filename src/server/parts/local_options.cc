#include "server/parts/local_options.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace armature::server {

namespace {

// Below the directory of -dbPath, so that DynamoDB Local's own files may lie there too.
constexpr const char* kDataFolder = "armature-data";
// How long -delayTransientStatuses lets tables and indexes be CREATING, UPDATING and DELETING.
constexpr const char* kTransientMillis = "1000";

constexpr const char* kUsage =
    R"(Armature in the place of DynamoDB Local: takes its flags and behaves as software around it expects.

Usage: armature local [-port PORT] [-inMemory | -dbPath DIRECTORY] [-sharedDb] [-cors ORIGINS] [OPTIONS OF armature serve]

  -port PORT                Port to listen on (default 8000)
  -inMemory                 Keep everything in memory
  -dbPath DIRECTORY         Keep the data in DIRECTORY/armature-data (default: the current directory)
  -sharedDb                 One set of tables for all; without it each access key id and Region has its own
  -cors ORIGINS             Origins whose web pages may use the server, with commas between them; * for all
  -delayTransientStatuses   Tables and indexes are CREATING, UPDATING and DELETING for a second
  -optimizeDbBeforeStartup  Accepted; there is nothing to do
  -disableTelemetry         Accepted; nothing is ever sent
  -version, -help

What java is told in front (-Djava.library.path=..., -Xmx..., -jar DynamoDBLocal.jar) is skipped. Options with two
dashes are those of `armature serve`. Any signature is accepted, always. Others reach the server only with --host 0.0.0.0 --allow-unauthenticated, and by a
name only with --allowed-host NAME (see docs/compatibility.md).
)";

LocalOptions Answered(std::string text, int exit_code) { return {{std::nullopt, std::move(text), exit_code}, {}}; }

LocalOptions Refused(const std::string& line) {
  return Answered(fmt::format("armature: {} (see armature local -help)\n", line), 2);
}

std::vector<std::string> SplitAtCommas(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    const size_t first = std::min(list.find_first_not_of(' ', at), comma);
    const size_t last = list.find_last_not_of(' ', comma == 0 ? 0 : comma - 1);
    if (first < comma) parts.push_back(list.substr(first, last + 1 - first));
    at = comma + 1;
  }
  return parts;
}

// The flags as they are read, before they become those of `armature serve`.
struct Flags {
  std::optional<std::string> port;
  std::optional<std::string> directory;
  std::optional<std::string> origins;
  bool in_memory = false;
  bool is_shared = false;
  bool delays_statuses = false;
  std::vector<std::string> own;  // flags of `armature serve`

  std::vector<std::string> ForServe() const {
    // Amazon knows neither this Region nor this account: they are DynamoDB Local's, and some have its ARNs written
    // down.
    std::vector<std::string> flags{"--compat", "dynamodb-local", "--region", "ddblocal", "--account", "000000000000"};
    flags.push_back(is_shared ? "--shared-db" : "--separate-keys");
    if (port) flags.insert(flags.end(), {"--port", *port});
    if (in_memory) flags.push_back("--memory");
    else flags.insert(flags.end(), {"--data", std::filesystem::path(directory.value_or(".")) / kDataFolder});
    if (origins)
      for (const std::string& origin : SplitAtCommas(*origins)) flags.insert(flags.end(), {"--cors-origin", origin});
    if (delays_statuses) flags.insert(flags.end(), {"--control-plane-delay", kTransientMillis});
    flags.insert(flags.end(), own.begin(), own.end());
    return flags;
  }
};

std::string BannerOf(const Flags& flags) {
  return fmt::format(
      "Initializing DynamoDB Local with the following configuration:\n"
      "Port:\t{}\nInMemory:\t{}\nDbPath:\t{}\nSharedDb:\t{}\nshouldDelayTransientStatuses:\t{}\nCorsParams:\t{}\n\n",
      flags.port.value_or("8000"), flags.in_memory, flags.directory.value_or("null"), flags.is_shared,
      flags.delays_statuses, flags.origins.value_or("null"));
}

// The switches that take nothing; false if `name` is none.
bool ReadSwitch(std::string_view name, Flags& flags) {
  if (name == "-inMemory") return flags.in_memory = true;
  if (name == "-sharedDb") return flags.is_shared = true;
  if (name == "-delayTransientStatuses") return flags.delays_statuses = true;
  return name == "-optimizeDbBeforeStartup" || name == "-disableTelemetry";
}

std::optional<std::string>* ValueOf(std::string_view name, Flags& flags) {
  if (name == "-port") return &flags.port;
  if (name == "-dbPath") return &flags.directory;
  if (name == "-cors") return &flags.origins;
  return nullptr;
}

}  // namespace

LocalOptions ParseLocalOptions(const std::vector<std::string>& arguments) {
  Flags flags;
  bool is_own = false;  // the argument before is one for `armature serve`
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    // What follows a flag of ours without a dash is its value.
    if (argument.starts_with("--") || (!argument.starts_with('-') && is_own)) {
      flags.own.push_back(argument);
      is_own = true;
      continue;
    }
    is_own = false;
    if (argument == "-help" || argument == "-h") return Answered(kUsage, 0);
    if (argument == "-version") return Answered(fmt::format("armature {}\n", ARMATURE_VERSION), 0);
    if (argument.starts_with("-D") || argument.starts_with("-X") || ReadSwitch(argument, flags)) continue;
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    auto* const value = ValueOf(name, flags);
    if (!value && name != "-jar") return Refused(fmt::format("there is no flag '{}'", argument));
    if (equals == std::string::npos && i + 1 == arguments.size()) return Refused(name + " needs a value");
    std::string text = equals == std::string::npos ? arguments[++i] : argument.substr(equals + 1);
    if (value) *value = std::move(text);
  }
  if (flags.in_memory && flags.directory) return Refused("-inMemory and -dbPath exclude each other");
  LocalOptions local{ParseServeOptions(flags.ForServe()), BannerOf(flags)};
  if (!local.parsed.options) return local;
  if (!local.parsed.options->iam_file.empty())
    return Refused("--iam-file is for `armature serve`: DynamoDB Local believes everybody");
  local.parsed.options->believes_everybody = true;
  return local;
}

}  // namespace armature::server
