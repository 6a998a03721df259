// StoreSurvey: what is on disk, looked at before RocksDB opens it, and whether that can be what a crash has left.
//
// The logs must be one unbroken line of commits: within a log and from log to log each commit's sequence continues the
// one before. The survey walks all live logs and finds where the line ends. Then it judges: whatever is missing
// behind the last sync (synced_point.h) a crash may have taken, and the line is cut there; whatever is missing
// before it is damage, and a store with damage is not opened. Likewise the end of the manifest, and table files
// that are missing or of another length.
// Surveying changes nothing; CutToLine does. Used by the RocksDB engine at opening and by `armature doctor`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "base/result.h"
#include "storage/rocksdb/files/synced_point.h"
#include "storage/rocksdb/survey/manifest_reader.h"

namespace armature::storage {

struct LogSurvey {
  uint64_t number = 0;
  std::string name;
  uint64_t bytes = 0;           // of the file
  uint64_t line_bytes = 0;      // up to the end of its last record that belongs to the unbroken line
  uint64_t records = 0;         // of the line
  uint64_t first_sequence = 0;  // of the line; 0 when there is none
  uint64_t last_sequence = 0;
  uint64_t records_behind = 0;  // sound ones that do not belong to the line
  std::string fault;            // why the line ends within this log; empty when it does not
};

struct Damage {
  std::string file;  // relative to the data directory
  std::optional<uint64_t> offset;
  std::string what;
  std::string ToString() const;
};

struct StoreSurvey {
  Manifest manifest;
  std::vector<LogSurvey> logs;  // live ones, oldest first
  std::vector<std::string> dead_logs;
  uint64_t last_sequence = 0;  // of the line
  // Where the line ends before all records have been seen; an index into logs.
  std::optional<size_t> broken_at;
  uint64_t records_behind = 0;
  // The oldest log that should be there and is not; whatever newer ones hold lies behind a gap.
  std::optional<uint64_t> missing_log;

  SyncedPoint synced;  // the farthest that anything says
  bool has_synced_file = false;
  std::vector<Damage> damage;  // in the order of what must be known first
};

// An error when files cannot be read at all. Without a manifest nothing else is looked at.
Result<StoreSurvey> SurveyStore(rocksdb::FileSystem& files, const std::string& data_directory);

// One line that says what is damaged and what can be done. REQUIRES: there is damage.
Status RefusalFor(const std::string& data_directory, const std::vector<Damage>& damage);

// What of the manifest and the logs is to be kept: file name to length. Files that are not named stay as they are.
struct LineCut {
  std::map<std::string, uint64_t> lengths;
  std::vector<std::string> removed;
};
LineCut PlanCut(const StoreSurvey& survey);
// Cuts the manifest and the logs where the line ends, and removes the logs behind. Synced.
Status CutToLine(rocksdb::FileSystem& files, const std::string& data_directory, const StoreSurvey& survey);

// What is done before RocksDB opens a store: damage is refused, and what a crash has left is cut to an unbroken line of
// commits. One that is new was cut short in its creation: nothing of it was acknowledged as synced, and where it is not
// whole it is begun anew.
Status PrepareStore(rocksdb::FileSystem& files, const std::string& data_directory, bool is_new);

}  // namespace armature::storage
