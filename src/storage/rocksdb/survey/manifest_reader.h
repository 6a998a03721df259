// What RocksDB's CURRENT and MANIFEST say, read without RocksDB and without changing anything.
//
// Only what the checks at opening need: which logs are live, which table files there must be, and how far the file is
// readable. A manifest is in the log format (log_scanner.h); each record is an edit, a list of tagged fields.
// Pure reading. Used by store_survey.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <rocksdb/file_system.h>

#include "base/result.h"

namespace armature::storage {

struct Manifest {
  std::string name;             // "MANIFEST-000005"
  uint64_t number = 0;          // 5
  uint64_t bytes = 0;           // of the file
  uint64_t readable_bytes = 0;  // up to the first gap, or all that was written
  const char* fault = nullptr;  // what is wrong behind readable_bytes; null when nothing is there but zeros
  uint64_t edits = 0;
  uint64_t edits_behind_fault = 0;

  uint64_t first_log = 0;               // logs of this number and above are live
  uint64_t last_sequence = 0;           // at the last edit
  std::map<uint64_t, uint64_t> tables;  // number to size of the table files
};

// kCorruption with a line for a human when CURRENT is missing, names no manifest, or the manifest is not there.
Result<Manifest> ReadManifest(rocksdb::FileSystem& files, const std::string& database);

}  // namespace armature::storage
