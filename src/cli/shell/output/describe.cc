#include "cli/shell/output/describe.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cli/shell/output/text_width.h"

namespace armature::cli::shell {
namespace {

using simdjson::dom::element;

template <class Element>
std::string Text(Element value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

template <class Element>
uint64_t Number(Element value) {
  uint64_t number = 0;
  return value.get(number) == simdjson::SUCCESS ? number : 0;
}

std::vector<element> List(element object, std::string_view name) {
  simdjson::dom::array array;
  if (object[name].get(array) != simdjson::SUCCESS) return {};
  return {array.begin(), array.end()};
}

std::string Join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) out += out.empty() ? part : fmt::format("{}{}", between, part);
  return out;
}

std::vector<std::string> KeyNames(element owner) {
  std::vector<std::string> names;
  for (const element key : List(owner, "KeySchema")) names.push_back(Text(key["AttributeName"]));
  return names;
}

std::string Billing(element table) {
  if (Text(table["BillingModeSummary"]["BillingMode"]) == "PAY_PER_REQUEST") return "on demand";
  const element throughput =
      table["ProvisionedThroughput"].is_object() ? table["ProvisionedThroughput"].value_unsafe() : table;
  return fmt::format("provisioned {} read and {} write units", Number(throughput["ReadCapacityUnits"]),
                     Number(throughput["WriteCapacityUnits"]));
}

std::string Projection(element index) {
  const std::string type = Text(index["Projection"]["ProjectionType"]);
  if (type != "INCLUDE") return type == "ALL" ? "all" : "keys only";
  std::vector<std::string> names;
  const auto projection = index["Projection"];
  simdjson::dom::array array;
  if (projection["NonKeyAttributes"].get(array) == simdjson::SUCCESS) {
    for (const element name : array) names.push_back(Text(name));
  }
  return Join(names, ", ");
}

std::string Attributes(element table, const Style& style) {
  std::map<std::string, std::string> roles;
  const auto add = [&](const std::string& name, const std::string& role) {
    std::string& text = roles[name];
    text += text.empty() ? role : ", " + role;
  };
  for (const element key : List(table, "KeySchema")) {
    add(Text(key["AttributeName"]), Text(key["KeyType"]) == "HASH" ? "partition key" : "sort key");
  }
  for (const char* kind : {"LocalSecondaryIndexes", "GlobalSecondaryIndexes"}) {
    for (const element index : List(table, kind)) {
      for (const element key : List(index, "KeySchema")) {
        add(Text(key["AttributeName"]), fmt::format("{} {}", Text(index["IndexName"]),
                                                    Text(key["KeyType"]) == "HASH" ? "partition key" : "sort key"));
      }
    }
  }
  std::vector<std::vector<std::string>> lines;
  const auto keys = KeyNames(table);
  const auto add_line = [&](element definition) {
    const std::string name = Text(definition["AttributeName"]);
    const std::string type = Text(definition["AttributeType"]);
    lines.push_back({name, type == "S" ? "string" : type == "N" ? "number" : "binary", roles[name]});
  };
  const auto definitions = List(table, "AttributeDefinitions");
  for (const std::string& key : keys) {
    for (const element definition : definitions) {
      if (Text(definition["AttributeName"]) == key) add_line(definition);
    }
  }
  for (const element definition : definitions) {
    if (std::find(keys.begin(), keys.end(), Text(definition["AttributeName"])) == keys.end()) add_line(definition);
  }
  return RenderGrid({"attribute", "type", "key of"}, lines, {}, style);
}

std::string Indexes(element table, const Style& style) {
  std::vector<std::vector<std::string>> lines;
  for (const bool is_global : {false, true}) {
    for (const element index : List(table, is_global ? "GlobalSecondaryIndexes" : "LocalSecondaryIndexes")) {
      const std::string status = Text(index["IndexStatus"]);
      lines.push_back({Text(index["IndexName"]), is_global ? "global" : "local", Join(KeyNames(index), ", "),
                       Projection(index), std::to_string(Number(index["ItemCount"])),
                       status.empty() ? "ACTIVE" : status});
    }
  }
  if (lines.empty()) return {};
  return "\n" + RenderGrid({"index", "kind", "keys", "projects", "items", "status"}, lines,
                           {false, false, false, false, true, false}, style);
}

// The digits before `at`, which moves to the first of them.
std::optional<size_t> NumberBefore(std::string_view text, size_t& at) {
  const size_t end = at;
  while (at > 0 && std::isdigit(static_cast<unsigned char>(text[at - 1])) != 0) --at;
  if (at == end || end - at > 6) return std::nullopt;
  return static_cast<size_t>(std::strtoul(std::string(text.substr(at, end - at)).c_str(), nullptr, 10));
}

// The last line:column:length in a message.
std::optional<std::array<size_t, 3>> PositionIn(std::string_view message) {
  for (size_t end = message.size(); end > 0; --end) {
    std::array<size_t, 3> numbers{};
    size_t at = end;
    bool is_position = true;
    for (int part = 2; part >= 0 && is_position; --part) {
      const auto number = NumberBefore(message, at);
      is_position = number.has_value() && (part == 0 || (at > 0 && message[at - 1] == ':'));
      if (!is_position) break;
      numbers[static_cast<size_t>(part)] = *number;
      if (part > 0) --at;
    }
    if (is_position && (at == 0 || message[at - 1] == ' ')) return numbers;
  }
  return std::nullopt;
}

}  // namespace

std::string HumanSize(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double size = static_cast<double>(bytes);
  size_t unit = 0;
  while (size >= 1024 && unit + 1 < std::size(kUnits)) {
    size /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::vector<std::string> TableLine(element table) {
  std::vector<std::string> indexes;
  for (const char* kind : {"LocalSecondaryIndexes", "GlobalSecondaryIndexes"}) {
    for (const element index : List(table, kind)) indexes.push_back(Text(index["IndexName"]));
  }
  return {Text(table["TableName"]),
          Join(KeyNames(table), ", "),
          Join(indexes, ", "),
          std::to_string(Number(table["ItemCount"])),
          HumanSize(Number(table["TableSizeBytes"])),
          Text(table["TableStatus"])};
}

std::string RenderTableList(const std::vector<std::vector<std::string>>& lines, const Style& style) {
  return RenderGrid({"table", "keys", "indexes", "items", "size", "status"}, lines,
                    {false, false, false, true, true, false}, style);
}

std::string RenderTableDescription(element table, const Style& style) {
  std::string out =
      fmt::format("Table {}: {}, {}, {} items, {}\n\n", Printable(Text(table["TableName"])), Text(table["TableStatus"]),
                  Billing(table), Number(table["ItemCount"]), HumanSize(Number(table["TableSizeBytes"])));
  out += Attributes(table, style);
  out += Indexes(table, style);
  const std::string stream = Text(table["StreamSpecification"]["StreamViewType"]);
  if (!stream.empty()) out += fmt::format("\nStream: {} {}\n", stream, Text(table["LatestStreamArn"]));
  const std::string arn = Text(table["TableArn"]);
  if (!arn.empty()) out += fmt::format("\nARN: {}\n", arn);
  return out;
}

std::string PointAt(std::string_view statement, std::string_view message) {
  const auto position = PositionIn(message);
  if (!position) return {};
  const auto [line, column, length] = *position;
  for (size_t skipped = 1; skipped < line; ++skipped) {
    const size_t newline = statement.find('\n');
    if (newline == std::string_view::npos) return {};
    statement.remove_prefix(newline + 1);
  }
  const std::string_view text = statement.substr(0, statement.find('\n'));
  if (line == 0 || column == 0 || column > text.size() + 1) return {};
  const size_t start = column - 1;
  const size_t marks = std::max<size_t>(1, std::min(length, text.size() - std::min(start, text.size())));
  return fmt::format("  {}\n  {}{}\n", Printable(text), std::string(TextWidth(Printable(text.substr(0, start))), ' '),
                     std::string(marks, '^'));
}

}  // namespace armature::cli::shell
