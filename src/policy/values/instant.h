// Instant: a point in time as policies write it, to the nanosecond.
//
// Read from ISO 8601 as the W3C profiles it ("2026-11-18", "2026-11-18T11:30Z", "2026-11-18T11:30:00.5+01:00") or from
// seconds since the epoch; a time without a zone is UTC. A bare integer is seconds, also one of four digits. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace armature::policy {

struct Instant {
  int64_t seconds = 0;  // since the epoch, rounded down
  int32_t nanoseconds = 0;

  auto operator<=>(const Instant&) const = default;
};

// nullopt: not a time.
std::optional<Instant> ParseInstant(std::string_view text);

}  // namespace armature::policy
