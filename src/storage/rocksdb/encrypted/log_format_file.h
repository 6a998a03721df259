// Logs and manifests, encrypted in their own places (log_cipher.h), as RocksDB and the survey write and read them.
//
// LogWriter keeps back the beginning of a piece until the rest of it comes: RocksDB empties its buffer in the middle of
// one when that is full. When it syncs, a record is whole. What is written ahead stays zeros. A write that failed is
// repeated at its place with the same bytes (failed_write.h). Appended to by one thread at a time, synced by another
// meanwhile. LogReader is one thread's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <rocksdb/file_system.h>

#include "storage/rocksdb/encrypted/failed_write.h"
#include "storage/rocksdb/encrypted/log_cipher.h"

namespace armature::storage {

class LogWriter final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  // `file` has its header and nothing else.
  LogWriter(std::unique_ptr<rocksdb::FSWritableFile>&& file, const FileHeader& header)
      : FSWritableFileOwnerWrapper(std::move(file)), cipher_(header.secrets) {}

  using IOStatus = rocksdb::IOStatus;
  using IOOptions = rocksdb::IOOptions;
  using Context = rocksdb::IODebugContext;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, Context* context) override {
    return PositionedAppend(data, end_ + held_.size(), options, context);
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  Context* context) override {
    return Append(data, options, context);
  }
  // At the end, or zeros anywhere behind it.
  IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t offset, const IOOptions& options,
                            Context* context) override;
  IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t offset, const IOOptions& options,
                            const rocksdb::DataVerificationInfo&, Context* context) override {
    return PositionedAppend(data, offset, options, context);
  }
  // What is behind cannot be written again: with other bytes the key stream would be used twice.
  IOStatus Truncate(uint64_t size, const IOOptions& options, Context* context) override;
  uint64_t GetFileSize(const IOOptions&, Context*) override { return end_ + held_.size(); }

  IOStatus RangeSync(uint64_t offset, uint64_t count, const IOOptions& options, Context* context) override {
    return target()->RangeSync(FileHeader::kBytes + offset, count, options, context);
  }
  void PrepareWrite(size_t offset, size_t count, const IOOptions& options, Context* context) override {
    target()->PrepareWrite(FileHeader::kBytes + offset, count, options, context);
  }
  IOStatus Allocate(uint64_t offset, uint64_t count, const IOOptions& options, Context* context) override {
    return target()->Allocate(FileHeader::kBytes + offset, count, options, context);
  }

 private:
  LogCipher cipher_;
  uint64_t end_ = 0;     // of what was written
  std::string held_;     // behind it: a piece that is not whole
  std::string sealing_;  // held_ and what is appended
  uint64_t blank_until_ = 0;
  FailedWrite failed_;
  bool is_cut_ = false;
};

// A file that is opened again to be cut, and no more than that: whatever its key is.
class LogCutter final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  explicit LogCutter(std::unique_ptr<rocksdb::FSWritableFile>&& file) : FSWritableFileOwnerWrapper(std::move(file)) {}

  using IOStatus = rocksdb::IOStatus;
  using IOOptions = rocksdb::IOOptions;
  using Context = rocksdb::IODebugContext;
  IOStatus Append(const rocksdb::Slice&, const IOOptions&, Context*) override { return Refuse(); }
  IOStatus Append(const rocksdb::Slice&, const IOOptions&, const rocksdb::DataVerificationInfo&, Context*) override {
    return Refuse();
  }
  IOStatus PositionedAppend(const rocksdb::Slice&, uint64_t, const IOOptions&, Context*) override { return Refuse(); }
  IOStatus PositionedAppend(const rocksdb::Slice&, uint64_t, const IOOptions&, const rocksdb::DataVerificationInfo&,
                            Context*) override {
    return Refuse();
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, Context* context) override {
    return target()->Truncate(FileHeader::kBytes + size, options, context);
  }

 private:
  static IOStatus Refuse() { return IOStatus::NotSupported("an encrypted file that was closed is not written to"); }
};

class LogReader final : public rocksdb::FSSequentialFile {
 public:
  // `file` stands behind its header. Without a cipher the file is blank (file_header.h): whatever it holds cannot be
  // read, and is shown as zeros.
  LogReader(std::unique_ptr<rocksdb::FSSequentialFile>&& file, std::unique_ptr<LogCipher> cipher)
      : file_(std::move(file)), cipher_(std::move(cipher)) {}

  rocksdb::IOStatus Read(size_t count, const rocksdb::IOOptions& options, rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus Skip(uint64_t count) override;

 private:
  // Reads the next block; nothing is left of the one before.
  rocksdb::IOStatus Fill(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context);

  const std::unique_ptr<rocksdb::FSSequentialFile> file_;
  const std::unique_ptr<LogCipher> cipher_;
  std::string block_;
  size_t taken_ = 0;     // of block_
  uint64_t offset_ = 0;  // of the block that is read next
  bool is_at_end_ = false;
};

}  // namespace armature::storage
