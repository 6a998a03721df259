#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "wire/tag_characters.h"
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

// --- IAM's and STS's

bool IsWordCharacter(unsigned char c) { return IsAlphanumeric(c) || c == '_'; }

auto WordCharacterOr(std::string_view others) {
  return [others](unsigned char c) {
    return IsWordCharacter(c) || others.find(static_cast<char>(c)) != std::string_view::npos;
  };
}

// Takes the first character off a text; nothing if it is not UTF-8.
std::optional<uint32_t> TakeCharacter(std::string_view& text) {
  const auto byte = [&text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t length = first < 0x80 ? 1 : (first >> 5) == 6 ? 2 : (first >> 4) == 14 ? 3 : (first >> 3) == 30 ? 4 : 0;
  if (length == 0 || length > text.size()) return std::nullopt;
  uint32_t code = length == 1 ? first : first & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  text.remove_prefix(length);
  return code;
}

template <class Predicate>
bool AllCharacters(std::string_view text, Predicate predicate) {
  while (!text.empty()) {
    const std::optional<uint32_t> character = TakeCharacter(text);
    if (!character || !predicate(*character)) return false;
  }
  return true;
}

bool IsTabOrLineBreak(uint32_t c) { return c == '\t' || c == '\n' || c == '\r'; }

bool IsTagCharacter(uint32_t c) {
  if (c < 0x80) return c == ' ' || WordCharacterOr(".:/=+-@")(static_cast<unsigned char>(c));
  const auto ranges = LettersNumbersAndSeparators();
  const auto behind = std::upper_bound(ranges.begin(), ranges.end(), c,
                                       [](uint32_t code, const CharacterRange& range) { return code < range.first; });
  return behind != ranges.begin() && c <= std::prev(behind)->last;
}

bool IsDescriptionCharacter(uint32_t c) {
  return IsTabOrLineBreak(c) || (c >= 0x20 && c <= 0x7E) || (c >= 0xA1 && c <= 0xFF);
}

bool IsDocumentCharacter(uint32_t c) { return IsTabOrLineBreak(c) || (c >= 0x20 && c <= 0xFF); }

bool IsXmlCharacter(uint32_t c) {
  return IsTabOrLineBreak(c) || (c >= 0x20 && c <= 0x7E) || c == 0x85 || (c >= 0xA0 && c <= 0xD7FF) ||
         (c >= 0xE000 && c <= 0xFFFD) || c >= 0x10000;
}

bool IsPath(std::string_view text) {
  if (text == "/") return true;
  return text.size() >= 3 && text.front() == '/' && text.back() == '/' &&
         All(text, [](unsigned char c) { return c >= 0x21 && c <= 0x7E; });
}

// ((/segment)*)/: neither two slashes in a row nor anything but names between them.
bool IsPolicyPath(std::string_view text) {
  if (!text.starts_with('/') || !text.ends_with('/')) return false;
  return text.find("//") == std::string_view::npos &&
         All(text, [](unsigned char c) { return c == '/' || WordCharacterOr(".,+@=-")(c); });
}

bool IsAccountAlias(std::string_view text) {
  const auto is_lower = [](unsigned char c) { return IsDigit(c) || (c >= 'a' && c <= 'z'); };
  if (text.size() < 3 || text.size() > 63 || text.find("--") != std::string_view::npos) return false;
  return is_lower(text.front()) && is_lower(text.back()) &&
         All(text, [&](unsigned char c) { return is_lower(c) || c == '-'; });
}

// v12, or v12.something
bool IsPolicyVersion(std::string_view text) {
  if (text.size() < 2 || text[0] != 'v' || text[1] < '1' || text[1] > '9') return false;
  const size_t dot = std::min(text.find('.'), text.size());
  return All(text.substr(1, dot - 1), IsDigit) &&
         All(text.substr(dot), [](unsigned char c) { return IsAlphanumeric(c) || c == '-' || c == '.'; }) &&
         text.find('.', dot + 1) == std::string_view::npos;
}

bool MatchesIamPattern(Pattern pattern, std::string_view text) {
  switch (pattern) {
    case Pattern::kIamName: return !text.empty() && All(text, WordCharacterOr("+=,.@-"));
    case Pattern::kIamNameOrEmpty: return All(text, WordCharacterOr("+=,.@-"));
    case Pattern::kWord: return !text.empty() && All(text, IsWordCharacter);
    case Pattern::kWordOrEmpty: return All(text, IsWordCharacter);
    case Pattern::kDigitsOrEmpty: return All(text, IsDigit);
    case Pattern::kSerialNumber:
    case Pattern::kExternalId: return All(text, WordCharacterOr("+=/:,.@-"));
    case Pattern::kTagKey: return !text.empty() && AllCharacters(text, IsTagCharacter);
    case Pattern::kTagValue: return AllCharacters(text, IsTagCharacter);
    case Pattern::kDescription: return AllCharacters(text, IsDescriptionCharacter);
    case Pattern::kMarker:
      return !text.empty() && AllCharacters(text, [](uint32_t c) { return c >= 0x20 && c <= 0xFF; });
    case Pattern::kPolicyDocument: return !text.empty() && AllCharacters(text, IsDocumentCharacter);
    case Pattern::kXmlText: return !text.empty() && AllCharacters(text, IsXmlCharacter);
    case Pattern::kPath: return IsPath(text);
    case Pattern::kPolicyPath: return IsPolicyPath(text);
    case Pattern::kPathPrefix:
      return text.starts_with('/') && All(text.substr(1), [](unsigned char c) { return c >= 0x21 && c <= 0x7F; });
    case Pattern::kAccountAlias: return IsAccountAlias(text);
    case Pattern::kPolicyVersion: return IsPolicyVersion(text);
    default: return true;
  }
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
    default: return MatchesIamPattern(pattern, text);
  }
}

}  // namespace armature::wire
