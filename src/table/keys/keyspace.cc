#include "table/keys/keyspace.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/codec/key_codec.h"
#include "model/item_size.h"
#include "table/keys/key_layout.h"

namespace armature::table {

using model::KeyAttribute;
using model::Type;
using model::Value;

namespace {

bool IsKeyValue(const KeyAttribute& attribute, const Value* value, size_t max_bytes) {
  if (!value || !value->is(attribute.type)) return false;
  if (attribute.type != Type::kN && value->str().empty()) return false;
  return model::KeyValueSize(*value) <= max_bytes;
}

std::string HashBound(const Keyspace& keyspace, uint64_t hash) {
  std::string key = keyspace.prefix;
  AppendBigEndian(key, hash);
  return key;
}

// floor(segment × 2^64 / total), for segment < total.
uint64_t SegmentStart(uint64_t segment, uint64_t total) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(segment) << 64) / total);
}

}  // namespace

Keyspace ItemsKeyspace(const model::TableDef& table) {
  Keyspace keyspace;
  keyspace.prefix.push_back(static_cast<char>(Space::kItems));
  keyspace.key = table.key_schema;
  return keyspace;
}

Keyspace IndexKeyspace(const model::TableDef& table, const model::IndexDef& index) {
  Keyspace keyspace;
  if (index.kind == model::IndexKind::kGlobal) {
    keyspace.prefix.push_back(static_cast<char>(Space::kGlobalIndex));
  } else {
    keyspace.prefix.push_back(static_cast<char>(Space::kLocalIndexes));
    AppendBigEndian(keyspace.prefix, index.id);
  }
  keyspace.key = index.key_schema;
  const auto add_rest = [&](const std::vector<KeyAttribute>& attributes) {
    for (const auto& attribute : attributes)
      if (!index.key_schema.Find(attribute.name)) keyspace.tail.push_back(attribute);
  };
  add_rest(table.key_schema.hash);
  add_rest(table.key_schema.range);
  return keyspace;
}

bool HasRow(const Keyspace& keyspace, model::Item item) {
  const auto all_of = [&](const std::vector<KeyAttribute>& attributes, size_t max_bytes) {
    return std::all_of(attributes.begin(), attributes.end(), [&](const KeyAttribute& attribute) {
      return IsKeyValue(attribute, model::FindAttribute(item, attribute.name), max_bytes);
    });
  };
  return all_of(keyspace.key.hash, model::kMaxHashKeyBytes) && all_of(keyspace.key.range, model::kMaxRangeKeyBytes);
}

void AppendRowKey(const Keyspace& keyspace, model::Item item, std::string& out) {
  out.append(keyspace.prefix);
  const size_t hash_at = out.size();
  out.append(sizeof(uint64_t), '\0');
  const auto append = [&](const KeyAttribute& attribute) {
    model::AppendKeyValue(*model::FindAttribute(item, attribute.name), out);
  };
  for (const auto& attribute : keyspace.key.hash) append(attribute);
  const uint64_t hash = PartitionHash(std::string_view(out).substr(hash_at + sizeof(uint64_t)));
  for (size_t i = 0; i < sizeof(uint64_t); ++i) out[hash_at + i] = static_cast<char>(hash >> (56 - 8 * i));
  for (const auto& attribute : keyspace.key.range) append(attribute);
  for (const auto& attribute : keyspace.tail) append(attribute);
}

model::Item RowKeyAttributes(const Keyspace& keyspace, model::Item item, Arena& arena) {
  auto entries = arena.NewArray<model::MapEntry>(keyspace.attribute_count());
  size_t count = 0;
  keyspace.ForEachAttribute([&](const KeyAttribute& attribute) {
    if (const Value* value = model::FindAttribute(item, attribute.name))
      entries[count++] = {arena.Copy(attribute.name), model::DeepCopy(*value, arena)};
  });
  return model::SortMap(entries.first(count));
}

storage::KeyRange AllRows(const Keyspace& keyspace) { return {keyspace.prefix, PrefixEnd(keyspace.prefix)}; }

storage::KeyRange SegmentRows(const Keyspace& keyspace, uint64_t segment, uint64_t total) {
  storage::KeyRange range = AllRows(keyspace);
  if (segment > 0) range.begin = HashBound(keyspace, SegmentStart(segment, total));
  if (segment + 1 < total) range.end = HashBound(keyspace, SegmentStart(segment + 1, total));
  return range;
}

std::string PrefixEnd(std::string prefix) {
  while (!prefix.empty() && static_cast<uint8_t>(prefix.back()) == 0xFF) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(static_cast<uint8_t>(prefix.back()) + 1);
  return prefix;
}

}  // namespace armature::table
