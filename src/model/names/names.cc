#include "model/names/names.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace armature::model {

namespace {

enum Kind : uint8_t { kRegion = 1, kDigit = 2, kVisible = 4, kTable = 8 };

// On every request: one look-up a character.
constexpr std::array<uint8_t, 256> MakeKinds() {
  std::array<uint8_t, 256> kinds{};
  for (size_t c = 0x21; c < 0x7F; ++c) {
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    kinds[c] = kVisible;
    if (is_digit) kinds[c] |= kDigit;
    if (is_digit || is_letter || c == '-' || c == '_') kinds[c] |= kRegion | kTable;
    if (c == '.') kinds[c] |= kTable;
  }
  return kinds;
}
constexpr std::array<uint8_t, 256> kKinds = MakeKinds();

bool IsAll(std::string_view text, Kind kind, size_t at_most) {
  return !text.empty() && text.size() <= at_most &&
         std::all_of(text.begin(), text.end(), [kind](char c) { return kKinds[static_cast<uint8_t>(c)] & kind; });
}

}  // namespace

bool IsRegionName(std::string_view text) { return IsAll(text, kRegion, 63); }
bool IsAccountId(std::string_view text) { return text.size() == 12 && IsAll(text, kDigit, 12); }
bool IsStoredAccount(std::string_view text) { return IsAll(text, kDigit, 32); }
bool IsAccessKeyId(std::string_view text) { return IsAll(text, kVisible, 128); }
bool IsTableName(std::string_view text) { return IsAll(text, kTable, 255); }
bool IsKinesisStreamName(std::string_view text) { return IsAll(text, kTable, 128); }

}  // namespace armature::model
