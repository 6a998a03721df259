// LogFiles: the files of an audit log: whole lines, bounded in size and in number.
//
// Lines go to audit.jsonl; when it is full it becomes audit-000001.jsonl and so on, and the oldest of those goes. Owns
// the directory (a lock keeps other servers out) and cuts a line that a crash left torn. A file that somebody moved
// away (logrotate) is opened anew. One thread at a time: the writer of the AuditLog. Knows nothing of what lines say.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"

namespace armature::audit {

inline constexpr char kLogFileName[] = "audit.jsonl";

// What may fail of a disk, so that tests can make it fail.
class Disk {
 public:
  virtual ~Disk() = default;
  // As write(2) and fdatasync(2).
  virtual ssize_t Write(int file, std::string_view bytes);
  virtual int Sync(int file);
};

struct LogFilesOptions {
  std::string directory;
  uint64_t file_bytes = uint64_t{64} << 20;  // a file is closed before it gets longer, but for a line that is longer
  size_t files = 16;                         // at most, the one that is written among them
};

class LogFiles {
 public:
  // Makes the directory (for its owner only) and opens the log. The error is one line fit for a user.
  static Result<std::unique_ptr<LogFiles>> Open(LogFilesOptions options, Disk& disk);
  ~LogFiles();
  LogFiles(const LogFiles&) = delete;
  LogFiles& operator=(const LogFiles&) = delete;

  // `lines` are whole. On an error none of them is in the log, as far as a reader of whole lines can tell.
  Status Append(std::string_view lines);
  // What was appended survives power loss.
  Status Sync();

 private:
  LogFiles(LogFilesOptions options, Disk& disk, int directory);

  Status OpenFile();
  Status CutTornLine();
  Status ReopenIfMoved();
  Status Rotate();
  void RemoveOldest() const;
  void CloseFile();
  std::string PathOf(std::string_view name) const;

  const LogFilesOptions options_;
  Disk& disk_;
  const int directory_;  // locked
  int file_ = -1;
  uint64_t size_ = 0;         // of whole lines
  bool is_torn_ = false;      // behind them lies a part of a line that could not be cut off
  uint64_t last_number_ = 0;  // of the file that was closed last
};

}  // namespace armature::audit
