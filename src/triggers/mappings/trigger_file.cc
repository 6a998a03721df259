#include "triggers/mappings/trigger_file.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/text/visible_text.h"
#include "model/names/names.h"

namespace armature::triggers {

namespace {

Status Bad(std::string_view where, std::string_view what) {
  return Status::InvalidArgument(OneLine(fmt::format("{}: {}", where, what)));
}

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::vector<std::string> ShellCommand(const std::string& line) { return {"/bin/sh", "-c", "exec " + line}; }

// Reads the members of one table of the file, and refuses those it does not know.
class Section {
 public:
  Section(std::string where, const toml::table& table) : where_(std::move(where)), table_(table) {}

  void Text(std::string_view name, std::string& out) { Read<std::string>(name, out, "must be text"); }
  void Int(std::string_view name, int64_t& out) { Read<int64_t>(name, out, "must be a whole number"); }
  void Bool(std::string_view name, bool& out) { Read<bool>(name, out, "must be true or false"); }
  void Texts(std::string_view name, std::vector<std::string>& out) {
    const toml::node* node = Find(name);
    if (!node) return;
    const toml::array* list = node->as_array();
    if (!list) return Fail(name, "must be an array of texts");
    for (const toml::node& one : *list) {
      const auto text = one.value_exact<std::string>();
      if (!text) return Fail(name, "must be an array of texts");
      out.push_back(*text);
    }
  }
  const toml::node* Find(std::string_view name) {
    known_.insert(std::string(name));
    return table_.get(name);
  }
  void Fail(std::string_view name, std::string_view what) {
    if (status_.ok()) status_ = Bad(where_, fmt::format("{} {}", name, what));
  }
  // Ok if everything there was understood.
  Status Finish() {
    for (const auto& [key, value] : table_)
      if (!known_.contains(std::string(key.str()))) Fail(key.str(), "is not a setting");
    return status_;
  }
  const std::string& where() const { return where_; }

 private:
  template <class T>
  void Read(std::string_view name, T& out, std::string_view wanted) {
    const toml::node* node = Find(name);
    if (!node) return;
    if (const auto value = node->value_exact<T>()) out = *value;
    else Fail(name, wanted);
  }

  const std::string where_;
  const toml::table& table_;
  std::set<std::string, std::less<>> known_;
  Status status_;
};

class Reader {
 public:
  Reader(std::string path, std::string account, std::string region, TriggerConfig& config)
      : path_(std::move(path)),
        folder_(std::filesystem::absolute(path_).parent_path()),
        account_(std::move(account)),
        region_(std::move(region)),
        config_(config) {}

  Status Read() {
    toml::table root;
    try {
      root = toml::parse_file(path_);
    } catch (const toml::parse_error& error) {
      return Bad(path_, fmt::format("line {}: {}", error.source().begin.line, error.description()));
    }
    Section top(path_, root);
    const toml::node* functions = top.Find("function");
    const toml::node* destinations = top.Find("destination");
    const toml::node* triggers = top.Find("trigger");
    if (Status status = top.Finish(); !status.ok()) return status;
    Status status = ReadNamed(functions, "function", &Reader::ReadFunction);
    if (status.ok()) status = ReadNamed(destinations, "destination", &Reader::ReadDestination);
    if (!status.ok() || !triggers) return status;
    const toml::array* list = triggers->as_array();
    if (!list || !list->is_array_of_tables()) return Bad(path_, "triggers are written as [[trigger]]");
    for (const toml::node& one : *list)
      if (status = ReadTrigger(*one.as_table()); !status.ok()) return status;
    return Status::Ok();
  }

 private:
  Status ReadNamed(const toml::node* node, std::string_view kind,
                   Status (Reader::*read)(const std::string&, const toml::table&)) {
    if (!node) return Status::Ok();
    const toml::table* all = node->as_table();
    if (!all) return Bad(path_, fmt::format("a {} is written as [{}.name]", kind, kind));
    for (const auto& [key, value] : *all) {
      const toml::table* table = value.as_table();
      if (!table) return Bad(path_, fmt::format("a {} is written as [{}.name]", kind, kind));
      if (!IsName(key.str()))
        return Bad(path_, fmt::format("{} {}: a name has letters, digits, - and _", kind, key.str()));
      if (Status status = (this->*read)(std::string(key.str()), *table); !status.ok()) return status;
    }
    return Status::Ok();
  }

  std::string Absolute(const std::string& path) const {
    return path.empty() ? path : (folder_ / path).lexically_normal().string();
  }

  Status ReadFunction(const std::string& name, const toml::table& table) {
    Section section(fmt::format("{}: function {}", path_, name), table);
    FunctionSpec spec;
    spec.name = name;
    spec.directory = ".";
    int64_t timeout_seconds = spec.timeout_millis / 1000;
    int64_t concurrency = spec.concurrency;
    const toml::node* command = section.Find("command");
    if (command && command->is_string()) spec.command = ShellCommand(*command->value<std::string>());
    else section.Texts("command", spec.command);
    section.Text("url", spec.url);
    section.Text("directory", spec.directory);
    section.Int("timeout_seconds", timeout_seconds);
    section.Int("concurrency", concurrency);
    if (const toml::node* environment = section.Find("environment")) {
      const toml::table* lines = environment->as_table();
      if (!lines) section.Fail("environment", "must be a table of texts");
      for (const auto& [key, value] : lines ? *lines : toml::table()) {
        const auto text = value.value_exact<std::string>();
        if (text) spec.environment[std::string(key.str())] = *text;
        else section.Fail("environment", "must be a table of texts");
      }
    }
    if (spec.command.empty() == spec.url.empty()) section.Fail("a function", "has a command or a url");
    if (!spec.url.empty() && DestinationOf(spec.url).url.empty())
      section.Fail("url", "must begin with http:// or https://");
    if (timeout_seconds < 1 || timeout_seconds > 900) section.Fail("timeout_seconds", "must be from 1 to 900");
    if (concurrency < 1 || concurrency > 1000) section.Fail("concurrency", "must be from 1 to 1000");
    spec.directory = Absolute(spec.directory);
    spec.timeout_millis = timeout_seconds * 1000;
    spec.concurrency = static_cast<int>(concurrency);
    config_.functions[name] = std::move(spec);
    return section.Finish();
  }

  Status ReadDestination(const std::string& name, const toml::table& table) {
    Section section(fmt::format("{}: destination {}", path_, name), table);
    DestinationSpec spec;
    section.Text("directory", spec.directory);
    section.Text("url", spec.url);
    if (spec.directory.empty() == spec.url.empty()) section.Fail("a destination", "has a directory or a url");
    if (!spec.url.empty() && DestinationOf(spec.url).url.empty())
      section.Fail("url", "must begin with http:// or https://");
    spec.directory = Absolute(spec.directory);
    config_.destinations[name] = std::move(spec);
    return section.Finish();
  }

  Status ReadTrigger(const toml::table& table) {
    Mapping mapping;
    mapping.account = account_;
    mapping.region = region_;
    std::string name(table["name"].value_or(std::string_view("")));
    Section section(fmt::format("{}: trigger {}", path_, name), table);
    section.Text("name", mapping.trigger_name);
    section.Text("table", mapping.table_name);
    section.Text("function", mapping.function_name);
    section.Text("region", mapping.region);
    std::string position(StartingPositionName(mapping.starting_position));
    section.Text("starting_position", position);
    section.Bool("enabled", mapping.is_enabled);
    section.Int("batch_size", mapping.batch_size);
    section.Int("maximum_batching_window_in_seconds", mapping.batching_window_seconds);
    section.Int("parallelization_factor", mapping.parallelization_factor);
    section.Int("maximum_record_age_in_seconds", mapping.max_record_age_seconds);
    section.Int("maximum_retry_attempts", mapping.max_retry_attempts);
    section.Bool("bisect_batch_on_function_error", mapping.bisects_on_error);
    section.Bool("report_batch_item_failures", mapping.reports_item_failures);
    section.Texts("filters", mapping.filters);
    section.Text("on_failure", mapping.on_failure);
    if (!IsName(mapping.trigger_name)) section.Fail("name", "must be there, of letters, digits, - and _");
    if (!model::IsTableName(mapping.table_name)) section.Fail("table", "must be there, and the name of a table");
    if (!model::IsRegionName(mapping.region)) section.Fail("region", "must be of letters, digits, - and _");
    if (mapping.function_name.empty()) section.Fail("function", "must be there");
    if (position == "LATEST") mapping.starting_position = StartingPosition::kLatest;
    else if (position != "TRIM_HORIZON") section.Fail("starting_position", "must be TRIM_HORIZON or LATEST");
    mapping.uuid = UuidOfTrigger(mapping.account, mapping.region, mapping.trigger_name);
    const auto has_uuid = [&](const Mapping& other) { return other.uuid == mapping.uuid; };
    if (std::any_of(config_.triggers.begin(), config_.triggers.end(), has_uuid)) section.Fail("name", "is used twice");
    config_.triggers.push_back(std::move(mapping));
    return section.Finish();
  }

  const std::string path_;
  const std::filesystem::path folder_;
  const std::string account_;
  const std::string region_;
  TriggerConfig& config_;
};

Status SplitOption(std::string_view kind, const std::string& option, std::string& name, std::string& value) {
  const size_t equals = option.find('=');
  name = option.substr(0, equals);
  value = equals == std::string::npos ? std::string() : option.substr(equals + 1);
  if (!IsName(name) || value.empty()) return Bad(kind, fmt::format("{} is not of the form NAME=VALUE", option));
  return Status::Ok();
}

}  // namespace

Status ReadTriggerFile(const std::string& path, const std::string& account, const std::string& region,
                       TriggerConfig& config) {
  return Reader(path, account, region, config).Read();
}

Status AddFunctionOption(const std::string& option, TriggerConfig& config) {
  FunctionSpec spec;
  std::string value;
  if (Status status = SplitOption("--function", option, spec.name, value); !status.ok()) return status;
  if (DestinationOf(value).url.empty()) spec.command = ShellCommand(value);
  else spec.url = value;
  const std::string name = spec.name;
  config.functions[name] = std::move(spec);
  return Status::Ok();
}

Status AddDestinationOption(const std::string& option, TriggerConfig& config) {
  std::string name, value;
  if (Status status = SplitOption("--destination", option, name, value); !status.ok()) return status;
  DestinationSpec spec = DestinationOf(value);
  if (spec.url.empty()) spec.directory = std::filesystem::absolute(value).lexically_normal().string();
  config.destinations[name] = std::move(spec);
  return Status::Ok();
}

Status CheckTriggers(const TriggerConfig& config) {
  for (const Mapping& mapping : config.triggers) {
    const std::string where = "trigger " + mapping.trigger_name;
    if (std::string wrong = WhatIsWrong(mapping); !wrong.empty()) return Bad(where, wrong);
    if (!config.functions.contains(mapping.function_name))
      return Bad(where, fmt::format("there is no function {}", mapping.function_name));
    if (!mapping.on_failure.empty() && FindDestination(config, mapping.on_failure).is_none())
      return Bad(where, fmt::format("there is no destination {}", mapping.on_failure));
  }
  return Status::Ok();
}

DestinationSpec FindDestination(const TriggerConfig& config, std::string_view text) {
  const bool is_arn = text.starts_with("arn:");
  const size_t colon = text.rfind(':');
  const auto found = config.destinations.find(std::string(is_arn ? text.substr(colon + 1) : text));
  if (found != config.destinations.end()) return found->second;
  return is_arn ? DestinationSpec() : DestinationOf(text);
}

}  // namespace armature::triggers
