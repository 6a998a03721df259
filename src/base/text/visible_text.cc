#include "base/text/visible_text.h"

#include <cstdint>

namespace armature {

namespace {

uint8_t At(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

bool IsContinuation(std::string_view text, size_t i) { return i < text.size() && (At(text, i) & 0xC0) == 0x80; }

// The bytes of the well-formed character at `i`; 0: there is none.
size_t CharacterAt(std::string_view text, size_t i) {
  const uint8_t first = At(text, i);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4 || !IsContinuation(text, i + 1)) return 0;
  if (first < 0xE0) return 2;
  const uint8_t second = At(text, i + 1);
  if (!IsContinuation(text, i + 2)) return 0;
  if (first < 0xF0) {
    const bool is_overlong = first == 0xE0 && second < 0xA0;
    const bool is_surrogate = first == 0xED && second > 0x9F;
    return is_overlong || is_surrogate ? 0 : 3;
  }
  const bool is_overlong = first == 0xF0 && second < 0x90;
  const bool is_too_high = first == 0xF4 && second > 0x8F;
  return is_overlong || is_too_high || !IsContinuation(text, i + 3) ? 0 : 4;
}

bool IsControl(uint8_t byte) { return byte < 0x20 || byte == 0x7F; }

bool IsVisible(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t size = CharacterAt(text, i);
    if (size == 0 || IsControl(At(text, i))) return false;
    i += size;
  }
  return true;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t size = CharacterAt(text, i);
    if (size == 0) return false;
    i += size;
  }
  return true;
}

std::string VisibleText(std::string_view text) {
  if (IsVisible(text)) return std::string(text);
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t size = CharacterAt(text, i);
    const uint8_t byte = At(text, i);
    if (size == 0 || IsControl(byte)) {
      const char escaped[] = {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      out.append(escaped, sizeof(escaped));
      ++i;
    } else {
      out.append(text, i, size);
      i += size;
    }
  }
  return out;
}

std::string OneLine(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return out;
}

std::string WellFormedUtf8(std::string_view text) {
  if (IsUtf8(text)) return std::string(text);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t size = CharacterAt(text, i);
    if (size == 0) out += "\xEF\xBF\xBD";
    else out.append(text, i, size);
    i += size == 0 ? 1 : size;
  }
  return out;
}

}  // namespace armature
