// Expiry rows: where a table with Time to Live keeps which item expires when.
//
//   0x50 | expiry in epoch seconds, 8 bytes | item key behind its space          (no value)
//
// An item has a row if its TTL attribute is a number after the epoch (docs/dynamodb.md 12); decimals count for the
// second they end in, so that whoever reads the rows up to now finds expired items only. Rows are kept by the write
// path in the batch that also holds the item (index/index_changes.h), so finding what has expired never reads an item
// that has not. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "model/table_def.h"
#include "model/value.h"
#include "storage/engine.h"

namespace armature::table {

// The first second at which the item is expired; nothing if it never will be.
std::optional<int64_t> ExpirySeconds(model::Item item, std::string_view attribute);

// `item_key` is the item's storage key.
std::string ExpiryRowKey(int64_t expiry_seconds, std::string_view item_key);

// Rows that expire from `from` on and before `until`, in the order of expiry; all of a table's.
storage::KeyRange ExpiryRows(int64_t from_seconds, int64_t until_seconds);
storage::KeyRange AllExpiryRows();

// What a row says: when, and of which item. False if it is malformed.
struct ExpiryRow {
  int64_t expiry_seconds = 0;
  model::Item key;  // in the arena
};
int64_t ExpiryOfRow(std::string_view row_key);
bool ReadExpiryRow(std::string_view row_key, const model::KeySchema& schema, Arena& arena, ExpiryRow* row);

}  // namespace armature::table
