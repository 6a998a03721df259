// RocksDbEngine: the default engine. One directory, one RocksDB, one syncer.
//
// Owns the data directory, the database and its threads. Commits go to the log and the memtable at once and become
// durable together, a group per fsync (syncer.h); reads at View::kDurable use the last published
// snapshot (durable_views.h) and take no lock. What an acknowledgement means depends on Durability
// (rocksdb_options.h): with kInterval and kNone "durable" is "handed to the operating system", so there View::kDurable
// and View::kLatest are the same.
// A write that RocksDB would hold back (compaction cannot keep up) waits on a thread of the engine, never on the
// caller's; so does a read on an executor that needs the disk (files/cache_only.h), unless a thousand do. Thread-safe.
// After Close everything answers kUnavailable.
#pragma once

#include <memory>

#include "base/metrics.h"
#include "base/result.h"
#include "storage/engine.h"
#include "storage/rocksdb/setup/rocksdb_options.h"

namespace armature::storage {

// kLocked: another process has it; kFormat: foreign or newer data; kIoError: cannot be read or created.
// `metrics` must outlive the engine.
Result<std::unique_ptr<Engine>> OpenRocksDbEngine(const RocksDbOptions& options, Metrics& metrics);

}  // namespace armature::storage
