// Value: an AttributeValue, and Item: a map of them, as plain data in an arena.
//
// Sixteen bytes, immutable once built, trivially copyable; strings, lists and maps point into the request's buffers
// or its arena and live as long as the request. Invariants that make equality and look-up cheap:
//   - a map's entries are sorted by name (unsigned bytes) and names are unique;
//   - a string or binary set is sorted by bytes, a number set by value, both without duplicates.
// The builders below establish them. No I/O, no threads; used by every layer from wire/ to table/.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "model/number.h"

namespace armature::model {

enum class Type : uint8_t { kS, kN, kB, kBool, kNull, kSS, kNS, kBS, kL, kM };

// "S", "N", …, as on the wire.
std::string_view TypeName(Type type);
// Parses "S", "NULL", …; false if there is no such type.
bool ParseTypeName(std::string_view name, Type* type);

struct MapEntry;

class Value {
 public:
  constexpr Value() = default;  // NULL

  static Value String(std::string_view text) { return {Type::kS, text.data(), text.size()}; }
  static Value Binary(std::string_view bytes) { return {Type::kB, bytes.data(), bytes.size()}; }
  static Value Bool(bool value) { return {Type::kBool, nullptr, value ? 1u : 0u}; }
  static Value Null() { return {}; }
  static Value OfNumber(const Number& number, Arena& arena) { return {Type::kN, arena.New<Number>(number), 1}; }
  // REQUIRES: `number` lives as long as the request.
  static Value PointingTo(const Number* number) { return {Type::kN, number, 1}; }
  // REQUIRES: the spans outlive the value; sets are sorted and unique, maps sorted by name and unique.
  static Value StringSet(std::span<const std::string_view> members) {
    return {Type::kSS, members.data(), members.size()};
  }
  static Value BinarySet(std::span<const std::string_view> members) {
    return {Type::kBS, members.data(), members.size()};
  }
  static Value NumberSet(std::span<const Number> members) { return {Type::kNS, members.data(), members.size()}; }
  static Value List(std::span<const Value> elements) { return {Type::kL, elements.data(), elements.size()}; }
  static Value Map(std::span<const MapEntry> entries);

  Type type() const { return type_; }
  bool is(Type type) const { return type_ == type; }
  bool is_set() const { return type_ == Type::kSS || type_ == Type::kNS || type_ == Type::kBS; }

  // Each accessor REQUIRES its type.
  std::string_view str() const {  // S and B
    assert(type_ == Type::kS || type_ == Type::kB);
    return {static_cast<const char*>(data_), size_};
  }
  bool boolean() const {
    assert(type_ == Type::kBool);
    return size_ != 0;
  }
  const Number& number() const {
    assert(type_ == Type::kN);
    return *static_cast<const Number*>(data_);
  }
  std::span<const std::string_view> strings() const {  // SS and BS
    assert(type_ == Type::kSS || type_ == Type::kBS);
    return {static_cast<const std::string_view*>(data_), size_};
  }
  std::span<const Number> numbers() const {
    assert(type_ == Type::kNS);
    return {static_cast<const Number*>(data_), size_};
  }
  std::span<const Value> list() const {
    assert(type_ == Type::kL);
    return {static_cast<const Value*>(data_), size_};
  }
  std::span<const MapEntry> map() const;

  // The entry of a map, or null.
  const Value* Find(std::string_view name) const;

  // DynamoDB equality: same type and value at any depth; sets without order, numbers by value.
  bool operator==(const Value& other) const;

 private:
  Value(Type type, const void* data, size_t size) : data_(data), size_(static_cast<uint32_t>(size)), type_(type) {}

  const void* data_ = nullptr;
  uint32_t size_ = 0;
  Type type_ = Type::kNull;
};

struct MapEntry {
  std::string_view name;
  Value value;
};

inline Value Value::Map(std::span<const MapEntry> entries) { return {Type::kM, entries.data(), entries.size()}; }
inline std::span<const MapEntry> Value::map() const {
  assert(type_ == Type::kM);
  return {static_cast<const MapEntry*>(data_), size_};
}

// An item is a map of attributes. The empty Item() has none.
using Item = std::span<const MapEntry>;

// The attribute of that name, or null.
const Value* FindAttribute(Item item, std::string_view name);

// Establish the invariants, in place. SortMap keeps the last of equal names (as JSON parsers do) and returns the
// shortened span; the set sorters return false when there were duplicates.
std::span<MapEntry> SortMap(std::span<MapEntry> entries);
bool SortStringSet(std::span<std::string_view> members);
bool SortNumberSet(std::span<Number> members);

// Copies a value with everything it points to into `arena`.
Value DeepCopy(const Value& value, Arena& arena);

}  // namespace armature::model
