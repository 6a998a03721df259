#include "dax/codec/primitives/utf8.h"

#include <cstdint>
#include <cstring>

#include <simdjson.h>

namespace armature::dax {

namespace {

constexpr size_t kWord = sizeof(uint64_t);
// From here on looking at many bytes at once is worth the call.
constexpr size_t kLong = 64;

bool IsAscii(std::string_view text) {
  uint64_t seen = 0;
  while (text.size() >= kWord) {
    uint64_t word = 0;
    std::memcpy(&word, text.data(), kWord);
    seen |= word;
    text.remove_prefix(kWord);
  }
  for (const char character : text) seen |= static_cast<uint8_t>(character);
  return (seen & 0x8080808080808080) == 0;
}

}  // namespace

bool IsWellFormedUtf8(std::string_view text) {
  if (text.size() < kLong && IsAscii(text)) return true;
  return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace armature::dax
