#include "cli/bench/item_shape.h"

#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "cli/bench/random.h"
#include "cli/bench/response_parser.h"

namespace armature::cli::bench {
namespace {

static_assert(ResponseParser::kPadding >= simdjson::SIMDJSON_PADDING);

// Names "pk", "v", "data", a key text of 16 bytes and a number of about 2.
constexpr uint32_t kFixedBytes = 2 + 16 + 1 + 2 + 4;
constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

simdjson::padded_string_view Padded(std::string_view body) {
  return simdjson::padded_string_view(body.data(), body.size(), body.size() + ResponseParser::kPadding);
}

bool ParseVersion(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// {"S": "…"} or {"N": "…"}: the type and the text.
bool ReadScalar(simdjson::ondemand::value value, std::string_view& type, std::string_view& text) {
  simdjson::ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return false;
  int members = 0;
  for (auto field : object) {
    if (field.unescaped_key().get(type) != simdjson::SUCCESS) return false;
    if (field.value().get_string().get(text) != simdjson::SUCCESS) return false;
    ++members;
  }
  return members == 1;
}

bool FindObject(simdjson::ondemand::document& document, std::string_view member, simdjson::ondemand::object& found) {
  return document.find_field_unordered(member).get_object().get(found) == simdjson::SUCCESS;
}

}  // namespace

ItemShape::ItemShape(uint32_t item_size) : data_size_(item_size > kFixedBytes ? item_size - kFixedBytes : 1) {}

void ItemShape::AppendKeyText(uint64_t index, std::string& out) const {
  fmt::format_to(std::back_inserter(out), "user{:012}", index);
}

void ItemShape::AppendKey(uint64_t index, std::string& out) const {
  out += R"({"pk":{"S":")";
  AppendKeyText(index, out);
  out += R"("}})";
}

void ItemShape::AppendData(uint64_t index, uint64_t version, std::string& out) const {
  Random random(Mix(index) ^ (version * 0xd6e8feb86659fd93ULL));
  const size_t begin = out.size();
  out.resize(begin + data_size_);
  char* at = out.data() + begin;
  char* const end = at + data_size_;
  while (at != end) {
    uint64_t bits = random.Next();
    for (int i = 0; i < 10 && at != end; ++i, bits >>= 6) *at++ = kAlphabet[bits & 63];
  }
}

void ItemShape::AppendItem(uint64_t index, uint64_t version, std::string& out) const {
  out += R"({"pk":{"S":")";
  AppendKeyText(index, out);
  fmt::format_to(std::back_inserter(out), R"("}},"v":{{"N":"{}"}},"data":{{"S":")", version);
  AppendData(index, version, out);
  out += R"("}})";
}

bool ItemReader::IsEmptyObject(std::string_view body) {
  if (body == "{}") return true;
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  bool is_empty = false;
  return parser_.iterate(Padded(body)).get(document) == simdjson::SUCCESS &&
         document.get_object().get(object) == simdjson::SUCCESS && object.is_empty().get(is_empty) == simdjson::SUCCESS &&
         is_empty;
}

bool ItemReader::ReadItem(std::string_view body, std::string_view member, const ItemShape& shape, uint64_t index,
                          uint64_t& version, std::string& why) {
  simdjson::ondemand::document document;
  simdjson::ondemand::object item;
  if (parser_.iterate(Padded(body)).get(document) != simdjson::SUCCESS || !FindObject(document, member, item)) {
    why = "no item";
    return false;
  }
  std::string_view pk;
  std::string_view data;
  int attributes = 0;
  bool has_version = false;
  for (auto field : item) {
    std::string_view name;
    simdjson::ondemand::value value;
    std::string_view type;
    std::string_view text;
    if (field.unescaped_key().get(name) != simdjson::SUCCESS || field.value().get(value) != simdjson::SUCCESS ||
        !ReadScalar(value, type, text)) {
      why = "an attribute does not parse";
      return false;
    }
    ++attributes;
    if (name == "pk" && type == "S") {
      pk = text;
    } else if (name == "data" && type == "S") {
      data = text;
    } else if (name == "v" && type == "N") {
      has_version = ParseVersion(text, version);
    }
  }
  expected_.clear();
  shape.AppendKeyText(index, expected_);
  if (attributes != 3 || !has_version || pk != expected_) {
    why = "another item than the one asked for";
    return false;
  }
  expected_.clear();
  shape.AppendData(index, version, expected_);
  if (data != expected_) {
    why = "data that was never written under this key and version";
    return false;
  }
  return true;
}

bool ItemReader::ReadNumber(std::string_view body, std::string_view member, std::string_view attribute,
                            uint64_t& number, std::string& why) {
  simdjson::ondemand::document document;
  simdjson::ondemand::object item;
  simdjson::ondemand::value value;
  std::string_view type;
  std::string_view text;
  if (parser_.iterate(Padded(body)).get(document) != simdjson::SUCCESS || !FindObject(document, member, item) ||
      item.find_field_unordered(attribute).get(value) != simdjson::SUCCESS || !ReadScalar(value, type, text) ||
      type != "N" || !ParseVersion(text, number)) {
    why = fmt::format("no number {}.{}", member, attribute);
    return false;
  }
  return true;
}

std::string_view ItemReader::ReadErrorType(std::string_view body) {
  simdjson::ondemand::document document;
  std::string_view type;
  if (parser_.iterate(Padded(body)).get(document) != simdjson::SUCCESS ||
      document.find_field_unordered("__type").get_string().get(type) != simdjson::SUCCESS) {
    return {};
  }
  const size_t hash = type.find('#');
  return hash == std::string_view::npos ? type : type.substr(hash + 1);
}

}  // namespace armature::cli::bench
