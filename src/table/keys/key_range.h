// Key ranges: which rows of a keyspace a key condition and a start key leave to read.
//
// Pure arithmetic on key bytes; the errors a start key can cause are worded by api/. Used by the read path and api/.
#pragma once

#include <string>

#include "expr/bind/key_condition.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/keys/keyspace.h"

namespace armature::table {

// The rows a matched key condition selects.
storage::KeyRange QueryRange(const Keyspace& keyspace, const expr::KeyQuery& query);
// The rows of the partition key alone, without the condition on the sort key.
storage::KeyRange PartitionRange(const Keyspace& keyspace, const expr::KeyQuery& query);

bool Contains(const storage::KeyRange& range, std::string_view key);

// Leaves the rows behind `row_key` in the direction of reading. The row need not exist.
void StartAfter(std::string_view row_key, bool is_reverse, storage::KeyRange& range);

}  // namespace armature::table
