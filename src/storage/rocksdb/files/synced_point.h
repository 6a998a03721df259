// SyncedPoint: how far a store is known to be on stable storage, and the two places where that is written down.
//
// After a power cut the unsynced end of a log may have holes with sound records behind them, and losing those is right.
// The same picture with synced records behind the hole is damage, and losing them is not. What tells them apart is how
// far the log had been synced. That is recorded
//  - in the log itself: the first commit after a sync carries the point of that sync (a note, which RocksDB
//    keeps in the log only). It costs a dozen bytes and no write of its own;
//  - in the file SYNCED of the data directory, overwritten in place when the log has been quiet for a moment and ten
//    times a second otherwise, never synced but at a clean stop. It sees what a log cannot say of itself: that
//    its end is cut off, that a file is gone.
// Both only ever claim what a sync has confirmed, so one that is old or lost claims less, never too much. See
// docs/adr/0014-unbroken-log.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/file_system.h>

#include "base/result.h"

namespace armature::storage {

struct SyncedPoint {
  uint64_t log = 0;             // number of the newest log that was synced; every older one is whole
  uint64_t log_bytes = 0;       // of it
  uint64_t sequence = 0;        // everything up to here is in logs or tables
  uint64_t manifest = 0;        // number of the manifest
  uint64_t manifest_bytes = 0;  // of it
  std::vector<uint64_t> logs;   // those that were there, up to `log`

  bool IsBehind(const SyncedPoint& other) const {
    return log != other.log ? log < other.log : log_bytes < other.log_bytes;
  }
};

// The note in a commit: log, its bytes and the sequence only.
std::string EncodeSyncedNote(const SyncedPoint& point);
// From the beginning of a log record; nothing if it carries no note.
std::optional<SyncedPoint> FindSyncedNote(std::string_view record);
// As many bytes of a record as FindSyncedNote needs.
inline constexpr size_t kSyncedNoteReach = 64;

// The file's text. Checksummed; nothing if that does not hold.
std::string EncodeSyncedFile(const SyncedPoint& point);
std::optional<SyncedPoint> DecodeSyncedFile(std::string_view text);
inline std::string SyncedFilePath(const std::string& data_directory) { return data_directory + "/SYNCED"; }
// Nothing when it is missing or unreadable.
std::optional<SyncedPoint> ReadSyncedFile(rocksdb::FileSystem& files, const std::string& path);

// SYNCED, open. One thread at a time.
class SyncedFile {
 public:
  SyncedFile(std::shared_ptr<rocksdb::FileSystem> files, std::string path);
  // Makes it, empty of claims and synced, unless it is there and readable.
  Status Create();
  // Failures are swallowed: a point that is not recorded claims less.
  void Write(const SyncedPoint& point);
  void Sync();

 private:
  const std::shared_ptr<rocksdb::FileSystem> files_;
  const std::string path_;
  std::unique_ptr<rocksdb::FSRandomRWFile> file_;
};

}  // namespace armature::storage
