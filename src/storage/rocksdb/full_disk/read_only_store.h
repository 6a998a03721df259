// ReadOnlyStore: a store on a disk so full that RocksDB cannot open it for writing.
//
// Reads everything that was acknowledged, logs included, and writes nothing: no file of the store changes. Commits and
// changes of partitions are refused with kNoSpace. What its logs hold was synced when it was opened, so all of it is
// durable. Thread-safe. Used by FullDiskEngine until there is space.
#pragma once

#include <memory>

#include "storage/engine.h"
#include "storage/rocksdb/setup/rocksdb_options.h"

namespace armature::storage {

Result<std::shared_ptr<Engine>> OpenReadOnlyStore(const RocksDbOptions& options, const std::string& database_path);

}  // namespace armature::storage
