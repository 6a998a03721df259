// The header lines of HTTP/1.x, which requests and replies have in common.
//
// Strict: bare LF, folded lines, blanks before a colon, control characters and NULs are refused. Pure functions over
// bytes; internal to net/.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "net/http_message.h"
#include "net/http_parser.h"

namespace armature::net {

// tchar of RFC 9110: what methods and header names are made of.
constexpr std::array<bool, 256> MakeTokenTable() {
  std::array<bool, 256> table{};
  for (uint8_t c = '0'; c <= '9'; ++c) table[c] = true;
  for (uint8_t c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = true;
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<uint8_t>(c)] = true;
  return table;
}
inline constexpr std::array<bool, 256> kIsToken = MakeTokenTable();

inline bool IsToken(char c) { return kIsToken[static_cast<uint8_t>(c)]; }
inline bool IsControl(char c) { return static_cast<uint8_t>(c) < 0x20 || c == 0x7f; }

// The first control character at or after `p`: the end of a header value, unless it is a tab.
inline const char* FindControl(const char* p, const char* end) {
#ifdef __SSE2__
  const __m128i highest = _mm_set1_epi8(0x1f);
  const __m128i del = _mm_set1_epi8(0x7f);
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, highest), bytes);
    const int mask = _mm_movemask_epi8(_mm_or_si128(low, _mm_cmpeq_epi8(bytes, del)));
    if (mask != 0) return p + __builtin_ctz(static_cast<unsigned>(mask));
  }
#endif
  while (p != end && !IsControl(*p)) ++p;
  return p;
}

// Calls `visit` for each element of a comma-separated list, blanks trimmed.
template <class Visit>
void ForEachElement(std::string_view list, Visit visit) {
  while (true) {
    const size_t comma = list.find(',');
    std::string_view element = list.substr(0, comma);
    while (!element.empty() && (element.front() == ' ' || element.front() == '\t')) element.remove_prefix(1);
    while (!element.empty() && (element.back() == ' ' || element.back() == '\t')) element.remove_suffix(1);
    visit(element);
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

// Takes "Name: value" and its CR LF at `p`, which moves behind them. kNeedMore: `limit` was reached before.
// Inlined by force: it is the most travelled line of all, and through a call its views would go by memory.
[[gnu::always_inline]] inline ParseState ParseHeaderLine(const char*& p, const char* limit, Header& header) {
  const auto view = [](const char* from, const char* to) {
    return std::string_view(from, static_cast<size_t>(to - from));
  };
  const char* const name = p;
  while (p != limit && IsToken(*p)) ++p;
  if (p == limit) return ParseState::kNeedMore;
  if (*p != ':' || p == name) return ParseState::kError;  // also a folded line, which starts with a blank
  header.name = view(name, p);
  ++p;
  while (p != limit && (*p == ' ' || *p == '\t')) ++p;
  const char* const value = p;
  while (true) {
    p = FindControl(p, limit);
    if (p == limit) return ParseState::kNeedMore;
    if (*p != '\t') break;
    ++p;
  }
  if (*p != '\r') return ParseState::kError;
  const char* last = p;
  while (last != value && (last[-1] == ' ' || last[-1] == '\t')) --last;
  if (limit - p < 2) return ParseState::kNeedMore;
  if (p[1] != '\n') return ParseState::kError;
  p += 2;
  header.value = view(value, last);
  return ParseState::kComplete;
}

// Decimal digits only, few enough to fit.
inline bool ParseContentLength(std::string_view value, uint64_t& length) {
  if (value.empty() || value.size() > 19) return false;
  length = 0;
  for (const char c : value) {
    if (c < '0' || c > '9') return false;
    length = length * 10 + static_cast<uint64_t>(c - '0');
  }
  return true;
}

}  // namespace armature::net
