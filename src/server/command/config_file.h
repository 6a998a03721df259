// A command's settings from a TOML file: each is the flag of its name, so that there is one place that knows what it
// means. Prints nothing. Used by server/ only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace armature::server {

// What --config names among the arguments of a command.
std::optional<std::string> ConfigFileIn(const std::vector<std::string>& arguments);

// The file's settings as flags. The error is one line that begins with the file.
Result<std::vector<std::string>> FlagsFromFile(const std::string& path);

}  // namespace armature::server
