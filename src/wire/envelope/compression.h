// gzip and deflate, both ways.
//
// Inflating takes any number of concatenated gzip members and stops at a limit, so that a small body cannot fill the
// memory. Deflating reuses one state per thread. Thread-safe. Used by envelope.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace armature::wire {

enum class Coding { kIdentity, kGzip, kDeflate, kUnknown };

// A Content-Encoding header: one coding, in any case; nothing is identity.
Coding ParseContentEncoding(std::string_view header);
// What an Accept-Encoding header allows, gzip preferred; a coding with q=0 is not allowed.
Coding ChooseResponseCoding(std::string_view accept_encoding);
std::string_view CodingName(Coding coding);

// Replaces `out`. Damaged input is kCorruption, more than `limit` bytes kNoSpace; for a gzip body that announces more
// no room is made. Leaves `padding` readable bytes behind. REQUIRES: coding is gzip or deflate.
Status Inflate(Coding coding, std::string_view bytes, size_t limit, size_t padding, std::string& out);
// Replaces `out`. REQUIRES: coding is gzip or deflate.
Status Deflate(Coding coding, std::string_view bytes, std::string& out);

}  // namespace armature::wire
