#include "storage/testing/recorded_disk.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace armature::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

namespace {

namespace fs = std::filesystem;

class RecordedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  RecordedFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, RecordedDisk& disk, uint64_t number, std::string path,
               uint64_t size)
      : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk), number_(number), path_(std::move(path)), end_(size) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* context) override {
    IOStatus status = FSWritableFileOwnerWrapper::Append(data, options, context);
    if (status.ok()) Wrote(data, end_);
    return status;
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* context) override {
    return Append(data, options, context);
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* context) override {
    IOStatus status = FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options, context);
    if (status.ok()) Wrote(data, offset);
    return status;
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            const rocksdb::DataVerificationInfo&, IODebugContext* context) override {
    return PositionedAppend(data, offset, options, context);
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* context) override {
    IOStatus status = FSWritableFileOwnerWrapper::Truncate(size, options, context);
    if (status.ok()) disk_.Record({.kind = DiskEvent::kTruncate, .file = number_, .offset = size});
    if (status.ok()) end_ = size;
    return status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    const uint64_t covered = disk_.CountEvents();
    IOStatus status = FSWritableFileOwnerWrapper::Sync(options, context);
    if (status.ok()) disk_.RecordSync(number_, path_, covered);
    return status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    const uint64_t covered = disk_.CountEvents();
    IOStatus status = FSWritableFileOwnerWrapper::Fsync(options, context);
    if (status.ok()) disk_.RecordSync(number_, path_, covered);
    return status;
  }

 private:
  void Wrote(const Slice& data, uint64_t offset) {
    disk_.Record({.kind = DiskEvent::kWrite, .file = number_, .offset = offset, .data = data.ToString()});
    end_ = std::max(end_, offset + data.size());
  }

  RecordedDisk& disk_;
  const uint64_t number_;
  const std::string path_;
  uint64_t end_;
};

class RecordedRandomFile final : public rocksdb::FSRandomRWFileOwnerWrapper {
 public:
  RecordedRandomFile(std::unique_ptr<rocksdb::FSRandomRWFile>&& file, RecordedDisk& disk, uint64_t number,
                     std::string path)
      : FSRandomRWFileOwnerWrapper(std::move(file)), disk_(disk), number_(number), path_(std::move(path)) {}

  IOStatus Write(uint64_t offset, const Slice& data, const IOOptions& options, IODebugContext* context) override {
    IOStatus status = FSRandomRWFileOwnerWrapper::Write(offset, data, options, context);
    if (status.ok())
      disk_.Record({.kind = DiskEvent::kWrite, .file = number_, .offset = offset, .data = data.ToString()});
    return status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    const uint64_t covered = disk_.CountEvents();
    IOStatus status = FSRandomRWFileOwnerWrapper::Sync(options, context);
    if (status.ok()) disk_.RecordSync(number_, path_, covered);
    return status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    const uint64_t covered = disk_.CountEvents();
    IOStatus status = FSRandomRWFileOwnerWrapper::Fsync(options, context);
    if (status.ok()) disk_.RecordSync(number_, path_, covered);
    return status;
  }

 private:
  RecordedDisk& disk_;
  const uint64_t number_;
  const std::string path_;
};

class RecordedDirectory final : public rocksdb::FSDirectory {
 public:
  RecordedDirectory(std::unique_ptr<rocksdb::FSDirectory>&& directory, RecordedDisk& disk, std::string path)
      : directory_(std::move(directory)), disk_(disk), path_(std::move(path)) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    const uint64_t covered = disk_.CountEvents();
    return Recorded(covered, directory_->Fsync(options, context));
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* context,
                               const rocksdb::DirFsyncOptions& what) override {
    const uint64_t covered = disk_.CountEvents();
    return Recorded(covered, directory_->FsyncWithDirOptions(options, context, what));
  }
  IOStatus Close(const IOOptions& options, IODebugContext* context) override {
    return directory_->Close(options, context);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override { return directory_->GetUniqueId(id, max_size); }

 private:
  IOStatus Recorded(uint64_t covered, IOStatus status) {
    if (status.ok()) disk_.Record({.kind = DiskEvent::kSyncDirectory, .offset = covered, .path = path_});
    return status;
  }

  const std::unique_ptr<rocksdb::FSDirectory> directory_;
  RecordedDisk& disk_;
  const std::string path_;
};

}  // namespace

RecordedDisk::RecordedDisk(std::string root)
    : FileSystemWrapper(rocksdb::FileSystem::Default()), root_(std::move(root)) {
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string path = entry.path().lexically_relative(root_);
    beginning_[path] = std::string(std::istreambuf_iterator<char>(file), {});
    // A file of the beginning is made by an event, so that all are known the same way; it counts as synced.
    files_[path] = next_file_;
    events_.push_back({.kind = DiskEvent::kCreate, .file = next_file_++, .path = path});
  }
}

std::string RecordedDisk::Relative(const std::string& path) const {
  return fs::path(path).lexically_normal().lexically_relative(root_);
}

uint64_t RecordedDisk::FileAt(const std::string& path) const {
  MutexLock lock(mutex_);
  const auto found = files_.find(Relative(path));
  return found == files_.end() ? 0 : found->second;
}

void RecordedDisk::Record(DiskEvent event) {
  MutexLock lock(mutex_);
  events_.push_back(std::move(event));
}

uint64_t RecordedDisk::CountEvents() const {
  MutexLock lock(mutex_);
  return events_.size();
}

void RecordedDisk::RecordSync(uint64_t file, const std::string& path, uint64_t covered) {
  if (!forgotten_suffix_.empty() && path.ends_with(forgotten_suffix_)) return;
  Record({.kind = DiskEvent::kSync, .file = file, .offset = covered, .path = path});
}

void RecordedDisk::Note(uint64_t number) { Record({.kind = DiskEvent::kNote, .offset = number}); }

IOStatus RecordedDisk::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file, Context* context) {
  IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, context);
  if (!status.ok()) return status;
  const std::string relative = Relative(path);
  uint64_t number = 0;
  {
    MutexLock lock(mutex_);
    if (const auto found = files_.find(relative); found != files_.end()) {
      number = found->second;
      events_.push_back({.kind = DiskEvent::kTruncate, .file = number});
    } else {
      number = files_[relative] = next_file_++;
      events_.push_back({.kind = DiskEvent::kCreate, .file = number, .path = relative});
    }
  }
  *file = std::make_unique<RecordedFile>(std::move(*file), *this, number, relative, 0);
  return status;
}

IOStatus RecordedDisk::ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                          std::unique_ptr<rocksdb::FSWritableFile>* file, Context* context) {
  const uint64_t number = FileAt(path);
  if (number == 0) return NewWritableFile(path, options, file, context);
  uint64_t size = 0;
  IOStatus status = GetFileSize(path, options.io_options, &size, context);
  if (status.ok()) status = FileSystemWrapper::ReopenWritableFile(path, options, file, context);
  if (status.ok()) *file = std::make_unique<RecordedFile>(std::move(*file), *this, number, Relative(path), size);
  return status;
}

IOStatus RecordedDisk::NewRandomRWFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSRandomRWFile>* file, Context* context) {
  IOStatus status = FileSystemWrapper::NewRandomRWFile(path, options, file, context);
  // One that is not written through here (RocksDB's own LOCK) is not recorded either.
  if (const uint64_t number = FileAt(path); status.ok() && number != 0)
    *file = std::make_unique<RecordedRandomFile>(std::move(*file), *this, number, Relative(path));
  return status;
}

IOStatus RecordedDisk::NewDirectory(const std::string& path, const IOOptions& options,
                                    std::unique_ptr<rocksdb::FSDirectory>* directory, Context* context) {
  IOStatus status = FileSystemWrapper::NewDirectory(path, options, directory, context);
  if (status.ok()) *directory = std::make_unique<RecordedDirectory>(std::move(*directory), *this, Relative(path));
  return status;
}

IOStatus RecordedDisk::CreateDirIfMissing(const std::string& path, const IOOptions& options, Context* context) {
  const bool is_there = fs::exists(path);
  IOStatus status = FileSystemWrapper::CreateDirIfMissing(path, options, context);
  if (!status.ok() || is_there) return status;
  MutexLock lock(mutex_);
  events_.push_back({.kind = DiskEvent::kCreate, .file = next_file_++, .path = Relative(path) + "/"});
  return status;
}

IOStatus RecordedDisk::DeleteFile(const std::string& path, const IOOptions& options, Context* context) {
  IOStatus status = FileSystemWrapper::DeleteFile(path, options, context);
  if (!status.ok()) return status;
  const std::string relative = Relative(path);
  MutexLock lock(mutex_);
  files_.erase(relative);
  events_.push_back({.kind = DiskEvent::kDelete, .path = relative});
  return status;
}

IOStatus RecordedDisk::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                  Context* context) {
  IOStatus status = FileSystemWrapper::RenameFile(from, to, options, context);
  if (!status.ok()) return status;
  MutexLock lock(mutex_);
  const uint64_t number = files_[Relative(from)];
  files_.erase(Relative(from));
  files_[Relative(to)] = number;
  events_.push_back({.kind = DiskEvent::kRename, .file = number, .path = Relative(from), .new_path = Relative(to)});
  return status;
}

}  // namespace armature::storage
