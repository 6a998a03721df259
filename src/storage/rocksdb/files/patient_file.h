// PatientFile: a table file or manifest, written by a background thread, that waits for space instead of failing.
//
// An encrypted table keeps its last page back until its length is known (encrypted/page_file.h). It is told before a
// sync or the end, so that the page, too, waits for space: a sync that finds none is a failure for good.
// Made by StoreFileSystem. Belongs to one thread at a time, as RocksDB's writable files do.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <rocksdb/file_system.h>

#include "storage/rocksdb/files/disk_space.h"

namespace armature::storage {

class PatientFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  // `manifest` is a manifest's number, 0 for other files.
  PatientFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::shared_ptr<DiskSpace> space, uint64_t manifest,
              bool holds_back)
      : FSWritableFileOwnerWrapper(std::move(file)),
        space_(std::move(space)),
        manifest_(manifest),
        holds_back_(holds_back) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&, rocksdb::IODebugContext* context) override {
    return Append(data, options, context);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override;

 private:
  // Writes what the file holds back.
  rocksdb::IOStatus Finish(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context);
  rocksdb::IOStatus SyncOutcome(const rocksdb::IOStatus& status);

  const std::shared_ptr<DiskSpace> space_;
  const uint64_t manifest_;
  const bool holds_back_;
  uint64_t written_ = 0;
  bool is_positioned_ = false;  // the file's own position is wherever a failed write left it
};

}  // namespace armature::storage
