#include "model/item_size.h"

#include <algorithm>

namespace armature::model {

namespace {
constexpr size_t kDocumentOverhead = 3;  // of a list or map
constexpr size_t kElementOverhead = 1;   // of each thing inside one
}  // namespace

size_t ValueSize(const Value& value) {
  size_t size = 0;
  switch (value.type()) {
    case Type::kS:
    case Type::kB: return value.str().size();
    case Type::kBool:
    case Type::kNull: return 1;
    case Type::kN: return value.number().SizeBytes();
    case Type::kSS:
    case Type::kBS:
      for (std::string_view member : value.strings()) size += member.size();
      return size;
    case Type::kNS:
      for (const Number& member : value.numbers()) size += member.SizeBytes();
      return size;
    case Type::kL:
      size = kDocumentOverhead;
      for (const Value& element : value.list()) size += kElementOverhead + ValueSize(element);
      return size;
    case Type::kM:
      size = kDocumentOverhead;
      for (const MapEntry& entry : value.map()) size += kElementOverhead + entry.name.size() + ValueSize(entry.value);
      return size;
  }
  return size;
}

size_t ItemSize(Item item) {
  size_t size = 0;
  for (const MapEntry& entry : item) {
    size += entry.name.size() + ValueSize(entry.value);
    if (size > kMaxCountedBytes) break;
  }
  return size;
}

int NestingLevels(const Value& value) {
  int deepest = 0;
  if (value.is(Type::kL)) {
    for (const Value& element : value.list()) deepest = std::max(deepest, NestingLevels(element));
  } else if (value.is(Type::kM)) {
    for (const MapEntry& entry : value.map()) deepest = std::max(deepest, NestingLevels(entry.value));
  }
  return 1 + deepest;
}

}  // namespace armature::model
