// DataDirectory: the directory that holds a store, locked and known to be ours.
//
//   FORMAT   "armature 1\n": whose data this is and which version of the layout
//   LOCK     flock()ed by the process that has the store open
//   db/      RocksDB's files
//
// Refuses a directory that holds anything else, and a FORMAT newer than this program. Knows nothing of RocksDB.
// Holds the lock until destroyed. Used by the RocksDB engine.
#pragma once

#include <string>

#include "base/result.h"

namespace armature::storage {

class DataDirectory {
 public:
  static constexpr int kFormatVersion = 1;

  // Creates the directory (and its parents) if it is missing. kLocked, kFormat or kIoError with a line for a human.
  static Result<DataDirectory> Open(const std::string& path);
  // Marks a finished copy (see Engine::Checkpoint) as one of ours.
  static Status WriteFormat(const std::string& path);
  static std::string DatabasePath(const std::string& path) { return path + "/db"; }

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  std::string database_path() const { return DatabasePath(path_); }

 private:
  DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_ = -1;
};

}  // namespace armature::storage
