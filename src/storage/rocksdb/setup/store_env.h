// The environment RocksDB runs in: our files, and a clock that it can bear.
//
// RocksDB aborts when the time is before 1970, as it is on a machine that has lost its clock. Here time begins then.
// Used by the engine.
#pragma once

#include <memory>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace armature::storage {

std::unique_ptr<rocksdb::Env> MakeStoreEnv(const std::shared_ptr<rocksdb::FileSystem>& files);

}  // namespace armature::storage
