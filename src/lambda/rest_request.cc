#include "lambda/rest_request.h"

#include <fmt/format.h>

namespace armature::lambda {

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// As AWS's parsers call what they found.
std::string_view TokenName(element value) {
  switch (value.type()) {
    case element_type::STRING: return "STRING_VALUE";
    case element_type::BOOL: return value.get_bool().value_unsafe() ? "TRUE_VALUE" : "FALSE_VALUE";
    case element_type::DOUBLE: return "DECIMAL_VALUE";
    case element_type::INT64:
    case element_type::UINT64: return "NUMBER_VALUE";
    case element_type::ARRAY: return "START_ARRAY";
    case element_type::NULL_VALUE: return "NULL_VALUE";
    default: return "START_OBJECT";
  }
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

bool Members::Has(std::string_view name) const {
  element value;
  return object_ && (*object_)[name].get(value) == simdjson::SUCCESS && !value.is_null();
}

template <class T>
std::optional<T> Members::Read(std::string_view name, std::string_view type_name) {
  if (!Has(name)) return std::nullopt;
  const element value = (*object_)[name].value_unsafe();
  T out{};
  if (value.get(out) == simdjson::SUCCESS) return out;
  Fail(value, type_name);
  return std::nullopt;
}

void Members::Fail(element value, std::string_view type_name) {
  if (error_.empty()) error_ = fmt::format("{} cannot be converted to {}", TokenName(value), type_name);
}

std::optional<std::string> Members::Text(std::string_view name) {
  const auto text = Read<std::string_view>(name, "String");
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<int64_t> Members::Int(std::string_view name) { return Read<int64_t>(name, "Integer"); }
std::optional<bool> Members::Bool(std::string_view name) { return Read<bool>(name, "Boolean"); }

std::optional<std::vector<std::string>> Members::Texts(std::string_view name) {
  const auto list = Read<simdjson::dom::array>(name, "List");
  if (!list) return std::nullopt;
  std::vector<std::string> texts;
  for (const element one : *list) {
    std::string_view text;
    if (one.get(text) == simdjson::SUCCESS) texts.emplace_back(text);
    else Fail(one, "String");
  }
  return texts;
}

std::optional<Members> Members::Object(std::string_view name) {
  const auto object = Read<simdjson::dom::object>(name, "Structure");
  return object ? std::optional<Members>(Members(*object)) : std::nullopt;
}

std::optional<std::vector<Members>> Members::Objects(std::string_view name) {
  const auto list = Read<simdjson::dom::array>(name, "List");
  if (!list) return std::nullopt;
  std::vector<Members> objects;
  for (const element one : *list) {
    simdjson::dom::object object;
    if (one.get(object) == simdjson::SUCCESS) objects.emplace_back(object);
    else Fail(one, "Structure");
  }
  return objects;
}

model::ApiResult<void> Members::status() const {
  if (error_.empty()) return {};
  return model::SerializationException(error_);
}

std::string DecodePercent(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_coded =
        text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0;
    if (!is_coded) {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    out.push_back(static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2])));
    i += 2;
  }
  return out;
}

std::map<std::string, std::string, std::less<>> ParseQuery(std::string_view query) {
  std::map<std::string, std::string, std::less<>> values;
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    const size_t equals = pair.find('=');
    if (!pair.empty())
      values[DecodePercent(pair.substr(0, equals))] =
          equals == std::string_view::npos ? std::string() : DecodePercent(pair.substr(equals + 1));
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  return values;
}

}  // namespace armature::lambda
