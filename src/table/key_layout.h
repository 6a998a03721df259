// Key layout: where in the ordered store a thing lies.
//
//   system   0x01 | kind | …                                          (catalogue and other records of the house)
//   table    0x02 | table id, 7 bytes | space | hash, 8 bytes | partition key | sort key
//
// The hash of the partition key spreads items and gives Scan its order; items of one partition key lie together in sort
// order. Byte by byte in docs/design/formats.md. Pure; used by table/ only (api/ never sees a storage key).
#pragma once

#include <string>
#include <string_view>

#include "model/table_def.h"
#include "model/value.h"
#include "storage/engine.h"

namespace armature::table {

// What lies behind a table's prefix. Local indexes and the journal get spaces of their own.
enum class Space : uint8_t { kItems = 0x10 };

// Every key of a table starts with this.
std::string TablePrefix(uint64_t table_id);
storage::KeyRange TableRange(uint64_t table_id);

// The key of a table's own record in the catalogue, and the range of all of them.
void AppendCatalogKey(std::string_view account, std::string_view region, std::string_view table_name, std::string& out);
std::string CatalogKey(std::string_view account, std::string_view region, std::string_view table_name);
storage::KeyRange CatalogRange();
// A table's persisted statistics, and the allocator of table ids.
std::string TableStatsKey(uint64_t table_id);
std::string NextTableIdKey();

// The storage key of an item. REQUIRES: `key` holds every key attribute with its type.
void AppendItemKey(std::string_view table_prefix, const model::KeySchema& schema, model::Item key, std::string& out);

// Hash of the encoded partition key; also what a scan segment and a partition divide.
uint64_t PartitionHash(std::string_view encoded_partition_key);

}  // namespace armature::table
