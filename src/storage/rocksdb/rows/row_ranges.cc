#include "storage/rocksdb/rows/row_ranges.h"

#include <algorithm>
#include <memory>
#include <string>

#include <rocksdb/convenience.h>

#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/rows/partition_records.h"

namespace armature::storage {

Result<KeyRange> UserRange(rocksdb::DB& db, const KeyRange& range) {
  KeyRange user{std::max(range.begin, std::string(kFirstUserKey)), range.end};
  if (!user.end.empty()) return user;
  const std::unique_ptr<rocksdb::Iterator> rows(db.NewIterator({}));
  rows->SeekToLast();
  if (!rows->status().ok()) return FromRocksDb(rows->status());
  if (rows->Valid()) user.end = rows->key().ToString();
  user.end.push_back('\0');
  return user;
}

void DeleteFilesWithin(rocksdb::DB& db, const KeyRange& range) {
  const rocksdb::Slice begin = range.begin, end = range.end;
  // Failure leaves the work to compaction.
  rocksdb::DeleteFilesInRange(&db, db.DefaultColumnFamily(), &begin, &end, /*include_end=*/false)
      .PermitUncheckedError();
}

}  // namespace armature::storage
