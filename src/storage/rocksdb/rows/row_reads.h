// The three reads of an engine, over a RocksDB: they fill in an operation and leave finishing it to the caller.
//
// Run does it, true. Within a CacheOnly (files/cache_only.h) it may be false: not all of it was in memory, and Run is
// to be called again, with the same options, where the disk may be waited for; it goes on from what was found. A read
// holds nothing but the operation and what is left to do. No allocation fails inside RocksDB
// (base/memory/memory_reserve.h): it does not survive an exception. One thread at a time.
#pragma once

#include <vector>

#include <rocksdb/db.h>

#include "storage/engine.h"

namespace armature::storage {

// How rows are read: range deletions are not looked at. Only rows that nobody asks for any more are deleted so (those
// of a partition that is dropped), and with range deletions RocksDB 7.8's iterators are silent about damage: a table
// file whose first block cannot be read is left out, with all behind it on its level.
rocksdb::ReadOptions RowReadOptions();

class RowGet {
 public:
  using Op = GetOp;
  explicit RowGet(GetOp& op) : op_(&op) {}
  GetOp& op() const { return *op_; }
  bool Run(rocksdb::DB& db, const rocksdb::ReadOptions& options);

 private:
  GetOp* op_;
};

class RowMultiGet {
 public:
  using Op = MultiGetOp;
  explicit RowMultiGet(MultiGetOp& op) : op_(&op) {}
  MultiGetOp& op() const { return *op_; }
  bool Run(rocksdb::DB& db, const rocksdb::ReadOptions& options);

 private:
  MultiGetOp* op_;
  std::vector<size_t> left_;  // positions of the keys that are still to be read; empty at first: all
};

class RowRangeScan {
 public:
  using Op = ScanOp;
  explicit RowRangeScan(ScanOp& op) : op_(&op) {}
  ScanOp& op() const { return *op_; }
  bool Run(rocksdb::DB& db, rocksdb::ReadOptions options);

 private:
  ScanOp* op_;
  bool goes_on_ = false;  // behind the rows that are in the operation
};

}  // namespace armature::storage
