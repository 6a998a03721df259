// RecordedDisk: a file system that remembers every write, sync, truncation, creation, rename and deletion below one
// directory, in their order, so that DiskStates can make whatever a power cut at any moment may leave of it.
//
// Wraps the real file system; what is done is done there too. Thread-safe. For tests: under RocksDB by way of
// RocksDbOptions::env, and whatever else goes through it. Files touched otherwise (LOCK) stay as they were when
// the recording began.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "base/mutex.h"

namespace armature::storage {

// One thing that happened. Paths are relative to the recorded directory, that of a directory ends in a slash; a file
// is known by a number, which it keeps through renames.
struct DiskEvent {
  enum class Kind { kWrite, kTruncate, kSync, kCreate, kDelete, kRename, kSyncDirectory, kNote };
  using enum Kind;
  Kind kind = kNote;
  uint64_t file = 0;
  uint64_t offset = 0;        // kWrite; kTruncate: the new length; syncs: how many events it covers; kNote: the number
  std::string data = {};      // kWrite
  std::string path = {};      // of kCreate, kDelete, kRename (from), kSyncDirectory
  std::string new_path = {};  // kRename
};

class RecordedDisk final : public rocksdb::FileSystemWrapper {
 public:
  // Reads what is in `root` now; all of it counts as synced.
  explicit RecordedDisk(std::string root);
  static const char* kClassName() { return "ArmatureRecordedDisk"; }
  const char* Name() const override { return kClassName(); }

  // Puts a note between the events: what a client was told by then.
  void Note(uint64_t number);
  // REQUIRES: nobody writes any more, so that no lock is needed.
  const std::vector<DiskEvent>& events() const ARMATURE_UNCHECKED_LOCKS { return events_; }
  const std::map<std::string, std::string>& beginning() const { return beginning_; }
  // Leaves out the syncs of files whose name ends so: a bug to be found.
  void ForgetSyncs(std::string suffix) { forgotten_suffix_ = std::move(suffix); }

  using IOStatus = rocksdb::IOStatus;
  using Context = rocksdb::IODebugContext;
  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, Context* context) override;
  IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file, Context* context) override;
  IOStatus NewRandomRWFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file, Context* context) override;
  IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, Context* context) override;
  IOStatus CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options, Context* context) override;
  IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options, Context* context) override;
  IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                      Context* context) override;

  // For the files.
  void Record(DiskEvent event);
  uint64_t CountEvents() const;
  void RecordSync(uint64_t file, const std::string& path, uint64_t covered);

 private:
  std::string Relative(const std::string& path) const;
  uint64_t FileAt(const std::string& path) const;

  const std::string root_;
  std::string forgotten_suffix_;
  std::map<std::string, std::string> beginning_;
  mutable Mutex mutex_;
  std::vector<DiskEvent> events_ ARMATURE_GUARDED_BY(mutex_);
  std::map<std::string, uint64_t> files_ ARMATURE_GUARDED_BY(mutex_);  // by path relative to root_
  uint64_t next_file_ ARMATURE_GUARDED_BY(mutex_) = 1;
};

}  // namespace armature::storage
