#include "storage/rocksdb/files/store_file_system.h"

#include <memory>
#include <string_view>
#include <utility>

#include <pthread.h>

#include "storage/rocksdb/files/cache_only.h"
#include "storage/rocksdb/files/disk_space.h"
#include "storage/rocksdb/files/log_file.h"
#include "storage/rocksdb/files/patient_file.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/files/table_file.h"

namespace armature::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

namespace {

// Whether the calling thread is one of RocksDB's own, for flushes and compactions. Others serve requests, and must not
// wait here.
bool IsBackgroundThread() {
  char name[16] = {};
  return pthread_getname_np(pthread_self(), name, sizeof name) == 0 && std::string_view(name).starts_with("rocksdb:");
}

// 0 for any other file.
uint64_t ManifestNumber(std::string_view path) {
  return path.find("/MANIFEST-") != std::string_view::npos ? FileNumber(path) : 0;
}

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

StoreFileSystem::StoreFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base, bool is_encrypted)
    : FileSystemWrapper(base),
      base_(base),
      is_real_(base == rocksdb::FileSystem::Default()),
      is_encrypted_(is_encrypted),
      space_(std::make_shared<DiskSpace>()) {}

IOStatus StoreFileSystem::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                          std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* context) {
  if (path.find("/OPTIONS-") != std::string::npos) return IOStatus::NotSupported("no options files");
  if (path.ends_with(".log")) return NewLog(path, options, file, context);
  IOStatus status = space_->Persist([&] { return FileSystemWrapper::NewWritableFile(path, options, file, context); });
  const bool holds_back = is_encrypted_ && path.ends_with(".sst");
  if (status.ok()) *file = std::make_unique<PatientFile>(std::move(*file), space_, ManifestNumber(path), holds_back);
  return status;
}

// Created by whoever writes when a memtable is full: a request, which cannot wait.
IOStatus StoreFileSystem::NewLog(const std::string& path, const rocksdb::FileOptions& options,
                                 std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* context) {
  IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, context);
  const Shortage shortage = ShortageOf(status);
  if (!status.ok() && (shortage == Shortage::kNone || !space_->is_patient())) return space_->Told(std::move(status));
  std::shared_ptr<Log> log;
  if (status.ok()) {
    log = std::make_shared<Log>(path, std::move(*file));
  } else {
    log = std::make_shared<Log>(
        path, [base = base_, path, options](auto* created) { return CreateDurably(*base, path, options, created); });
    space_->Owe(log, shortage);
  }
  space_->synced().AddLog(path);
  *file = std::make_unique<LogFile>(std::move(log), space_);
  return IOStatus::OK();
}

// RocksDB syncs the directory of a log once, which may have been before the log was in it.
IOStatus StoreFileSystem::CreateDurably(rocksdb::FileSystem& base, const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSWritableFile>* file) {
  IOStatus status = base.NewWritableFile(path, options, file, nullptr);
  if (!status.ok()) return status;
  std::unique_ptr<rocksdb::FSDirectory> directory;
  status = base.NewDirectory(path.substr(0, path.rfind('/')), IOOptions(), &directory, nullptr);
  return status.ok() ? directory->Fsync(IOOptions(), nullptr) : status;
}

IOStatus StoreFileSystem::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                              std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                              IODebugContext* context) {
  if (CacheOnly::is_on()) return CacheOnly::Refuse();
  const auto open = [&] { return FileSystemWrapper::NewRandomAccessFile(path, options, file, context); };
  IOStatus status = open();
  // RocksDB would end its writing for good if a table that it has just written could not be opened.
  if (ShortageOf(status) != Shortage::kNone && IsBackgroundThread()) status = space_->Persist(open);
  if (status.ok() && !is_encrypted_)
    *file = std::make_unique<TableFile>(std::move(*file), is_real_ ? path : std::string());
  return status;
}

IOStatus StoreFileSystem::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                     IODebugContext* context) {
  return space_->Persist([&] { return FileSystemWrapper::RenameFile(from, to, options, context); });
}

IOStatus StoreFileSystem::DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* context) {
  if (path.ends_with(".log")) {
    space_->Forget(path);
    space_->synced().RemoveLog(path);
  }
  return FileSystemWrapper::DeleteFile(path, options, context);
}

IOStatus StoreFileSystem::NewDirectory(const std::string& path, const IOOptions& options,
                                       std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* context) {
  IOStatus status = FileSystemWrapper::NewDirectory(path, options, directory, context);
  if (status.ok()) *directory = std::make_unique<DeferringDirectory>(std::move(*directory), space_);
  return status;
}

bool StoreFileSystem::is_short() const { return space_->is_short(); }
Status StoreFileSystem::shortage() const { return ShortageStatus(space_->last_shortage()); }
Status StoreFileSystem::log_failure() const { return space_->log_failure(); }
void StoreFileSystem::BreakLog(const Status& failure) { space_->BreakLog(IOStatus::IOError(failure.message())); }
bool StoreFileSystem::owes_log() const { return space_->owes_log(); }

Status StoreFileSystem::WriteRests() {
  const IOStatus status = space_->WriteRests();
  const Shortage shortage = ShortageOf(status);
  return shortage == Shortage::kNone ? FromRocksDb(status) : ShortageStatus(shortage);
}

void StoreFileSystem::BePatient() { space_->BePatient(); }
void StoreFileSystem::GiveUp() { space_->GiveUp(); }
void StoreFileSystem::TellAppendFailures() { space_->TellAppendFailures(); }
void StoreFileSystem::DeferSyncs(bool is_deferring) { space_->DeferSyncs(is_deferring); }
SyncedFiles& StoreFileSystem::synced() { return space_->synced(); }

}  // namespace armature::storage
