#include "storage/rocksdb/rows/row_ranges.h"

#include <rocksdb/convenience.h>

namespace armature::storage {

void DeleteFilesWithin(rocksdb::DB& db, const KeyRange& range) {
  const rocksdb::Slice begin = range.begin, end = range.end;
  // Failure leaves the work to compaction.
  rocksdb::DeleteFilesInRange(&db, db.DefaultColumnFamily(), &begin, &end, /*include_end=*/false)
      .PermitUncheckedError();
}

}  // namespace armature::storage
