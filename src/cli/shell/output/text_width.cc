#include "cli/shell/output/text_width.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace armature::cli::shell {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kEllipsis = "…";

struct Range {
  char32_t first;
  char32_t last;
};

// Combining marks, joiners and variation selectors of the scripts in wide use.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x0610, 0x061A},   {0x064B, 0x065F},   {0x0670, 0x0670},
    {0x06D6, 0x06DC}, {0x06DF, 0x06E4}, {0x0900, 0x0902},   {0x093C, 0x093C},   {0x0941, 0x0948},   {0x094D, 0x094D},
    {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},   {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},   {0x200B, 0x200F},
    {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20FF},   {0x302A, 0x302D},   {0x3099, 0x309A},   {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0001, 0xE007F}, {0xE0100, 0xE01EF},
};

// East Asian Wide and Fullwidth, and emoji shown as pictures.
constexpr Range kDoubleWidth[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18AFF}, {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F1E6, 0x1F1FF}, {0x1F200, 0x1F320},
    {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3},
    {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC},
    {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596},
    {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2},
    {0x1F6D5, 0x1F6D7}, {0x1F6DC, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB},
    {0x1F7F0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <size_t size>
bool IsIn(const Range (&ranges)[size], char32_t code_point) {
  const auto* const range = std::lower_bound(std::begin(ranges), std::end(ranges), code_point,
                                             [](const Range& r, char32_t value) { return r.last < value; });
  return range != std::end(ranges) && range->first <= code_point;
}

bool IsControl(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

void AppendControl(std::string& out, char32_t c) {
  switch (c) {
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: out += fmt::format("\\x{:02x}", static_cast<uint32_t>(c)); break;
  }
}

}  // namespace

char32_t NextCodePoint(std::string_view text, size_t& position) {
  const auto lead = static_cast<uint8_t>(text[position]);
  if (lead < 0x80) return text[position++] & 0x7F;
  const size_t length = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead >= 0xF5 || position + length > text.size()) {
    ++position;
    return kReplacement;
  }
  char32_t value = lead & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<uint8_t>(text[position + i]);
    if ((next & 0xC0) != 0x80) {
      ++position;
      return kReplacement;
    }
    value = value << 6 | (next & 0x3F);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    ++position;
    return kReplacement;
  }
  position += length;
  return value;
}

int CodePointWidth(char32_t code_point) {
  if (code_point < 0x300) return IsControl(code_point) ? 0 : 1;
  if (IsIn(kZeroWidth, code_point)) return 0;
  return IsIn(kDoubleWidth, code_point) ? 2 : 1;
}

size_t TextWidth(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) width += static_cast<size_t>(CodePointWidth(NextCodePoint(text, at)));
  return width;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const char32_t code_point = NextCodePoint(text, at);
    if (IsControl(code_point)) {
      AppendControl(out, code_point);
    } else if (code_point == kReplacement) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(start, at - start);
    }
  }
  return out;
}

std::string CutToWidth(std::string_view text, size_t columns) {
  size_t width = 0;
  size_t kept = 0;  // bytes that leave room for the ellipsis
  for (size_t at = 0; at < text.size();) {
    width += static_cast<size_t>(CodePointWidth(NextCodePoint(text, at)));
    if (width + 1 <= columns) kept = at;
    if (width > columns) return columns == 0 ? std::string() : fmt::format("{}{}", text.substr(0, kept), kEllipsis);
  }
  return std::string(text);
}

std::vector<std::string> WrapToWidth(std::string_view text, size_t columns) {
  std::vector<std::string> pieces;
  size_t start = 0;
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t before = at;
    const auto next = static_cast<size_t>(CodePointWidth(NextCodePoint(text, at)));
    if (width + next > columns && before > start) {
      pieces.emplace_back(text.substr(start, before - start));
      start = before;
      width = 0;
    }
    width += next;
  }
  if (start < text.size() || pieces.empty()) pieces.emplace_back(text.substr(start));
  return pieces;
}

std::string Pad(std::string_view text, size_t columns, bool align_right) {
  const size_t width = TextWidth(text);
  const std::string space(columns > width ? columns - width : 0, ' ');
  return align_right ? space + std::string(text) : std::string(text) + space;
}

}  // namespace armature::cli::shell
