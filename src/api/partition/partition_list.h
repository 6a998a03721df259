// The partitions of a table and of its global indexes, as replies list them.
//
// Those in use, in the order of their hashes, then those that were split and are kept for the records of streams. Used
// by the operations beside it.
#pragma once

#include <string>

#include "table/table.h"

namespace armature::api {

// Appends the reply's JSON object.
void WritePartitionList(const table::Table& table, std::string& body);

}  // namespace armature::api
