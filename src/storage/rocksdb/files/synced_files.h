// SyncedFiles: which syncs of logs and manifests have succeeded, as their files tell (log_file.h, patient_file.h).
//
// Thread-safe. Part of DiskSpace; read by SyncedMarks.
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "storage/rocksdb/files/synced_point.h"

namespace armature::storage {

// "…/000012.log" and "…/MANIFEST-000012" are 12.
inline uint64_t FileNumber(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  const size_t digits = path.find_first_of("0123456789");
  uint64_t number = 0;
  if (digits != std::string_view::npos) std::from_chars(path.data() + digits, path.data() + path.size(), number);
  return number;
}

class SyncedFiles {
 public:
  void AddLog(std::string_view path) {
    MutexLock lock(mutex_);
    logs_.insert(FileNumber(path));
  }
  void RemoveLog(std::string_view path) {
    MutexLock lock(mutex_);
    logs_.erase(FileNumber(path));
  }
  // `bytes`, which end with a record, had been written when the sync began.
  void LogSynced(std::string_view path, uint64_t bytes) {
    const uint64_t number = FileNumber(path);
    MutexLock lock(mutex_);
    if (number < point_.log) return;
    point_.log = number;
    point_.log_bytes = bytes;
  }
  void ManifestSynced(uint64_t number, uint64_t bytes) {
    std::function<void()> notify;
    {
      MutexLock lock(mutex_);
      point_.manifest = number;
      point_.manifest_bytes = bytes;
      notify = notify_;
    }
    if (notify) notify();
  }

  // Without the sequence.
  SyncedPoint point() const {
    MutexLock lock(mutex_);
    SyncedPoint point = point_;
    point.logs.assign(logs_.begin(), logs_.upper_bound(point.log));
    return point;
  }
  // Calls `notify`, if any, after each sync of a manifest, on the thread that made it.
  void OnManifestSynced(std::function<void()> notify) {
    MutexLock lock(mutex_);
    notify_ = std::move(notify);
  }

 private:
  mutable Mutex mutex_;
  SyncedPoint point_ ARMATURE_GUARDED_BY(mutex_);        // without the list of logs
  std::set<uint64_t> logs_ ARMATURE_GUARDED_BY(mutex_);  // made here and not deleted
  std::function<void()> notify_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::storage
