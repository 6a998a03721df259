#include "dax/codec/key_codec.h"

#include <utility>

#include "dax/codec/cbor.h"
#include "dax/codec/number_codec.h"
#include "dax/codec/primitives/ordered_decimal.h"
#include "dax/codec/primitives/utf8.h"
#include "dax/codec/value_codec.h"
#include "model/messages/items.h"

namespace armature::dax {

using model::Type;
using model::Value;
using Decoded = model::ApiResult<Value>;

namespace {

model::ApiError Mismatch() { return model::ValidationException(std::string(model::messages::kKeyDoesNotMatchSchema)); }

// A key part that is nothing but its bytes. REQUIRES: not a number.
Decoded FromBytes(std::string_view bytes, Type type) {
  if (type == Type::kB) return Value::Binary(bytes);
  if (!IsWellFormedUtf8(bytes)) return Mismatch();
  return Value::String(bytes);
}

// A key part that is a CBOR value. `number` is where the value has its number, if it is one.
Decoded FromCbor(CborReader& reader, Type type, Arena& arena, model::Number& number) {
  if (type == Type::kN) {
    const auto read = DecodeNumber(reader, model::NumberReading::kCurrent);
    if (!reader.ok()) return Mismatch();
    if (!read) return read.error();
    number = *read;
    return Value::PointingTo(&number);
  }
  const Value value = type == Type::kS ? Value::String(reader.Text(arena)) : Value::Binary(reader.Bytes(arena));
  if (!reader.ok()) return Mismatch();
  return value;
}

Decoded PartitionKey(CborReader& reader, const TableSchema& schema, Arena& arena, model::Number& number) {
  const Type type = schema.parts[0].type;
  if (schema.has_sort_key()) return FromCbor(reader, type, arena, number);
  if (type != Type::kN) return FromBytes(reader.rest(), type);
  auto value = FromCbor(reader, type, arena, number);
  if (value && !reader.at_end()) return Mismatch();
  return value;
}

Decoded SortKey(std::string_view bytes, Type type, model::Number& number) {
  if (type != Type::kN) return FromBytes(bytes, type);
  ARMATURE_TRY(number, DecodeOrderedDecimal(bytes));
  return Value::PointingTo(&number);
}

void AppendLastPart(std::string& out, const Value& value) {
  if (value.is(Type::kN)) AppendOrderedDecimal(out, value.number());
  else out.append(value.str());
}

// The parts of a key, in the schema's order.
struct Parts {
  const Value* partition = nullptr;
  const Value* sort = nullptr;  // null: there is none
};

void AppendParts(std::string& out, const Parts& parts) {
  if (!parts.sort && !parts.partition->is(Type::kN)) return void(out.append(parts.partition->str()));
  AppendValue(out, *parts.partition);
  if (parts.sort) AppendLastPart(out, *parts.sort);
}

const Value* FindPart(model::Item item, const KeyPart& part) {
  const Value* const value = model::FindAttribute(item, part.name);
  return value && value->is(part.type) ? value : nullptr;
}

}  // namespace

model::ApiResult<model::Item> DecodeKey(std::string_view bytes, const TableSchema& schema, Arena& arena) {
  CborReader reader(bytes);
  const std::span<model::MapEntry> entries = arena.NewArray<model::MapEntry>(schema.parts.size());
  entries[0].name = schema.parts[0].name;
  ARMATURE_TRY(entries[0].value, PartitionKey(reader, schema, arena, *arena.New<model::Number>()));
  if (!schema.has_sort_key()) return model::Item(entries);
  entries[1].name = schema.parts[1].name;
  ARMATURE_TRY(entries[1].value, SortKey(reader.rest(), schema.parts[1].type, *arena.New<model::Number>()));
  if (entries[1].name < entries[0].name) std::swap(entries[0], entries[1]);
  return model::Item(entries);
}

bool AppendKey(std::string& out, const TableSchema& schema, model::Item item) {
  Parts parts;
  parts.partition = FindPart(item, schema.parts[0]);
  if (!parts.partition) return false;
  if (schema.has_sort_key()) {
    parts.sort = FindPart(item, schema.parts[1]);
    if (!parts.sort) return false;
  }
  AppendParts(out, parts);
  return true;
}

bool CanonicalKey(std::string_view bytes, const TableSchema& schema, std::string& out) {
  out.clear();
  CborReader reader(bytes);
  Arena arena;  // takes no memory but for a text in pieces
  model::Number numbers[2];
  const auto partition = PartitionKey(reader, schema, arena, numbers[0]);
  if (!partition) return false;
  if (!schema.has_sort_key()) return AppendParts(out, {&*partition, nullptr}), true;
  const auto sort = SortKey(reader.rest(), schema.parts[1].type, numbers[1]);
  if (!sort) return false;
  AppendParts(out, {&*partition, &*sort});
  return true;
}

model::ApiResult<model::Item> DecodeIndexKey(std::string_view bytes, Arena& arena) {
  CborReader reader(bytes);
  if (reader.Peek() != CborKind::kMap) return Mismatch();
  auto key = DecodeValue(reader, arena);
  if (!reader.ok() || !reader.at_end()) return Mismatch();
  if (!key) return std::move(key).error();
  return key->map();
}

void AppendIndexKey(std::string& out, model::Item key) {
  AppendCborIndefiniteMap(out);
  AppendEntries(out, key);
  AppendCborBreak(out);
}

}  // namespace armature::dax
