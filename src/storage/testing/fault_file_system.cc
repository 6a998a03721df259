#include "storage/testing/fault_file_system.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace armature::storage {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

std::string_view FileCallName(FileCall call) {
  static constexpr std::string_view kNames[] = {"create", "open",     "append", "sync",   "sync-directory",
                                                "read",   "truncate", "close",  "rename", "delete"};
  return kNames[static_cast<size_t>(call)];
}

void Faults::Arm(FileCall call, uint64_t n, uint64_t times, int error) {
  MutexLock lock(mutex_);
  counts_ = {};
  is_armed_ = true;
  call_ = call;
  from_ = n;
  times_ = times;
  error_ = error;
  failures_ = 0;
}

void Faults::Disarm() {
  MutexLock lock(mutex_);
  is_armed_ = false;
}

uint64_t Faults::count(FileCall call) const {
  MutexLock lock(mutex_);
  return counts_[static_cast<size_t>(call)];
}

uint64_t Faults::failures() const {
  MutexLock lock(mutex_);
  return failures_;
}

void Faults::StartCounting() {
  MutexLock lock(mutex_);
  counts_ = {};
}

void Faults::HoldSyncs(bool holds) {
  MutexLock lock(mutex_);
  holds_syncs_ = holds;
  changed_.notify_all();
}

void Faults::AwaitHeldSync() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [this]() ARMATURE_WITH_LOCK(mutex_) { return held_ > 0; });
}

void Faults::HoldReads(bool holds) {
  MutexLock lock(mutex_);
  holds_reads_ = holds;
  changed_.notify_all();
}

void Faults::AwaitHeldReads(int count) {
  MutexLock lock(mutex_);
  changed_.wait(lock, [&]() ARMATURE_WITH_LOCK(mutex_) { return held_reads_ >= count; });
}

int Faults::NextTableRead() {
  {
    MutexLock lock(mutex_);
    ++held_reads_;
    changed_.notify_all();
    changed_.wait(lock, [this]() ARMATURE_WITH_LOCK(mutex_) { return !holds_reads_; });
    --held_reads_;
  }
  return Next(FileCall::kRead);
}

int Faults::Next(FileCall call) {
  MutexLock lock(mutex_);
  const uint64_t number = ++counts_[static_cast<size_t>(call)];
  if (call == FileCall::kSync && holds_syncs_) {
    ++held_;
    changed_.notify_all();
    changed_.wait(lock, [this]() ARMATURE_WITH_LOCK(mutex_) { return !holds_syncs_; });
    --held_;
  }
  if (!is_armed_ || call != call_ || number < from_ || number - from_ >= times_) return 0;
  ++failures_;
  return error_;
}

namespace {

// As RocksDB words what the system says.
IOStatus Failure(const std::string& path, int error) {
  if (error == ENOSPC) return IOStatus::NoSpace("injected: " + path, std::strerror(error));
  return IOStatus::IOError("injected: " + path, std::strerror(error));
}

// What was written to a file by position and not synced, by whichever descriptor. Thread-safe: a log is appended to
// while it is synced.
class Unsynced {
 public:
  void Add(uint64_t offset, size_t size) {
    MutexLock lock(mutex_);
    writes_.emplace_back(offset, size);
  }
  std::vector<std::pair<uint64_t, size_t>> Take() {
    MutexLock lock(mutex_);
    return std::exchange(writes_, {});
  }

 private:
  Mutex mutex_;
  std::vector<std::pair<uint64_t, size_t>> writes_ ARMATURE_GUARDED_BY(mutex_);
};

// Those of files that are open for writing, by path.
class UnsyncedFiles {
 public:
  std::shared_ptr<Unsynced> Make(const std::string& path) {
    MutexLock lock(mutex_);
    auto made = std::make_shared<Unsynced>();
    files_[path] = made;
    return made;
  }
  void Synced(const std::string& path) {
    MutexLock lock(mutex_);
    const auto found = files_.find(path);
    if (const auto file = found == files_.end() ? nullptr : found->second.lock()) file->Take();
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::weak_ptr<Unsynced>> files_ ARMATURE_GUARDED_BY(mutex_);
};

class FaultFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::string path, Faults& faults,
            std::shared_ptr<Unsynced> unsynced)
      : FSWritableFileOwnerWrapper(std::move(file)),
        path_(std::move(path)),
        faults_(faults),
        unsynced_(std::move(unsynced)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* context) override {
    const int error = faults_.Next(FileCall::kAppend);
    if (error == 0) return FSWritableFileOwnerWrapper::Append(data, options, context);
    FSWritableFileOwnerWrapper::Append({data.data(), data.size() / 2}, options, context).PermitUncheckedError();
    return Failure(path_, error);
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* context) override {
    return Append(data, options, context);
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* context) override {
    const int error = faults_.Next(FileCall::kAppend);
    unsynced_->Add(offset, data.size());
    if (error == 0) return FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options, context);
    FSWritableFileOwnerWrapper::PositionedAppend({data.data(), data.size() / 2}, offset, options, context)
        .PermitUncheckedError();
    return Failure(path_, error);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    return SyncOrLose([&] { return FSWritableFileOwnerWrapper::Sync(options, context); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return SyncOrLose([&] { return FSWritableFileOwnerWrapper::Fsync(options, context); });
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* context) override {
    const int error = faults_.Next(FileCall::kTruncate);
    return error == 0 ? FSWritableFileOwnerWrapper::Truncate(size, options, context) : Failure(path_, error);
  }
  // A close that fails has closed.
  IOStatus Close(const IOOptions& options, IODebugContext* context) override {
    const int error = faults_.Next(FileCall::kClose);
    IOStatus status = FSWritableFileOwnerWrapper::Close(options, context);
    return error == 0 ? status : Failure(path_, error);
  }

 private:
  // What was written by position and not synced before a sync fails is lost, as a kernel loses dirty pages then.
  template <class Sync>
  IOStatus SyncOrLose(Sync sync) {
    const auto covered = unsynced_->Take();
    const int error = faults_.Next(FileCall::kSync);
    if (error == 0) return sync();
    for (const auto& [offset, size] : covered)
      FSWritableFileOwnerWrapper::PositionedAppend(std::string(size, '\0'), offset, IOOptions(), nullptr)
          .PermitUncheckedError();
    return Failure(path_, error);
  }

  const std::string path_;
  Faults& faults_;
  const std::shared_ptr<Unsynced> unsynced_;
};

class FaultReader final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  FaultReader(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, std::string path, Faults& faults)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), path_(std::move(path)), faults_(faults) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* context) const override {
    const int error = faults_.NextTableRead();
    if (error == 0) return FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result, scratch, context);
    *result = Slice();
    return Failure(path_, error);
  }
  // One after the other, each counted.
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* context) override {
    for (size_t i = 0; i < count; ++i) {
      rocksdb::FSReadRequest& request = requests[i];
      request.status = Read(request.offset, request.len, options, &request.result, request.scratch, context);
    }
    return IOStatus::OK();
  }

 private:
  const std::string path_;
  Faults& faults_;
};

class FaultSequentialReader final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  FaultSequentialReader(std::unique_ptr<rocksdb::FSSequentialFile>&& file, std::string path, Faults& faults)
      : FSSequentialFileOwnerWrapper(std::move(file)), path_(std::move(path)), faults_(faults) {}

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch, IODebugContext* context) override {
    const int error = faults_.Next(FileCall::kRead);
    if (error == 0) return FSSequentialFileOwnerWrapper::Read(n, options, result, scratch, context);
    *result = Slice();
    return Failure(path_, error);
  }

 private:
  const std::string path_;
  Faults& faults_;
};

// SYNCED, and whatever is opened only to be synced.
class FaultRandomFile final : public rocksdb::FSRandomRWFileOwnerWrapper {
 public:
  FaultRandomFile(std::unique_ptr<rocksdb::FSRandomRWFile>&& file, std::string path, Faults& faults,
                  UnsyncedFiles& unsynced)
      : FSRandomRWFileOwnerWrapper(std::move(file)), path_(std::move(path)), faults_(faults), unsynced_(unsynced) {}

  IOStatus Write(uint64_t offset, const Slice& data, const IOOptions& options, IODebugContext* context) override {
    const int error = faults_.Next(FileCall::kAppend);
    return error == 0 ? FSRandomRWFileOwnerWrapper::Write(offset, data, options, context) : Failure(path_, error);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    if (const int error = faults_.Next(FileCall::kSync)) return Failure(path_, error);
    unsynced_.Synced(path_);
    return FSRandomRWFileOwnerWrapper::Sync(options, context);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    if (const int error = faults_.Next(FileCall::kSync)) return Failure(path_, error);
    unsynced_.Synced(path_);
    return FSRandomRWFileOwnerWrapper::Fsync(options, context);
  }

 private:
  const std::string path_;
  Faults& faults_;
  UnsyncedFiles& unsynced_;
};

class FaultDirectory final : public rocksdb::FSDirectory {
 public:
  FaultDirectory(std::unique_ptr<rocksdb::FSDirectory>&& directory, std::string path, Faults& faults)
      : directory_(std::move(directory)), path_(std::move(path)), faults_(faults) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    const int error = faults_.Next(FileCall::kSyncDirectory);
    return error == 0 ? directory_->Fsync(options, context) : Failure(path_, error);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* context,
                               const rocksdb::DirFsyncOptions& what) override {
    const int error = faults_.Next(FileCall::kSyncDirectory);
    return error == 0 ? directory_->FsyncWithDirOptions(options, context, what) : Failure(path_, error);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* context) override {
    return directory_->Close(options, context);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override { return directory_->GetUniqueId(id, max_size); }

 private:
  const std::unique_ptr<rocksdb::FSDirectory> directory_;
  const std::string path_;
  Faults& faults_;
};

class FaultFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultFileSystem(Faults& faults) : FileSystemWrapper(rocksdb::FileSystem::Default()), faults_(faults) {}
  const char* Name() const override { return "FaultFileSystem"; }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* context) override {
    if (const int error = faults_.Next(FileCall::kCreate)) return Failure(path, error);
    IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, context);
    if (status.ok()) *file = std::make_unique<FaultFile>(std::move(*file), path, faults_, unsynced_.Make(path));
    return status;
  }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file, IODebugContext* context) override {
    if (const int error = faults_.Next(FileCall::kOpen)) return Failure(path, error);
    IOStatus status = FileSystemWrapper::NewRandomAccessFile(path, options, file, context);
    if (status.ok()) *file = std::make_unique<FaultReader>(std::move(*file), path, faults_);
    return status;
  }
  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file, IODebugContext* context) override {
    if (const int error = faults_.Next(FileCall::kOpen)) return Failure(path, error);
    IOStatus status = FileSystemWrapper::NewSequentialFile(path, options, file, context);
    if (status.ok()) *file = std::make_unique<FaultSequentialReader>(std::move(*file), path, faults_);
    return status;
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* context) override {
    if (const int error = faults_.Next(FileCall::kOpen)) return Failure(path, error);
    IOStatus status = FileSystemWrapper::ReopenWritableFile(path, options, file, context);
    if (status.ok()) *file = std::make_unique<FaultFile>(std::move(*file), path, faults_, unsynced_.Make(path));
    return status;
  }
  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file, IODebugContext* context) override {
    if (const int error = faults_.Next(FileCall::kOpen)) return Failure(path, error);
    IOStatus status = FileSystemWrapper::NewRandomRWFile(path, options, file, context);
    if (status.ok()) *file = std::make_unique<FaultRandomFile>(std::move(*file), path, faults_, unsynced_);
    return status;
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* context) override {
    if (const int error = faults_.Next(FileCall::kOpen)) return Failure(path, error);
    IOStatus status = FileSystemWrapper::NewDirectory(path, options, directory, context);
    if (status.ok()) *directory = std::make_unique<FaultDirectory>(std::move(*directory), path, faults_);
    return status;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* context) override {
    if (const int error = faults_.Next(FileCall::kRename)) return Failure(from, error);
    return FileSystemWrapper::RenameFile(from, to, options, context);
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* context) override {
    if (const int error = faults_.Next(FileCall::kDelete)) return Failure(path, error);
    return FileSystemWrapper::DeleteFile(path, options, context);
  }

 private:
  Faults& faults_;
  UnsyncedFiles unsynced_;
};

}  // namespace

std::unique_ptr<rocksdb::Env> MakeFaultEnv(Faults& faults) {
  return rocksdb::NewCompositeEnv(std::make_shared<FaultFileSystem>(faults));
}

}  // namespace armature::storage
