#include "expr/parse/lexer.h"

#include <cassert>
#include <cstdint>
#include <limits>

namespace armature::expr {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordPart(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

template <class Predicate>
size_t Skip(std::string_view source, size_t at, Predicate predicate) {
  while (at < source.size() && predicate(source[at])) ++at;
  return at;
}

// The end of the UTF-8 character that starts at `at`, so that error messages stay valid text.
size_t EndOfCharacter(std::string_view source, size_t at) {
  return Skip(source, at + 1, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; });
}

TokenKind Punctuation(char c) {
  switch (c) {
    case '=': return TokenKind::kEqual;
    case '<': return TokenKind::kLess;
    case '>': return TokenKind::kGreater;
    case '+': return TokenKind::kPlus;
    case '-': return TokenKind::kMinus;
    case ',': return TokenKind::kComma;
    case '.': return TokenKind::kDot;
    case '(': return TokenKind::kLeftParen;
    case ')': return TokenKind::kRightParen;
    case '[': return TokenKind::kLeftBracket;
    case ']': return TokenKind::kRightBracket;
    default: return TokenKind::kUnknown;
  }
}

Token Next(std::string_view source, size_t at) {
  const char c = source[at];
  TokenKind kind = Punctuation(c);
  size_t end = at + 1;
  if (IsLetter(c)) {
    kind = TokenKind::kName;
    end = Skip(source, end, IsWordPart);
  } else if (IsDigit(c)) {
    kind = TokenKind::kNumber;
    end = Skip(source, end, IsDigit);
  } else if ((c == '#' || c == ':') && end < source.size() && IsWordPart(source[end])) {
    kind = c == '#' ? TokenKind::kAlias : TokenKind::kValue;
    end = Skip(source, end, IsWordPart);
  } else if (end < source.size() && c == '<' && source[end] == '>') {
    kind = TokenKind::kNotEqual;
    ++end;
  } else if (end < source.size() && (c == '<' || c == '>') && source[end] == '=') {
    kind = c == '<' ? TokenKind::kLessEqual : TokenKind::kGreaterEqual;
    ++end;
  } else if (kind == TokenKind::kUnknown) {
    end = EndOfCharacter(source, at);
  }
  return {kind, {static_cast<uint16_t>(at), static_cast<uint16_t>(end - at)}};
}

}  // namespace

std::vector<Token> Tokenize(std::string_view source) {
  assert(source.size() <= std::numeric_limits<uint16_t>::max());
  std::vector<Token> tokens;
  tokens.reserve(source.size() / 3 + 2);
  size_t at = Skip(source, 0, IsSpace);
  while (at < source.size()) {
    tokens.push_back(Next(source, at));
    at = Skip(source, at + tokens.back().range.length, IsSpace);
  }
  tokens.push_back({TokenKind::kEnd, {static_cast<uint16_t>(source.size()), 0}});
  return tokens;
}

bool IsBlank(std::string_view source) { return Skip(source, 0, IsSpace) == source.size(); }

bool IsReference(std::string_view text, char sigil) {
  if (text.size() < 2 || text[0] != sigil) return false;
  return Skip(text, 1, IsWordPart) == text.size();
}

}  // namespace armature::expr
