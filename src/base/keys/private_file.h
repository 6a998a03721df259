// Small files that only their owner may read: read whole, and written whole or not at all, whatever a crash cuts short.
//
// A file is written under PATH.new, synced, and given its name; then its folder is synced. What a crash left under that
// other name is removed by the next writer. REQUIRES: one writer of a path at a time. Errors are one line fit for a
// user. Blocks. Used by whoever keeps keys.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace armature {

struct PrivateFile {
  std::string text;
  bool is_open_to_others = false;  // its mode lets others than its owner read it
};

// NotFound: there is none.
Result<PrivateFile> ReadPrivateFile(const std::string& path, size_t most_bytes);

enum class IfThere {
  kFail,     // also if it came meanwhile
  kReplace,  // at one moment: readers see the old one or the new one
};
Status WritePrivateFile(const std::string& path, std::string_view text, IfThere if_there);

}  // namespace armature
