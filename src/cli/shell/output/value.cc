#include "cli/shell/output/value.h"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text/json_writer.h"

namespace armature::cli::shell {
namespace {

using simdjson::dom::element;

Status Malformed(std::string_view what) {
  return Status::Format(fmt::format("the server sent {} that is not DynamoDB's JSON", what));
}

std::optional<ValueKind> ScalarSetElement(std::string_view tag) {
  if (tag == "SS") return ValueKind::kString;
  if (tag == "NS") return ValueKind::kNumber;
  if (tag == "BS") return ValueKind::kBinary;
  return std::nullopt;
}

std::optional<ValueKind> KindOf(std::string_view tag) {
  static constexpr std::pair<std::string_view, ValueKind> kTags[] = {
      {"S", ValueKind::kString},     {"N", ValueKind::kNumber},     {"B", ValueKind::kBinary},
      {"BOOL", ValueKind::kBool},    {"NULL", ValueKind::kNull},    {"L", ValueKind::kList},
      {"M", ValueKind::kMap},        {"SS", ValueKind::kStringSet}, {"NS", ValueKind::kNumberSet},
      {"BS", ValueKind::kBinarySet},
  };
  for (const auto& [name, kind] : kTags) {
    if (name == tag) return kind;
  }
  return std::nullopt;
}

Result<void> ReadElements(element json, std::string_view tag, Value& out) {
  simdjson::dom::array array;
  if (json.get(array) != simdjson::SUCCESS) return Malformed("a list");
  const auto scalar = ScalarSetElement(tag);
  for (const element item : array) {
    if (!scalar) {
      ARMATURE_TRY(Value value, ReadValue(item));
      out.elements.push_back(std::move(value));
      continue;
    }
    std::string_view text;
    if (item.get(text) != simdjson::SUCCESS) return Malformed("a set");
    out.elements.push_back(Value{*scalar, std::string(text), {}, {}});
  }
  return {};
}

void AppendLiteral(std::string& out, const Value& value);

void AppendElements(std::string& out, const Value& value, std::string_view open, std::string_view close) {
  out += open;
  for (size_t i = 0; i < value.elements.size(); ++i) {
    if (i > 0) out += ", ";
    AppendLiteral(out, value.elements[i]);
  }
  out += close;
}

void AppendQuoted(std::string& out, std::string_view text) {
  out.push_back('\'');
  for (const char c : text) {
    if (c == '\'') out.push_back('\'');
    out.push_back(c);
  }
  out.push_back('\'');
}

void AppendLiteral(std::string& out, const Value& value) {
  switch (value.kind) {
    case ValueKind::kString: AppendQuoted(out, value.text); break;
    case ValueKind::kNumber:
    case ValueKind::kBool: out += value.text; break;
    case ValueKind::kBinary: out += fmt::format("{{{{{}}}}}", value.text); break;
    case ValueKind::kNull: out += "NULL"; break;
    case ValueKind::kList: AppendElements(out, value, "[", "]"); break;
    case ValueKind::kStringSet:
    case ValueKind::kNumberSet:
    case ValueKind::kBinarySet: AppendElements(out, value, "<<", ">>"); break;
    case ValueKind::kMap:
      out.push_back('{');
      for (size_t i = 0; i < value.members.size(); ++i) {
        if (i > 0) out += ", ";
        AppendQuoted(out, value.members[i].name);
        out += ": ";
        AppendLiteral(out, value.members[i].value);
      }
      out.push_back('}');
      break;
  }
}

void WriteJson(JsonWriter& json, const Value& value);

void WriteMembers(JsonWriter& json, const Members& members) {
  json.BeginObject();
  for (const auto& [name, value] : members) {
    json.Key(name);
    WriteJson(json, value);
  }
  json.EndObject();
}

void WriteJson(JsonWriter& json, const Value& value) {
  switch (value.kind) {
    case ValueKind::kString:
    case ValueKind::kBinary: json.String(value.text); break;
    case ValueKind::kNumber:
    case ValueKind::kBool: json.Raw(value.text); break;
    case ValueKind::kNull: json.Null(); break;
    case ValueKind::kMap: WriteMembers(json, value.members); break;
    case ValueKind::kList:
    case ValueKind::kStringSet:
    case ValueKind::kNumberSet:
    case ValueKind::kBinarySet:
      json.BeginArray();
      for (const Value& item : value.elements) WriteJson(json, item);
      json.EndArray();
      break;
  }
}

}  // namespace

Result<Value> ReadValue(element json) {
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS || object.size() != 1) return Malformed("a value");
  const auto field = *object.begin();
  const auto kind = KindOf(field.key);
  if (!kind) return Malformed(fmt::format("a value of type {}", field.key));
  Value value{*kind, {}, {}, {}};
  switch (*kind) {
    case ValueKind::kString:
    case ValueKind::kNumber:
    case ValueKind::kBinary: {
      std::string_view text;
      if (field.value.get(text) != simdjson::SUCCESS) return Malformed("a scalar");
      value.text = text;
      break;
    }
    case ValueKind::kBool: {
      bool truth = false;
      if (field.value.get(truth) != simdjson::SUCCESS) return Malformed("a boolean");
      value.text = truth ? "true" : "false";
      break;
    }
    case ValueKind::kNull: break;
    case ValueKind::kMap: {
      ARMATURE_TRY(value.members, ReadRow(field.value));
      break;
    }
    case ValueKind::kList:
    case ValueKind::kStringSet:
    case ValueKind::kNumberSet:
    case ValueKind::kBinarySet: ARMATURE_CHECK_OK(ReadElements(field.value, field.key, value)); break;
  }
  return value;
}

Result<Row> ReadRow(element json) {
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return Malformed("an item");
  Row row;
  row.reserve(object.size());
  for (const auto field : object) {
    ARMATURE_TRY(Value value, ReadValue(field.value));
    row.push_back({std::string(field.key), std::move(value)});
  }
  return row;
}

std::string ToLiteral(const Value& value) {
  std::string out;
  AppendLiteral(out, value);
  return out;
}

std::string ToJson(const Value& value) {
  std::string out;
  JsonWriter json(out);
  WriteJson(json, value);
  return out;
}

std::string ToJson(const Row& row) {
  std::string out;
  JsonWriter json(out);
  WriteMembers(json, row);
  return out;
}

}  // namespace armature::cli::shell
