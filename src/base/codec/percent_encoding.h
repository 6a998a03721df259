// Percent-encoding of queries, paths and form bodies: RFC 3986's when written, what forms may hold when read.
//
// Pure. Used by auth/ (canonical requests) and wire/ (form bodies, policies in replies).
#pragma once

#include <string>
#include <string_view>

#include "base/memory/arena.h"

namespace armature {

// "%2F" becomes a slash, a plus a blank; a percent sign that begins no pair of digits stays. The arena is touched only
// if anything changes.
std::string_view PercentDecode(std::string_view text, Arena& arena);
std::string PercentDecode(std::string_view text);

// Every byte but letters, digits and - . _ ~ becomes "%XX".
void PercentEncode(std::string_view text, std::string& out);

}  // namespace armature
