#include "storage/rocksdb/store_file_system.h"

#include <mutex>
#include <utility>

namespace armature::storage {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;
using Base = rocksdb::FSWritableFileOwnerWrapper;

// RocksDB appends from one thread while it syncs from another, hence the mutex.
class LogFile final : public Base {
 public:
  LogFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::shared_ptr<std::atomic<bool>> is_full)
      : Base(std::move(file)), is_full_(std::move(is_full)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* context) override {
    return AppendWith(data, [&] { return Base::Append(data, options, context); });
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* context) override {
    return AppendWith(data, [&] { return Base::Append(data, options, verification, context); });
  }

  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    IOStatus status = WriteRest(options, context);
    return status.ok() ? Base::Sync(options, context) : status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    IOStatus status = WriteRest(options, context);
    return status.ok() ? Base::Fsync(options, context) : status;
  }
  IOStatus Close(const IOOptions& options, IODebugContext* context) override {
    IOStatus rest = WriteRest(options, context);
    IOStatus closed = Base::Close(options, context);
    return rest.ok() ? closed : rest;
  }

  uint64_t GetFileSize(const IOOptions&, IODebugContext*) override {
    std::lock_guard lock(mutex_);
    return written_ + rest_.size();
  }

 private:
  template <class Write>
  IOStatus AppendWith(const Slice& data, Write write) {
    std::lock_guard lock(mutex_);
    if (rest_.empty()) {
      IOStatus status = write();
      if (status.ok()) written_ += data.size();
      if (status.ok() || !status.IsNoSpace()) return status;
      is_full_->store(true, std::memory_order_seq_cst);
    }
    rest_.append(data.data(), data.size());
    return IOStatus::OK();
  }

  // Written at its place, because an append that failed may have got half-way.
  IOStatus WriteRest(const IOOptions& options, IODebugContext* context) {
    std::lock_guard lock(mutex_);
    if (rest_.empty()) return IOStatus::OK();
    IOStatus status = Base::PositionedAppend(rest_, written_, options, context);
    if (!status.ok()) return status;
    written_ += rest_.size();
    rest_.clear();
    is_full_->store(false, std::memory_order_seq_cst);
    return status;
  }

  const std::shared_ptr<std::atomic<bool>> is_full_;
  std::mutex mutex_;
  uint64_t written_ = 0;  // guarded by mutex_
  std::string rest_;      // guarded by mutex_; what found no space
};

}  // namespace

rocksdb::FileOptions StoreFileSystem::OptimizeForLogWrite(const rocksdb::FileOptions& file_options,
                                                          const rocksdb::DBOptions& db_options) const {
  rocksdb::FileOptions options = FileSystemWrapper::OptimizeForLogWrite(file_options, db_options);
  options.fallocate_with_keep_size = false;
  return options;
}

IOStatus StoreFileSystem::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                          std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* context) {
  if (path.find("/OPTIONS-") != std::string::npos) return IOStatus::NotSupported("no options files");
  IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, context);
  if (status.ok() && path.ends_with(".log")) {
    is_log_full_->store(false, std::memory_order_seq_cst);
    *file = std::make_unique<LogFile>(std::move(*file), is_log_full_);
  }
  return status;
}

}  // namespace armature::storage
