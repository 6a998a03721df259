// PatientFile: a table file or manifest, written by a background thread, that waits for space instead of failing.
//
// Made by StoreFileSystem. Belongs to one thread at a time, as RocksDB's writable files do.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <rocksdb/file_system.h>

#include "storage/rocksdb/disk_space.h"

namespace armature::storage {

class PatientFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  PatientFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::shared_ptr<DiskSpace> space)
      : FSWritableFileOwnerWrapper(std::move(file)), space_(std::move(space)) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&, rocksdb::IODebugContext* context) override {
    return Append(data, options, context);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override;

 private:
  const std::shared_ptr<DiskSpace> space_;
  uint64_t written_ = 0;
  bool is_positioned_ = false;  // the file's own position is wherever a failed write left it
};

}  // namespace armature::storage
