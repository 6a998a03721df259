// DataDirectory: the directory that holds a store, locked and known to be ours.
//
//   FORMAT     "armature 3\n": whose data this is and which version of the layout
//   LOCK       flock()ed by the process that has the store open
//   CREATING   there before FORMAT is, and only then
//   KEYS       the data keys of an encrypted store, under a master key; others write and read it
//   db/        RocksDB's files
//
// Creating a store takes a dozen fsyncs, which nobody needs to wait for before the first write: they are left out but
// for that of CREATING, and FinishCreation makes up for them and writes FORMAT last. Until then nothing has been
// acknowledged as synced, so a store without FORMAT that cannot be opened (power failure) may be begun anew. CREATING
// is synced before there is anything else: a directory that has files and neither of the two is somebody else's.
// Refuses a directory that holds anything else, and a FORMAT that is not this program's. Of RocksDB it knows the file
// system, through which it writes. Holds the lock until destroyed. Used by the RocksDB engine.
#pragma once

#include <string>

#include <rocksdb/file_system.h>

#include "base/result.h"

namespace armature::storage {

class DataDirectory {
 public:
  static constexpr int kFormatVersion = 3;
  static constexpr const char* kKeysName = "KEYS";

  // Creates the directory (and its parents) if it is missing. kLocked, kFormat or kIoError with a line for a human.
  static Result<DataDirectory> Open(rocksdb::FileSystem& files, const std::string& path);
  // Whether there is a store of this version, without making anything.
  static Status CheckOurs(const std::string& path);
  // Whether the store is encrypted, as far as a look at its keys can tell (encrypted/store_encryption.h asks its
  // files).
  static bool HasKeys(const std::string& path);
  // What belongs into a copy of the store beside its files; nothing if it is not encrypted. Synced.
  static Status CopyKeys(const std::string& from, const std::string& to);
  // FORMAT is not there yet: call FinishCreation before anything is acknowledged as synced.
  bool is_new() const { return is_new_; }
  // Syncs the database's files and writes FORMAT. Callable from any thread, once at a time, until it succeeds. A
  // shortage (kNoSpace, kUnavailable) may pass; any other failure is for good, as that of a sync always is.
  static Status FinishCreation(rocksdb::FileSystem& files, const std::string& path);
  // Removes what a creation cut short has left of the database, and what SYNCED claims of it. REQUIRES: no FORMAT.
  static Status ClearDatabase(rocksdb::FileSystem& files, const std::string& path);
  // Marks a finished copy (see Engine::Checkpoint) as one of ours.
  static Status WriteFormat(rocksdb::FileSystem& files, const std::string& path);
  static std::string DatabasePath(const std::string& path) { return path + "/db"; }

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  const std::string& path() const { return path_; }
  std::string database_path() const { return DatabasePath(path_); }

 private:
  DataDirectory(std::string path, int lock, bool is_new) : path_(std::move(path)), lock_(lock), is_new_(is_new) {}

  std::string path_;
  int lock_ = -1;
  bool is_new_ = false;
};

}  // namespace armature::storage
