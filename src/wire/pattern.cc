#include <algorithm>
#include <array>

#include "wire/validate.h"

namespace armature::wire {

namespace {

constexpr bool IsDigit(unsigned char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAlphanumeric(unsigned char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Every request names a table: looked up instead of compared.
constexpr std::array<bool, 256> kIsNameCharacter = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c)
    table[static_cast<size_t>(c)] = IsAlphanumeric(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
  return table;
}();
bool IsNameCharacter(unsigned char c) { return kIsNameCharacter[c]; }
bool IsLowerHex(unsigned char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

template <class Predicate>
bool All(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return predicate(static_cast<unsigned char>(c)); });
}

}  // namespace

bool MatchesPattern(Pattern pattern, std::string_view text) {
  switch (pattern) {
    case Pattern::kNone: return true;
    case Pattern::kResourceName: return !text.empty() && All(text, IsNameCharacter);
    case Pattern::kPrintable: return !text.empty() && All(text, [](unsigned char c) { return c >= 0x20 && c < 0x7F; });
    case Pattern::kRoleArn:
      return All(text, [](unsigned char c) { return c >= 0x20 || c == '\r' || c == '\n' || c == '\t'; });
    case Pattern::kNoDollar: return !text.empty() && text.find('$') == std::string_view::npos;
    case Pattern::kInsightsRule:
      return text.size() >= 2 && text.size() <= 128 && All(text, IsNameCharacter) && IsAlphanumeric(text.front()) &&
             IsAlphanumeric(text.back());
    case Pattern::kCsvDelimiter:
      return text.size() == 1 && std::string_view(",;:|\t ").find(text[0]) != std::string_view::npos;
    case Pattern::kCsvHeader:
      return All(text, [](unsigned char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != ','; });
    case Pattern::kHexGroups: return !text.empty() && text.size() % 16 == 0 && All(text, IsLowerHex);
    case Pattern::kS3Bucket:
      return text.size() >= 2 && All(text, IsNameCharacter) && IsAlphanumeric(text.front()) &&
             IsAlphanumeric(text.back());
    case Pattern::kAccountId: return text.size() == 12 && All(text, IsDigit);
  }
  return true;
}

}  // namespace armature::wire
