// The environment RocksDB runs in: our files, encrypted or not, and a clock that it can bear.
//
// RocksDB aborts when the time is before 1970, as it is on a machine that has lost its clock. Here time begins then.
// Used by the engine.
#pragma once

#include <memory>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "storage/rocksdb/setup/rocksdb_options.h"

namespace armature::storage {

// The files of db/ as all see them who read and write them: those of the options' operating system, decrypted where the
// options have keys. What else lies in the data directory is not encrypted.
std::shared_ptr<rocksdb::FileSystem> DatabaseFiles(const RocksDbOptions& options);

std::unique_ptr<rocksdb::Env> MakeStoreEnv(const std::shared_ptr<rocksdb::FileSystem>& files);

}  // namespace armature::storage
