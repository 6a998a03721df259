#include "model/value.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace armature::model {

namespace {

constexpr std::array<std::string_view, 10> kTypeNames = {"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"};

// Up to here walking the entries is quicker than halving them.
constexpr size_t kLinearSearchEntries = 8;
// Up to here an insertion sort is quicker than std::stable_sort and needs no buffer.
constexpr size_t kInsertionSortEntries = 32;

bool NameLess(const MapEntry& a, const MapEntry& b) { return a.name < b.name; }

}  // namespace

std::string_view TypeName(Type type) { return kTypeNames[static_cast<size_t>(type)]; }

bool ParseTypeName(std::string_view name, Type* type) {
  const auto it = std::find(kTypeNames.begin(), kTypeNames.end(), name);
  if (it == kTypeNames.end()) return false;
  *type = static_cast<Type>(it - kTypeNames.begin());
  return true;
}

const Value* Value::Find(std::string_view name) const { return FindAttribute(map(), name); }

bool Value::operator==(const Value& other) const {
  if (type_ != other.type_ || size_ != other.size_) return false;
  switch (type_) {
    case Type::kS:
    case Type::kB: return str() == other.str();
    case Type::kBool:
    case Type::kNull: return true;  // the sizes hold the value and are equal
    case Type::kN: return number() == other.number();
    case Type::kSS:
    case Type::kBS: return std::ranges::equal(strings(), other.strings());
    case Type::kNS: return std::ranges::equal(numbers(), other.numbers());
    case Type::kL: return std::ranges::equal(list(), other.list());
    case Type::kM:
      return std::ranges::equal(map(), other.map(), [](const MapEntry& a, const MapEntry& b) {
        return a.name == b.name && a.value == b.value;
      });
  }
  return false;
}

const Value* FindAttribute(Item item, std::string_view name) {
  if (item.size() <= kLinearSearchEntries) {
    for (const MapEntry& entry : item)
      if (entry.name == name) return &entry.value;
    return nullptr;
  }
  const auto it = std::lower_bound(item.begin(), item.end(), name,
                                   [](const MapEntry& entry, std::string_view wanted) { return entry.name < wanted; });
  return it != item.end() && it->name == name ? &it->value : nullptr;
}

std::span<MapEntry> SortMap(std::span<MapEntry> entries) {
  // Both sorts are stable: the last of equal names stays the last.
  if (entries.size() <= kInsertionSortEntries) {
    for (size_t i = 1; i < entries.size(); ++i) {
      if (!NameLess(entries[i], entries[i - 1])) continue;
      const MapEntry moved = entries[i];
      size_t to = i;
      for (; to > 0 && NameLess(moved, entries[to - 1]); --to) entries[to] = entries[to - 1];
      entries[to] = moved;
    }
  } else if (!std::is_sorted(entries.begin(), entries.end(), NameLess)) {
    std::stable_sort(entries.begin(), entries.end(), NameLess);
  }
  size_t kept = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (kept > 0 && entries[kept - 1].name == entries[i].name) --kept;
    entries[kept++] = entries[i];
  }
  return entries.first(kept);
}

bool SortStringSet(std::span<std::string_view> members) {
  std::sort(members.begin(), members.end());
  return std::adjacent_find(members.begin(), members.end()) == members.end();
}

bool SortNumberSet(std::span<Number> members) {
  std::sort(members.begin(), members.end());
  return std::adjacent_find(members.begin(), members.end()) == members.end();
}

Value DeepCopy(const Value& value, Arena& arena) {
  const auto copy_strings = [&] {
    auto copies = arena.NewArray<std::string_view>(value.strings().size());
    std::ranges::transform(value.strings(), copies.begin(),
                           [&](std::string_view member) { return arena.Copy(member); });
    return copies;
  };
  switch (value.type()) {
    case Type::kBool:
    case Type::kNull: return value;
    case Type::kS: return Value::String(arena.Copy(value.str()));
    case Type::kB: return Value::Binary(arena.Copy(value.str()));
    case Type::kN: return Value::OfNumber(value.number(), arena);
    case Type::kSS: return Value::StringSet(copy_strings());
    case Type::kBS: return Value::BinarySet(copy_strings());
    case Type::kNS: {
      auto copies = arena.NewArray<Number>(value.numbers().size());
      std::ranges::copy(value.numbers(), copies.begin());
      return Value::NumberSet(copies);
    }
    case Type::kL: {
      auto copies = arena.NewArray<Value>(value.list().size());
      std::ranges::transform(value.list(), copies.begin(),
                             [&](const Value& element) { return DeepCopy(element, arena); });
      return Value::List(copies);
    }
    case Type::kM: {
      auto copies = arena.NewArray<MapEntry>(value.map().size());
      std::ranges::transform(value.map(), copies.begin(), [&](const MapEntry& entry) {
        return MapEntry{arena.Copy(entry.name), DeepCopy(entry.value, arena)};
      });
      return Value::Map(copies);
    }
  }
  return value;
}

}  // namespace armature::model
