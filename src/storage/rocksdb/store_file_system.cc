#include "storage/rocksdb/store_file_system.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "storage/rocksdb/status_mapping.h"

namespace armature::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

namespace {

// A log as it is on disk, and the rest of it that found no space. RocksDB appends from one thread while it
// syncs from another, hence the mutex.
struct Log {
  // One sync in thirty of a busy store pays for the longer file, and writes little more than its own records.
  static constexpr uint64_t kZeroedAhead = 256 << 10;

  std::string path;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  std::mutex mutex;
  uint64_t written = 0;    // guarded by mutex
  uint64_t zeroed = 0;     // guarded by mutex; the length of the file
  std::string rest;        // guarded by mutex
  bool is_closed = false;  // guarded by mutex; RocksDB has, we may still have to write

  // Under mutex. Lengthens the file by one step when it ends before `end`; a record larger than a step lengthens it
  // itself. Failing is no matter: whatever is wrong, the write that follows meets it too.
  void ZeroAhead(uint64_t end) {
    if (end <= zeroed) return;
    static const std::string zeros(kZeroedAhead, '\0');
    const uint64_t from = std::max(zeroed, written);
    if (file->PositionedAppend(zeros, from, IOOptions(), nullptr).ok()) zeroed = from + zeros.size();
  }
  // Under mutex.
  IOStatus Close(const IOOptions& options, IODebugContext* context) {
    if (zeroed > written) file->Truncate(written, options, context).PermitUncheckedError();
    return file->Close(options, context);
  }

  // Written at its place, because an append that failed may have got half-way.
  IOStatus WriteRest() {
    std::lock_guard lock(mutex);
    if (rest.empty()) return IOStatus::OK();
    IOStatus status = file->PositionedAppend(rest, written, IOOptions(), nullptr);
    if (status.ok()) status = file->Sync(IOOptions(), nullptr);
    if (!status.ok()) return status;
    written += rest.size();
    rest.clear();
    if (is_closed) Close(IOOptions(), nullptr).PermitUncheckedError();
    return status;
  }
};

}  // namespace

// What the files of one store share: who waits for space, and whether syncs count yet.
class DiskSpace {
 public:
  bool is_full() const { return waiting_.load(std::memory_order_seq_cst) != 0; }
  bool owes_log() const {
    std::lock_guard lock(mutex_);
    return !owing_.empty();
  }

  void Owe(std::shared_ptr<Log> log) {
    std::lock_guard lock(mutex_);
    owing_.push_back(std::move(log));
    ++waiting_;
  }
  // A log that is deleted needs no space: what it held is in a table file.
  void Forget(const std::string& path) {
    std::lock_guard lock(mutex_);
    waiting_ -= static_cast<int>(std::erase_if(owing_, [&](const auto& log) { return log->path == path; }));
  }
  IOStatus WriteRests() {
    std::vector<std::shared_ptr<Log>> owing;
    {
      std::lock_guard lock(mutex_);
      owing = owing_;
    }
    for (const auto& log : owing) {
      if (IOStatus status = log->WriteRest(); !status.ok()) return status;
      Forget(log->path);
    }
    return IOStatus::OK();
  }

  void BePatient(bool is_patient) {
    std::lock_guard lock(mutex_);
    is_patient_ = is_patient;
    changed_.notify_all();
  }
  // False when there is no point in trying again.
  bool WaitALittle() {
    std::unique_lock lock(mutex_);
    if (is_patient_) changed_.wait_for(lock, std::chrono::milliseconds(50));
    return is_patient_;
  }
  void CountWaiting(int delta) { waiting_ += delta; }

  void DeferSyncs(bool is_deferring) { is_deferring_.store(is_deferring, std::memory_order_seq_cst); }
  bool is_deferring() const { return is_deferring_.load(std::memory_order_seq_cst); }

 private:
  std::atomic<bool> is_deferring_{false};
  std::atomic<int> waiting_{0};  // logs that owe and files that wait
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_patient_ = false;                  // guarded by mutex_
  std::vector<std::shared_ptr<Log>> owing_;  // guarded by mutex_
};

namespace {

class LogFile final : public rocksdb::FSWritableFileWrapper {
 public:
  LogFile(std::shared_ptr<Log> log, std::shared_ptr<DiskSpace> space)
      : FSWritableFileWrapper(log->file.get()), log_(std::move(log)), space_(std::move(space)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* context) override {
    bool owes_now = false;
    {
      std::lock_guard lock(log_->mutex);
      if (log_->rest.empty()) {
        log_->ZeroAhead(log_->written + data.size());
        // By position always: what follows a rest that was written late must not depend on where a failed write
        // stopped.
        IOStatus status = PositionedAppend(data, log_->written, options, context);
        if (status.ok()) log_->written += data.size();
        if (!status.IsNoSpace()) return status;
        owes_now = true;
      }
      log_->rest.append(data.data(), data.size());
    }
    if (owes_now) space_->Owe(log_);
    return IOStatus::OK();
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* context) override {
    return Append(data, options, context);
  }
  // Instead of reserving blocks: see ZeroAhead.
  void PrepareWrite(size_t, size_t, const IOOptions&, IODebugContext*) override {}
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    return space_->is_deferring() ? IOStatus::OK() : FSWritableFileWrapper::Sync(options, context);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return space_->is_deferring() ? IOStatus::OK() : FSWritableFileWrapper::Fsync(options, context);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* context) override {
    std::lock_guard lock(log_->mutex);
    log_->is_closed = true;
    return log_->rest.empty() ? log_->Close(options, context) : IOStatus::OK();
  }
  uint64_t GetFileSize(const IOOptions&, IODebugContext*) override {
    std::lock_guard lock(log_->mutex);
    return log_->written + log_->rest.size();
  }

 private:
  const std::shared_ptr<Log> log_;
  const std::shared_ptr<DiskSpace> space_;
};

class PatientFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  PatientFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::shared_ptr<DiskSpace> space)
      : FSWritableFileOwnerWrapper(std::move(file)), space_(std::move(space)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* context) override {
    IOStatus status = is_positioned_ ? PositionedAppend(data, written_, options, context)
                                     : FSWritableFileOwnerWrapper::Append(data, options, context);
    if (status.IsNoSpace()) {
      is_positioned_ = true;
      space_->CountWaiting(+1);
      while (status.IsNoSpace() && space_->WaitALittle()) status = PositionedAppend(data, written_, options, context);
      space_->CountWaiting(-1);
    }
    if (status.ok()) written_ += data.size();
    return status;
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* context) override {
    return Append(data, options, context);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    return space_->is_deferring() ? IOStatus::OK() : FSWritableFileOwnerWrapper::Sync(options, context);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return space_->is_deferring() ? IOStatus::OK() : FSWritableFileOwnerWrapper::Fsync(options, context);
  }

 private:
  const std::shared_ptr<DiskSpace> space_;
  uint64_t written_ = 0;
  bool is_positioned_ = false;  // the file's own position is wherever a failed write left it
};

class DeferringDirectory final : public rocksdb::FSDirectory {
 public:
  DeferringDirectory(std::unique_ptr<rocksdb::FSDirectory>&& directory, std::shared_ptr<DiskSpace> space)
      : directory_(std::move(directory)), space_(std::move(space)) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return space_->is_deferring() ? IOStatus::OK() : directory_->Fsync(options, context);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* context,
                               const rocksdb::DirFsyncOptions& what) override {
    return space_->is_deferring() ? IOStatus::OK() : directory_->FsyncWithDirOptions(options, context, what);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* context) override {
    return directory_->Close(options, context);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override { return directory_->GetUniqueId(id, max_size); }

 private:
  const std::unique_ptr<rocksdb::FSDirectory> directory_;
  const std::shared_ptr<DiskSpace> space_;
};

}  // namespace

StoreFileSystem::StoreFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base)
    : FileSystemWrapper(base), space_(std::make_shared<DiskSpace>()) {}

IOStatus StoreFileSystem::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                          std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* context) {
  if (path.find("/OPTIONS-") != std::string::npos) return IOStatus::NotSupported("no options files");
  IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, context);
  if (!status.ok()) return status;
  if (!path.ends_with(".log")) {
    *file = std::make_unique<PatientFile>(std::move(*file), space_);
    return status;
  }
  auto log = std::make_shared<Log>();
  log->path = path;
  log->file = std::move(*file);
  *file = std::make_unique<LogFile>(std::move(log), space_);
  return status;
}

IOStatus StoreFileSystem::DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* context) {
  if (path.ends_with(".log")) space_->Forget(path);
  return FileSystemWrapper::DeleteFile(path, options, context);
}

IOStatus StoreFileSystem::NewDirectory(const std::string& path, const IOOptions& options,
                                       std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* context) {
  IOStatus status = FileSystemWrapper::NewDirectory(path, options, directory, context);
  if (status.ok()) *directory = std::make_unique<DeferringDirectory>(std::move(*directory), space_);
  return status;
}

bool StoreFileSystem::is_full() const { return space_->is_full(); }
bool StoreFileSystem::owes_log() const { return space_->owes_log(); }
Status StoreFileSystem::WriteRests() { return FromRocksDb(space_->WriteRests()); }
void StoreFileSystem::BePatient(bool is_patient) { space_->BePatient(is_patient); }
void StoreFileSystem::DeferSyncs(bool is_deferring) { space_->DeferSyncs(is_deferring); }

}  // namespace armature::storage
