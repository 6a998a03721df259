#include "cli/bench/items/item_shape.h"

#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "cli/bench/http/response_parser.h"
#include "cli/bench/items/random.h"

namespace armature::cli::bench {
namespace {

static_assert(ResponseParser::kPadding >= simdjson::SIMDJSON_PADDING);

// Names "pk", "v", "data", a key text of 16 bytes and a number of about 2.
constexpr uint32_t kFixedBytes = 2 + 16 + 1 + 2 + 4;
constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool ParseVersion(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// {"S": "…"} or {"N": "…"}: the type and the text.
bool ReadScalar(simdjson::dom::element value, std::string_view& type, std::string_view& text) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS || object.size() != 1) return false;
  const simdjson::dom::key_value_pair member = *object.begin();
  type = member.key;
  return member.value.get(text) == simdjson::SUCCESS;
}

}  // namespace

ItemShape::ItemShape(uint32_t item_size, uint64_t partition_items)
    : data_size_(item_size > kFixedBytes ? item_size - kFixedBytes : 1), partition_items_(partition_items) {}

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

void ItemShape::AppendPartitionText(uint64_t partition, std::string& out) const {
  fmt::format_to(std::back_inserter(out), "list{:012}", partition);
}

void ItemShape::AppendOrderedKey(uint64_t index, std::string& out) const {
  out += R"({"pk":{"S":")";
  AppendPartitionText(index / partition_items_, out);
  fmt::format_to(std::back_inserter(out), R"("}},"sk":{{"N":"{}"}}}})", index % partition_items_);
}

void ItemShape::AppendOrderedItem(uint64_t index, uint64_t version, std::string& out) const {
  AppendOrderedKey(index, out);
  out.pop_back();
  fmt::format_to(std::back_inserter(out), R"(,"v":{{"N":"{}"}},"data":{{"S":")", version);
  AppendData(index, version, out);
  out += R"("}})";
}

void ItemShape::AppendTaggedItem(uint64_t index, uint64_t version, uint64_t tag_version, std::string& out) const {
  AppendOrderedKey(index, out);
  out.pop_back();
  out += R"(,"tag":{"S":")";
  AppendTag(index, tag_version, out);
  fmt::format_to(std::back_inserter(out), R"("}},"v":{{"N":"{}"}},"data":{{"S":")", version);
  AppendData(index, version, out);
  out += R"("}})";
}

void ItemShape::AppendTag(uint64_t index, uint64_t tag_version, std::string& out) const {
  fmt::format_to(std::back_inserter(out), "{:016x}", Mix(Mix(index) + tag_version));
}

bool ItemReader::Parse(std::string_view body, simdjson::dom::object& object) {
  constexpr bool kCopyFirst = false;  // the readable bytes behind the body make that unnecessary
  return parser_.parse(body.data(), body.size(), kCopyFirst).get(object) == simdjson::SUCCESS;
}

bool ItemReader::IsEmptyObject(std::string_view body) {
  simdjson::dom::object object;
  return body == "{}" || (Parse(body, object) && object.size() == 0);
}

bool ItemReader::ReadItem(std::string_view body, std::string_view member, const ItemShape& shape, uint64_t index,
                          uint64_t& version, std::string& why) {
  simdjson::dom::object answer;
  simdjson::dom::object item;
  if (!Parse(body, answer) || answer[member].get(item) != simdjson::SUCCESS) {
    why = "no item";
    return false;
  }
  uint64_t found = 0;
  if (!CheckItem(item, shape, found, version, why)) return false;
  if (found != index) {
    why = "another item than the one asked for";
    return false;
  }
  return true;
}

bool ItemReader::CheckItem(simdjson::dom::object item, const ItemShape& shape, uint64_t& index, uint64_t& version,
                           std::string& why) {
  std::string_view pk;
  std::string_view sk;
  std::string_view tag;
  std::string_view data;
  bool has_version = false;
  for (const auto [name, value] : item) {
    std::string_view type;
    std::string_view text;
    if (!ReadScalar(value, type, text)) {
      why = "an attribute that is no scalar";
      return false;
    }
    if (name == "pk" && type == "S") {
      pk = text;
    } else if (name == "sk" && type == "N") {
      sk = text;
    } else if (name == "tag" && type == "S") {
      tag = text;
    } else if (name == "data" && type == "S") {
      data = text;
    } else if (name == "v" && type == "N") {
      has_version = ParseVersion(text, version);
    } else {
      why = "an attribute that was never written";
      return false;
    }
  }
  uint64_t position = 0;
  const bool is_ordered = !sk.empty();
  if (!has_version || !pk.starts_with(is_ordered ? "list" : "user") || !ParseVersion(pk.substr(4), index) ||
      (is_ordered && !ParseVersion(sk, position))) {
    why = "an item that was never written";
    return false;
  }
  if (is_ordered) index = index * shape.partition_items() + position;
  const auto is_expected = [&](std::string_view text, auto append) {
    expected_.clear();
    append();
    return text == expected_;
  };
  if (!is_expected(data, [&] { shape.AppendData(index, version, expected_); }) ||
      (!tag.empty() && !is_expected(tag, [&] { shape.AppendTag(index, 0, expected_); }) &&
       !is_expected(tag, [&] { shape.AppendTag(index, version, expected_); }))) {
    why = "data that was never written under this key and version";
    return false;
  }
  return true;
}

bool ItemReader::ReadPage(std::string_view body, const ItemShape& shape, std::vector<uint64_t>& indexes,
                          std::string& why, std::string* last_key) {
  simdjson::dom::object answer;
  simdjson::dom::array items;
  uint64_t count = 0;
  if (!Parse(body, answer) || answer["Items"].get(items) != simdjson::SUCCESS ||
      answer["Count"].get(count) != simdjson::SUCCESS) {
    why = "no page";
    return false;
  }
  indexes.clear();
  for (const simdjson::dom::element element : items) {
    simdjson::dom::object item;
    uint64_t version = 0;
    if (element.get(item) != simdjson::SUCCESS || !CheckItem(item, shape, indexes.emplace_back(), version, why))
      return false;
  }
  if (count != indexes.size()) {
    why = "a Count that is not the number of items";
    return false;
  }
  if (last_key != nullptr) {
    simdjson::dom::element key;
    *last_key = answer["LastEvaluatedKey"].get(key) == simdjson::SUCCESS ? simdjson::minify(key) : "";
  }
  return true;
}

bool ItemReader::ReadBatch(std::string_view body, std::string_view table, const ItemShape& shape,
                           std::vector<uint64_t>& indexes, std::string& why) {
  simdjson::dom::object answer;
  simdjson::dom::object responses;
  simdjson::dom::object unprocessed;
  simdjson::dom::array items;
  if (!Parse(body, answer) || answer["Responses"].get(responses) != simdjson::SUCCESS ||
      responses[table].get(items) != simdjson::SUCCESS ||
      answer["UnprocessedKeys"].get(unprocessed) != simdjson::SUCCESS || unprocessed.size() != 0) {
    why = "no complete batch";
    return false;
  }
  indexes.clear();
  for (const simdjson::dom::element element : items) {
    simdjson::dom::object item;
    uint64_t version = 0;
    if (element.get(item) != simdjson::SUCCESS || !CheckItem(item, shape, indexes.emplace_back(), version, why))
      return false;
  }
  return true;
}

bool ItemReader::ReadRecords(std::string_view body, const ItemShape& shape, size_t count, std::string& next,
                             std::string& why) {
  simdjson::dom::object answer;
  simdjson::dom::array records;
  std::string_view iterator;
  if (!Parse(body, answer) || answer["Records"].get(records) != simdjson::SUCCESS ||
      answer["NextShardIterator"].get(iterator) != simdjson::SUCCESS || records.size() != count) {
    why = "no full page of records";
    return false;
  }
  next = iterator;
  std::string_view last;
  for (const simdjson::dom::element record : records) {
    simdjson::dom::object change, image;
    std::string_view number;
    uint64_t index = 0, version = 0;
    if (record["dynamodb"].get(change) != simdjson::SUCCESS || change["NewImage"].get(image) != simdjson::SUCCESS ||
        change["SequenceNumber"].get(number) != simdjson::SUCCESS || number <= last) {
      why = "a record out of order or without its image";
      return false;
    }
    last = number;
    if (!CheckItem(image, shape, index, version, why)) return false;
  }
  return true;
}

bool ItemReader::ReadNumber(std::string_view body, std::string_view member, std::string_view attribute,
                            uint64_t& number, std::string& why) {
  simdjson::dom::object answer;
  simdjson::dom::object item;
  simdjson::dom::element value;
  std::string_view type;
  std::string_view text;
  if (!Parse(body, answer) || answer[member].get(item) != simdjson::SUCCESS ||
      item[attribute].get(value) != simdjson::SUCCESS || !ReadScalar(value, type, text) || type != "N" ||
      !ParseVersion(text, number)) {
    why = fmt::format("no number {}.{}", member, attribute);
    return false;
  }
  return true;
}

std::string_view ItemReader::ReadErrorType(std::string_view body) {
  simdjson::dom::object answer;
  std::string_view type;
  if (!Parse(body, answer) || answer["__type"].get(type) != simdjson::SUCCESS) return {};
  const size_t hash = type.find('#');
  return hash == std::string_view::npos ? type : type.substr(hash + 1);
}

}  // namespace armature::cli::bench
