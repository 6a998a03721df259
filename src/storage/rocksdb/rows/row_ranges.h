// Ranges of rows, as RocksDB wants them when all in them is to go. Thread-safe.
#pragma once

#include <rocksdb/db.h>

#include "base/result.h"
#include "storage/engine.h"

namespace armature::storage {

// The range with both ends named, and without the engine's own keys.
Result<KeyRange> UserRange(rocksdb::DB& db, const KeyRange& range);

// Table files that lie in `range` as a whole go at once instead of with the next compactions. REQUIRES: the range is
// deleted, and nobody can look at what was there before.
void DeleteFilesWithin(rocksdb::DB& db, const KeyRange& range);

}  // namespace armature::storage
