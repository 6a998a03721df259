// EngineFigures: what a RocksDB takes of memory and disk, for metrics and statistics.
//
// Thread-safe. Shared with the gauges, which the Metrics keep longer than an engine lives: after Forget all figures are
// zero, and the database is no longer touched.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>

#include "base/metrics.h"
#include "base/mutex.h"

namespace armature::storage {

class EngineFigures {
 public:
  EngineFigures(rocksdb::DB& db, std::shared_ptr<const rocksdb::Cache> cache) : cache_(std::move(cache)), db_(&db) {}

  static void Register(const std::shared_ptr<const EngineFigures>& figures, Metrics& metrics);
  // The database is about to be closed.
  void Forget();

  uint64_t memory_bytes() const;  // blocks, memtables and what table readers take beside them
  uint64_t table_bytes() const;   // of table files
  uint64_t total_bytes() const;   // of table files and of what is still in memory

 private:
  uint64_t Property(const std::string& name) const ARMATURE_WITH_LOCK(mutex_);

  const std::shared_ptr<const rocksdb::Cache> cache_;
  mutable Mutex mutex_;
  rocksdb::DB* db_ ARMATURE_GUARDED_BY(mutex_);  // null once forgotten
};

}  // namespace armature::storage
