// The times that signatures carry, as seconds since the epoch. Pure; signature.h has the way back (SignatureTime).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace armature::auth {

// "20130609T100015Z", ISO 8601's basic format; nothing if it is no such time, or none of the calendar's.
std::optional<int64_t> ParseBasicTime(std::string_view text);

// "Sun, 09 Jun 2013 10:00:15 GMT", as in the Date header.
std::optional<int64_t> ParseHttpTime(std::string_view text);

}  // namespace armature::auth
