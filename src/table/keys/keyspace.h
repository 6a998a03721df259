// Keyspace: rows in key order that can be read by key condition — the items of a table, or the entries of one index.
//
//   items          0x10 | hash, 8 bytes | partition key | sort key
//   local index    0x20 | index id, 4 bytes | hash of the partition key | index key | rest of the table's key
//   global index   0x30 | hash of the index's partition key | index key | rest of the table's key
//
// Items and local indexes lie in the table's partitions, a global index has partitions of its own.
// An index row ends with those of the table's key attributes that are not in the index key: that makes it unique and
// gives rows with equal index keys a stable order. Pure; used by the read and write paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "model/table_def.h"
#include "model/value.h"
#include "storage/engine.h"

namespace armature::table {

struct Keyspace {
  std::string prefix;  // everything before the hash
  model::KeySchema key;
  std::vector<model::KeyAttribute> tail;  // of an index: the rest of the table's key

  // Every attribute in a row's key: hash, range, tail.
  template <class Visit>
  void ForEachAttribute(Visit&& visit) const {
    for (const auto& attribute : key.hash) visit(attribute);
    for (const auto& attribute : key.range) visit(attribute);
    for (const auto& attribute : tail) visit(attribute);
  }
  size_t attribute_count() const { return key.hash.size() + key.range.size() + tail.size(); }
};

Keyspace ItemsKeyspace(const model::TableDef& table);
Keyspace IndexKeyspace(const model::TableDef& table, const model::IndexDef& index);

// Whether `item` has a row here: every key attribute is there with its type, not empty and not too long. Always true of
// a table's own items; false of items a sparse index leaves out.
bool HasRow(const Keyspace& keyspace, model::Item item);

// REQUIRES: HasRow(keyspace, item).
void AppendRowKey(const Keyspace& keyspace, model::Item item, std::string& out);

// The attributes of a row's key, as LastEvaluatedKey shows them.
model::Item RowKeyAttributes(const Keyspace& keyspace, model::Item item, Arena& arena);

// All rows, and those of one segment of a parallel scan: the hash space in `total` equal parts.
storage::KeyRange AllRows(const Keyspace& keyspace);
storage::KeyRange SegmentRows(const Keyspace& keyspace, uint64_t segment, uint64_t total);

// The smallest bytes greater than everything that starts with `prefix`; empty if there is none.
std::string PrefixEnd(std::string prefix);

}  // namespace armature::table
