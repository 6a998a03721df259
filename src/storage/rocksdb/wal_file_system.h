// WalFileSystem: the real file system, with one change for write-ahead logs.
//
// RocksDB reserves blocks for a log but leaves its length to grow with each write, so every fsync also commits
// the new length through the file system's journal. Here the length is set when the blocks are reserved: an
// fsync then writes data only (measured on ext4: 80 µs instead of 115). What has not been written reads as zeros,
// which RocksDB's recovery takes as the end of the log; a clean close cuts the file to its contents.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

namespace armature::storage {

class WalFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  static const char* kClassName() { return "ArmatureWalFileSystem"; }
  const char* Name() const override { return kClassName(); }

  rocksdb::FileOptions OptimizeForLogWrite(const rocksdb::FileOptions& file_options,
                                           const rocksdb::DBOptions& db_options) const override {
    rocksdb::FileOptions options = FileSystemWrapper::OptimizeForLogWrite(file_options, db_options);
    options.fallocate_with_keep_size = false;
    return options;
  }
};

}  // namespace armature::storage
