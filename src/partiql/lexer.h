// Splits a PartiQL statement into tokens, without white space and comments.
//
// Words that belong together (NOT IN, INSERT INTO, ALL OLD, …) come out as one token. Texts that need no change point
// into the source, the others into the arena. Pure; internal to partiql/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "partiql/ast.h"

namespace armature::partiql {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,        // `text` as written
  kQuotedIdentifier,  // `text` without its quotes
  kKeyword,           // `text` in lower case
  kOperator,          // likewise, for AND, OR, NOT, IN, IS, …; or the sign
  kString,
  kNumber,
  kTrue,
  kFalse,
  kNull,
  kMissing,
  kParameter,
  kStar,
  kComma,
  kDot,
  kColon,
  kSemicolon,
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kLeftCurly,
  kRightCurly,
  kLeftBag,
  kRightBag,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text{};
  Position at{};

  bool Is(TokenKind wanted, std::string_view wanted_text) const { return kind == wanted && text == wanted_text; }
  bool IsKeyword(std::string_view word) const { return Is(TokenKind::kKeyword, word); }
  bool IsOperator(std::string_view word) const { return Is(TokenKind::kOperator, word); }
  bool is_identifier() const { return kind == TokenKind::kIdentifier || kind == TokenKind::kQuotedIdentifier; }
};

// The last token is kEnd. Nothing if there is something that begins no token, or a quote or comment without its end.
std::optional<std::vector<Token>> Tokenize(std::string_view source, Arena& arena);

}  // namespace armature::partiql
