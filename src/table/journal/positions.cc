#include "table/journal/positions.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>

namespace armature::table {

namespace {
// A one in front keeps every number at 21 digits.
constexpr size_t kDigits = 21;
}  // namespace

std::string SequenceNumber(Position position) { return fmt::format("1{:020}", position); }

std::optional<Position> ParseSequenceNumber(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
    return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.size() < kDigits) return 0;
  constexpr Position kLast = std::numeric_limits<Position>::max();
  if (text.size() > kDigits || text.front() != '1') return kLast;
  Position position = 0;
  for (const char digit : text.substr(1)) {
    const auto value = static_cast<Position>(digit - '0');
    if (position > (kLast - value) / 10) return kLast;
    position = position * 10 + value;
  }
  return position;
}

std::string ShardId(LaneId lane, int64_t created_millis) {
  // An odd factor turns every lane into another number of 32 bits.
  const auto tail = static_cast<uint32_t>(lane * 0x9E3779B1u);
  return fmt::format("shardId-{:020}-{:08x}", created_millis, tail);
}

}  // namespace armature::table
