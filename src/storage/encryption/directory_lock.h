// DirectoryLock: the LOCK of a data directory, held for a change of its keys while no engine has it open.
//
// The same lock that an engine takes (rocksdb/setup/data_directory.h). Knows nothing else of the directory. Used by the
// keyring and by commands on a directory.
#pragma once

#include <string>

#include "base/result.h"

namespace armature::storage {

class DirectoryLock {
 public:
  // REQUIRES: the directory is there. kLocked: another process has it.
  static Result<DirectoryLock> Take(const std::string& directory);
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace armature::storage
