// Opening the RocksDB of a data directory, whatever a crash or a full disk has left of it.
//
// A directory whose creation was cut short is begun anew if it cannot be opened: nothing in it was ever acknowledged.
// An opening that finds no space takes its new files back (open_attempt.h). One thread, before others know of the
// store.
#pragma once

#include <memory>

#include <rocksdb/db.h>

#include "base/result.h"
#include "storage/rocksdb/files/store_file_system.h"
#include "storage/rocksdb/setup/data_directory.h"

namespace armature::storage {

struct OpenedDatabase {
  std::unique_ptr<rocksdb::DB> db;
  bool is_empty = false;  // there was nothing before
};

// `base` is the file system under `files`. REQUIRES: the survey has prepared the store.
Result<OpenedDatabase> OpenDatabase(const rocksdb::Options& options, const DataDirectory& directory,
                                    StoreFileSystem& files, rocksdb::Env& base);

}  // namespace armature::storage
