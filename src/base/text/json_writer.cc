#include "base/text/json_writer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace armature {

namespace {

constexpr std::array<bool, 256> MakeNeedsEscape() {
  std::array<bool, 256> table{};
  for (size_t i = 0; i < 0x20; ++i) table[i] = true;
  table['"'] = true;
  table['\\'] = true;
  return table;
}
constexpr std::array<bool, 256> kNeedsEscape = MakeNeedsEscape();

// Whether one of eight bytes needs escaping: each test sets the high bit of the bytes it finds (and may set that of
// bytes above a found one, which changes nothing). Bytes of 0x80 and more never do.
bool AnyNeedsEscape(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  const uint64_t quote = bytes ^ (kOnes * '"'), backslash = bytes ^ (kOnes * '\\');
  const uint64_t found =
      (((bytes - kOnes * 0x20) & ~bytes) | ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash)) & kHighs;
  return found != 0;
}

// Most names and many values are that short, and plain.
bool IsShortAndPlain(const char* text, size_t size) {
  if (size > 16) return false;
  uint64_t first = 0, last = 0;
  if (size >= 8) {
    std::memcpy(&first, text, 8);
    std::memcpy(&last, text + size - 8, 8);
  } else if (size >= 4) {
    std::memcpy(&first, text, 4);
    std::memcpy(&last, text + size - 4, 4);
    first |= last << 32;
    last = first;
  } else {
    for (size_t i = 0; i < size; ++i)
      if (kNeedsEscape[static_cast<uint8_t>(text[i])]) return false;
    return true;
  }
  return !AnyNeedsEscape(first) && !AnyNeedsEscape(last);
}

#ifdef __SSE2__
// Which of sixteen bytes need escaping, the first as the lowest bit.
unsigned EscapesAmong(const char* bytes) {
  const __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  // min(x, 0x1F) == x exactly for unsigned bytes up to 0x1F.
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(chunk, _mm_set1_epi8(0x1F)), chunk);
  const __m128i special =
      _mm_or_si128(_mm_cmpeq_epi8(chunk, _mm_set1_epi8('"')), _mm_cmpeq_epi8(chunk, _mm_set1_epi8('\\')));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(control, special)));
}
#endif

// The first byte at or after `from` that needs escaping, or `end`.
const char* FindEscape(const char* from, const char* end) {
#ifdef __SSE2__
  const bool fills_a_vector = end - from >= 16;
  for (; end - from >= 16; from += 16)
    if (const unsigned mask = EscapesAmong(from); mask != 0) return from + std::countr_zero(mask);
  // The rest, together with bytes before it that are known to be plain.
  if (fills_a_vector) {
    const unsigned mask = EscapesAmong(end - 16);
    return mask == 0 ? end : end - 16 + std::countr_zero(mask);
  }
#endif
  while (from != end && !kNeedsEscape[static_cast<uint8_t>(*from)]) ++from;
  return from;
}

void AppendEscaped(std::string& out, char c) {
  switch (c) {
    case '"': out.append("\\\""); return;
    case '\\': out.append("\\\\"); return;
    case '\b': out.append("\\b"); return;
    case '\f': out.append("\\f"); return;
    case '\n': out.append("\\n"); return;
    case '\r': out.append("\\r"); return;
    case '\t': out.append("\\t"); return;
    default: {
      static constexpr char kHex[] = "0123456789abcdef";
      const auto byte = static_cast<uint8_t>(c);
      const char text[] = {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
      out.append(text, sizeof(text));
    }
  }
}

}  // namespace

void AppendJsonText(std::string& out, std::string_view text) {
  if (IsShortAndPlain(text.data(), text.size())) {
    out.append(text);
    return;
  }
  const char* from = text.data();
  const char* const end = from + text.size();
  while (true) {
    const char* stop = FindEscape(from, end);
    out.append(from, static_cast<size_t>(stop - from));
    if (stop == end) break;
    AppendEscaped(out, *stop);
    from = stop + 1;
  }
}

void AppendJsonString(std::string& out, std::string_view text) {
  out.push_back('"');
  AppendJsonText(out, text);
  out.push_back('"');
}

void JsonWriter::Int(int64_t value) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  Raw({text, static_cast<size_t>(end - text)});
}

void JsonWriter::Double(double value) {
  if (!std::isfinite(value)) return Null();
  char text[40];
  char* end = fmt::format_to(text, "{}", value);
  const std::string_view printed(text, static_cast<size_t>(end - text));
  Raw(printed);
  if (printed.find_first_of(".e") == std::string_view::npos) out_.append(".0");
}

void JsonWriter::Timestamp(double seconds) {
  const auto millis = static_cast<int64_t>(std::llround(seconds * 1000.0));
  const int64_t magnitude = millis < 0 ? -millis : millis;
  char text[40];
  char* end = fmt::format_to(text, "{}{}", millis < 0 ? "-" : "", magnitude / 1000);
  if (magnitude % 1000 != 0) {
    end = fmt::format_to(end, ".{:03}", magnitude % 1000);
    while (end[-1] == '0') --end;
  }
  Raw({text, static_cast<size_t>(end - text)});
}

}  // namespace armature
