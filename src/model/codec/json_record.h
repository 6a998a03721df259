// JsonRecord: one of the house's own records that are stored as JSON, read member by member.
//
// Such a record is an object with a version. A member that is missing, or of another kind than the one asked for, reads
// as nothing: older versions wrote fewer members, and a newer one may add some. Elements of a list that are of another
// kind are damage. Views into a parsed document: valid while ReadJsonRecord runs. Used by the codecs of definitions,
// journal states and triggers.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/result.h"

namespace armature::model {

class JsonRecord {
 public:
  explicit JsonRecord(simdjson::dom::object object) : object_(object) {}

  std::optional<int64_t> OptionalInt(std::string_view key) const { return Member<int64_t>(key); }
  int64_t Int(std::string_view key, int64_t otherwise = 0) const { return OptionalInt(key).value_or(otherwise); }
  // A number of all 64 bits, written as the signed one with the same bits.
  uint64_t Unsigned(std::string_view key) const { return static_cast<uint64_t>(Int(key)); }
  bool Bool(std::string_view key) const { return Member<bool>(key).value_or(false); }
  std::string Text(std::string_view key) const { return std::string(Member<std::string_view>(key).value_or("")); }

  // The member's own members; none if it is no object.
  std::optional<JsonRecord> Object(std::string_view key) const;
  std::vector<std::string> Texts(std::string_view key) const;
  // What `read` makes of each object in the list.
  template <class T>
  std::vector<T> List(std::string_view key, T (*read)(const JsonRecord&)) const;
  // visit(key, text) for each member, all of which are texts.
  template <class Visit>
  void ForEachText(Visit visit) const;

  // For readers: the record cannot be one that we wrote. Caught by ReadJsonRecord.
  [[noreturn]] static void Damaged() { throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE); }

 private:
  template <class T>
  std::optional<T> Member(std::string_view key) const {
    T value{};
    if (object_[key].get(value) != simdjson::SUCCESS) return std::nullopt;
    return value;
  }

  simdjson::dom::object object_;
};

inline std::optional<JsonRecord> JsonRecord::Object(std::string_view key) const {
  const auto object = Member<simdjson::dom::object>(key);
  return object ? std::optional(JsonRecord(*object)) : std::nullopt;
}

inline std::vector<std::string> JsonRecord::Texts(std::string_view key) const {
  std::vector<std::string> texts;
  if (const auto list = Member<simdjson::dom::array>(key))
    for (std::string_view text : *list) texts.emplace_back(text);
  return texts;
}

template <class T>
std::vector<T> JsonRecord::List(std::string_view key, T (*read)(const JsonRecord&)) const {
  std::vector<T> all;
  if (const auto list = Member<simdjson::dom::array>(key))
    for (simdjson::dom::object element : *list) all.push_back(read(JsonRecord(element)));
  return all;
}

template <class Visit>
void JsonRecord::ForEachText(Visit visit) const {
  for (const auto field : object_) visit(field.key, std::string_view(field.value));
}

// What read(JsonRecord) makes of `record`, a Result. Corruption if it is no JSON object or is damaged, Format if its
// version is above `newest`; `name` is how the messages call it ("its record").
template <class Read>
std::invoke_result_t<Read, const JsonRecord&> ReadJsonRecord(std::string_view record, std::string_view name,
                                                             int64_t newest, Read read) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const auto error = parser.parse(record.data(), record.size()).get(object);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();  // not the record's fault: it must not be set aside
  if (error != simdjson::SUCCESS) return Status::Corruption(fmt::format("{} is not JSON", name));
  const JsonRecord members(object);
  if (members.Int("version") > newest)
    return Status::Format(fmt::format("{} was written by a newer version of armature", name));
  // simdjson throws on an element of an unexpected kind.
  try {
    return read(members);
  } catch (const simdjson::simdjson_error& unexpected) {
    return Status::Corruption(fmt::format("{} is damaged: {}", name, unexpected.what()));
  }
}

}  // namespace armature::model
