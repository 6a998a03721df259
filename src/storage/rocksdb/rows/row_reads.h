// The three reads of an engine, over a RocksDB: they fill in an operation and leave finishing it to the caller.
//
// No allocation fails inside RocksDB (base/memory/memory_reserve.h): it does not survive an exception. Thread-safe.
#pragma once

#include <rocksdb/db.h>

#include "storage/engine.h"

namespace armature::storage {

// How rows are read: range deletions are not looked at. Only rows that nobody asks for any more are deleted so (those
// of a partition that is dropped), and with range deletions RocksDB 7.8's iterators are silent about damage: a table
// file whose first block cannot be read is left out, with all behind it on its level.
rocksdb::ReadOptions RowReadOptions();

void ReadRow(rocksdb::DB& db, const rocksdb::ReadOptions& options, GetOp& op);
void ReadRows(rocksdb::DB& db, const rocksdb::ReadOptions& options, MultiGetOp& op);
void ScanRows(rocksdb::DB& db, rocksdb::ReadOptions options, ScanOp& op);

}  // namespace armature::storage
