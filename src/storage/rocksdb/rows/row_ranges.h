// Ranges of rows that go at once. Thread-safe.
#pragma once

#include <rocksdb/db.h>

#include "storage/engine.h"

namespace armature::storage {

// Table files that lie in `range` as a whole go at once instead of with the next compactions. REQUIRES: the range is
// deleted, and nobody can look at what was there before.
void DeleteFilesWithin(rocksdb::DB& db, const KeyRange& range);

}  // namespace armature::storage
