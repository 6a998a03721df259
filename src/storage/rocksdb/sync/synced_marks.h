// SyncedMarks: keeps the two records of how far the store is synced (synced_point.h) up to date.
//
// The syncer confirms each sync; commits ask for the note that the next of them carries; SYNCED is written when the
// store has been quiet for a moment, ten times a second while it is not, and with each sync of the manifest.
// Thread-safe. A write to SYNCED is a copy into the page cache; nobody who waits for an answer waits for it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "storage/engine.h"
#include "storage/rocksdb/files/store_file_system.h"
#include "storage/rocksdb/files/synced_point.h"

namespace armature::storage {

class SyncedMarks {
 public:
  using Clock = std::chrono::steady_clock;

  // `files` knows what was synced; SYNCED itself is written through `base`.
  SyncedMarks(StoreFileSystem& files, std::shared_ptr<rocksdb::FileSystem> base, std::string path);
  ~SyncedMarks();
  SyncedMarks(const SyncedMarks&) = delete;
  SyncedMarks& operator=(const SyncedMarks&) = delete;

  // Begins to write SYNCED. The store is open, or FORMAT is about to be written.
  Status Begin();

  // Everything up to `sequence` is synced. Called by the syncer, after it has answered.
  void Confirm(Sequence sequence);
  // When Write is to be called, if nothing is confirmed before: far away when all is written.
  Clock::time_point due() const;
  void Write();
  // Writes and syncs SYNCED: the store is about to close.
  void Finish();

  // The note for the next commit; empty when one has carried the newest. Two loads while nothing is new.
  std::string_view TakeNote(std::string& buffer);

 private:
  void WriteLocked() ARMATURE_WITH_LOCK(mutex_);

  StoreFileSystem& files_;
  mutable Mutex mutex_;
  SyncedFile file_ ARMATURE_GUARDED_BY(mutex_);
  SyncedPoint point_ ARMATURE_GUARDED_BY(mutex_);  // as of the last sync that was confirmed
  std::string note_ ARMATURE_GUARDED_BY(mutex_);
  Clock::time_point confirmed_at_ ARMATURE_GUARDED_BY(mutex_);
  Clock::time_point written_at_ ARMATURE_GUARDED_BY(mutex_);
  bool is_written_ ARMATURE_GUARDED_BY(mutex_) = true;
  bool has_begun_ ARMATURE_GUARDED_BY(mutex_) = false;
  std::atomic<uint64_t> version_{0};  // of note_
  std::atomic<uint64_t> taken_{0};
};

}  // namespace armature::storage
