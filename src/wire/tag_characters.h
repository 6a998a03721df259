// The characters that AWS's tags may hold beyond ASCII: Unicode's letters, numbers and separators.
//
// Generated from Python's tables at build time (wire/tag_characters.cc). Used by wire/'s patterns only.
#pragma once

#include <cstdint>
#include <span>

namespace armature::wire {

struct CharacterRange {
  uint32_t first = 0;
  uint32_t last = 0;
};

// From U+0080 on, in ascending order.
std::span<const CharacterRange> LettersNumbersAndSeparators();

}  // namespace armature::wire
