#include "server/command/config_file.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/text/visible_text.h"

namespace armature::server {

namespace {

bool IsSettingName(std::string_view key) {
  return !key.empty() && key.front() != '-' &&
         std::all_of(key.begin(), key.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

// In one argument, or CLI11 takes a value that begins with a dash for a flag. It wants an empty one by itself.
void AppendFlag(const std::string& flag, const std::string& value, std::vector<std::string>& flags) {
  if (value.empty()) flags.insert(flags.end(), {flag, value});
  else flags.push_back(flag + "=" + value);
}

}  // namespace

Result<std::vector<std::string>> FlagsFromFile(const std::string& path) {
  std::vector<std::string> flags;
  try {
    const toml::table table = toml::parse_file(path);
    for (const auto& [key, value] : table) {
      const std::string flag = "--" + std::string(key.str());
      if (flag == "--config") return Status::InvalidArgument(path + ": config may not name another file");
      // Not what CLI11 makes of it: an end of the options, a flag with a value in its name.
      if (flag == "--help" || !IsSettingName(key.str()))
        return Status::InvalidArgument(OneLine(fmt::format("{}: there is no setting \"{}\"", path, key.str())));
      // By the kind of value, never by value<T>(): that converts, and a number like 1e99 to int64_t is undefined.
      if (const auto* truth = value.as_boolean()) {
        if (truth->get()) flags.push_back(flag);
      } else if (const auto* text = value.as_string()) {
        AppendFlag(flag, text->get(), flags);
      } else if (const auto* number = value.as_integer()) {
        AppendFlag(flag, std::to_string(number->get()), flags);
      } else if (const toml::array* list = value.as_array(); list && list->is_homogeneous<std::string>()) {
        for (const auto& entry : *list) AppendFlag(flag, entry.as_string()->get(), flags);
      } else {
        return Status::InvalidArgument(
            fmt::format("{}: {} must be text, a list of texts, a whole number, true or false", path, key.str()));
      }
    }
  } catch (const toml::parse_error& error) {
    return Status::InvalidArgument(OneLine(fmt::format("{}: {}", path, error.description())));
  }
  return flags;
}

std::optional<std::string> ConfigFileIn(const std::vector<std::string>& arguments) {
  constexpr std::string_view kPrefix = "--config=";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with(kPrefix)) return arguments[i].substr(kPrefix.size());
    if (arguments[i] == "--config" && i + 1 < arguments.size()) return arguments[i + 1];
  }
  return std::nullopt;
}

}  // namespace armature::server
