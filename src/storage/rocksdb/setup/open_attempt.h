// OpenAttempt: what a database directory held before it was tried to open it, so that a try that found no space leaves
// nothing behind.
//
// RocksDB writes tables from its logs and a new manifest before anything refers to them; when that fails they stay, and
// on a full disk each try would take a little more of it. Owns nothing; used while nobody else has the store open.
#pragma once

#include <set>
#include <string>

namespace armature::storage {

class OpenAttempt {
 public:
  explicit OpenAttempt(std::string database_path);
  // Deletes what has come since, unless CURRENT has changed: then it is in use.
  void TakeBack() const;

 private:
  const std::string path_;
  std::string current_;          // the contents of CURRENT
  std::set<std::string> names_;  // of files
};

}  // namespace armature::storage
