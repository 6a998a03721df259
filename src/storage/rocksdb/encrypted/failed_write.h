// FailedWrite: what a write that failed was to write, so that nothing else is ever encrypted in its place.
//
// A failed write may have reached the disk in part. Written again it is the same bytes under the same keys; other bytes
// at that place would be encrypted with the same key stream, and the two together would tell what both are. Whoever
// writes repeats itself, perhaps with more behind (patient_file.h, log_file.h); this makes sure. One thread at a time.
#pragma once

#include <string>
#include <string_view>

namespace armature::storage {

class FailedWrite {
 public:
  // The next write, at the same place.
  bool Allows(std::string_view data) const { return bytes_.empty() || data.starts_with(bytes_); }
  void Remember(std::string_view data) { bytes_ = data; }
  void Forget() {
    if (!bytes_.empty()) bytes_ = {};
  }

 private:
  std::string bytes_;
};

}  // namespace armature::storage
