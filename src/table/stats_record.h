// The stored form of a table's statistics: items and bytes of the table and of each index.
//
//   version 1 | items, 8 bytes | bytes, 8 bytes | number of indexes, varint | { index id, varint | items, 8 | bytes, 8
//   }
//
// Pure. Used by the catalogue.
#pragma once

#include <string>
#include <string_view>

#include "table/table.h"

namespace armature::table {

std::string EncodeStats(Table& table);
// False: damaged. Indexes that are not in the record keep what they have.
bool DecodeStats(std::string_view record, Table& table);

}  // namespace armature::table
