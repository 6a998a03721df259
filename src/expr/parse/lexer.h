// Splits an expression into tokens. Never fails: a character that begins no token is a token of its own, which no
// grammar accepts. Pure; internal to expr/.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "expr/parse/ast.h"

namespace armature::expr {

enum class TokenKind : uint8_t {
  kEnd,
  kName,    // a letter, then letters, digits, _
  kAlias,   // #…
  kValue,   // :…
  kNumber,  // digits
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kPlus,
  kMinus,
  kComma,
  kDot,
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kUnknown,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  SourceRange range{};
};

// The last token is kEnd. REQUIRES: the source has at most 65535 bytes.
std::vector<Token> Tokenize(std::string_view source);

// Whether there are no tokens in it but the last.
bool IsBlank(std::string_view source);

// A whole "#name" or ":value", as keys of the two attribute maps must be.
bool IsReference(std::string_view text, char sigil);

}  // namespace armature::expr
