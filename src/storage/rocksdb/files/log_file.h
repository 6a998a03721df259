// LogFile: a write-ahead log as RocksDB sees it: it never meets a shortage.
//
// The end of a log is written ahead with zeros, so that most syncs write records only (see store_file_system.h). What
// finds no space, or no descriptor to create the file with, is kept in memory as the log's rest; WriteRests must
// succeed before anything is acknowledged. A log that fails for good is known to DiskSpace: nothing is acknowledged any
// more, and nothing is appended behind what is missing. RocksDB, which asserts that a file that failed is not used
// again, is told only of an append that a writer waits for (see DiskSpace::TellAppendFailures).
// RocksDB appends from one thread while it syncs from another. Made by StoreFileSystem; a Log is shared with DiskSpace
// for as long as it owes a rest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <rocksdb/file_system.h>

#include "base/mutex.h"
#include "storage/rocksdb/files/record_ends.h"
#include "storage/rocksdb/files/shortage.h"

namespace armature::storage {

class DiskSpace;

class Log {
 public:
  using Opener = std::function<rocksdb::IOStatus(std::unique_ptr<rocksdb::FSWritableFile>*)>;

  Log(std::string path, std::unique_ptr<rocksdb::FSWritableFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}
  // One whose file could not be created yet: it begins with a rest.
  Log(std::string path, Opener open) : path_(std::move(path)), open_(std::move(open)) {}

  const std::string& path() const { return path_; }

  // `owes`: the shortage that this is the first to meet.
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context, Shortage& owes);
  // Tries again to write and sync the rest. A shortage may be over later; any other failure is for good.
  rocksdb::IOStatus WriteRest();
  // RocksDB has done with it; we may still have to write.
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context);
  uint64_t size() const;
  // Without the rest.
  uint64_t written() const;
  // Of what is written, up to the end of the last whole record.
  uint64_t written_whole() const;
  // Something is kept in memory, or the file itself is not there yet.
  bool has_rest() const;
  // Null until it could be created; does not change after that.
  rocksdb::FSWritableFile* file() const;

 private:
  // One sync in thirty of a busy store pays for the longer file, and writes little more than its own records.
  static constexpr uint64_t kZeroedAhead = 256 << 10;

  void ZeroAhead(uint64_t end) ARMATURE_WITH_LOCK(mutex_);
  rocksdb::IOStatus CloseFile(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context)
      ARMATURE_WITH_LOCK(mutex_);

  const std::string path_;
  const Opener open_;
  mutable Mutex mutex_;
  std::unique_ptr<rocksdb::FSWritableFile> file_ ARMATURE_GUARDED_BY(mutex_);
  uint64_t written_ ARMATURE_GUARDED_BY(mutex_) = 0;
  uint64_t written_whole_ ARMATURE_GUARDED_BY(mutex_) = 0;
  RecordEnds ends_ ARMATURE_GUARDED_BY(mutex_);      // of all that was appended, the rest included
  uint64_t zeroed_ ARMATURE_GUARDED_BY(mutex_) = 0;  // the length of the file
  std::string rest_ ARMATURE_GUARDED_BY(mutex_);
  bool is_closed_ ARMATURE_GUARDED_BY(mutex_) = false;
};

class LogFile final : public rocksdb::FSWritableFile {
 public:
  LogFile(std::shared_ptr<Log> log, std::shared_ptr<DiskSpace> space)
      : log_(std::move(log)), space_(std::move(space)) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&, rocksdb::IODebugContext* context) override {
    return Append(data, options, context);
  }
  // Instead of reserving blocks: the log writes ahead itself.
  void PrepareWrite(size_t, size_t, const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {}
  rocksdb::IOStatus Flush(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override;
  bool IsSyncThreadSafe() const override { return true; }
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    return log_->Close(options, context);
  }
  uint64_t GetFileSize(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override { return log_->size(); }

 private:
  template <class Call>
  rocksdb::IOStatus SyncWith(Call sync);

  const std::shared_ptr<Log> log_;
  const std::shared_ptr<DiskSpace> space_;
};

}  // namespace armature::storage
