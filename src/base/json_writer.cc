#include "base/json_writer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

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

// The first byte at or after `from` that needs escaping, or `end`.
const char* FindEscape(const char* from, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(0x1F);
  for (; end - from >= 16; from += 16) {
    const __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    // min(x, 0x1F) == x exactly for unsigned bytes up to 0x1F.
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(chunk, last_control), chunk);
    const __m128i special = _mm_or_si128(_mm_cmpeq_epi8(chunk, quote), _mm_cmpeq_epi8(chunk, backslash));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(control, special)));
    if (mask != 0) return from + std::countr_zero(mask);
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

void AppendJsonString(std::string& out, std::string_view text) {
  out.push_back('"');
  const char* from = text.data();
  const char* const end = from + text.size();
  while (true) {
    const char* stop = FindEscape(from, end);
    out.append(from, static_cast<size_t>(stop - from));
    if (stop == end) break;
    AppendEscaped(out, *stop);
    from = stop + 1;
  }
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
