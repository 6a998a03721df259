// DiskStates: from a recording (recorded_disk.h), the states of the disk that a power cut may leave.
//
// Walks through the events. At any moment it can put a state into a directory, by chance but legal:
//  - of each page (4 KiB) written since the file's last sync, any version since then, or a mixture by sectors (512
//    bytes: a torn page); pages in any order, none or all of them. A sector is never torn;
//  - of the file's length, any that it had since then; what was not written back within it reads as zeros;
//  - of creations, renames and deletions since the directory's last sync, the first few in their order, or any
//    subset. A synced file is found under the name it was made with (Linux's file systems give that; POSIX alone does
//    not), and so is a synced directory. Without its directory's name a file is lost.
// What was synced before the cut is there. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "storage/testing/recorded_disk.h"

namespace armature::storage {

class DiskStates {
 public:
  explicit DiskStates(const RecordedDisk& disk);

  size_t count() const { return events_.size(); }
  // Goes on until `events` of them have happened. REQUIRES: no fewer than before.
  void GoTo(size_t events);
  // The last note so far, 0 if none.
  uint64_t note() const { return note_; }
  // How many writes and changes of names could be lost now.
  size_t pending() const;

  // Moments to cut at, in order: any, and more often those at which much could be lost.
  std::vector<size_t> PickMoments(size_t count, std::mt19937_64& random) const;

  // One legal state, as files by their paths; the path of a directory ends in a slash.
  std::map<std::string, std::string> Cut(std::mt19937_64& random) const;

 private:
  static constexpr size_t kPage = 4096;
  static constexpr size_t kSector = 512;

  struct File {
    std::string synced;
    std::vector<size_t> pending;  // events that write or truncate, not covered by a sync
  };

  void Apply(size_t index);
  static void ApplyTo(std::string& bytes, const DiskEvent& event);
  // The synced file or directory is found: so are the directories it lies in.
  void KeepName(const DiskEvent& sync);
  void ApplyName(std::map<std::string, uint64_t>& names, const DiskEvent& event) const;
  std::string CutFile(const File& file, double kept, bool is_torn, std::mt19937_64& random) const;

  const std::vector<DiskEvent>& events_;
  size_t next_ = 0;
  uint64_t note_ = 0;
  std::map<uint64_t, File> files_;
  std::map<std::string, uint64_t> names_;  // synced
  std::vector<size_t> pending_names_;      // events that make, rename or delete
};

// Makes `directory` (anew) with these files.
void WriteState(const std::string& directory, const std::map<std::string, std::string>& files);

}  // namespace armature::storage
