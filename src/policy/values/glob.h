// Texts with wildcards, matched in time that grows with the product of their lengths at worst, never exponentially.
//
// A pattern is a list of pieces, made by whoever knows where wildcards are meant: what is put in for a variable is a
// literal piece, so that a `*` in it is no wildcard. Within an ARN some wildcards end at the next colon. Between two
// `*` a literal is searched for in linear time; only where `?` stands between them the product of the lengths is paid.
// Pure; a pattern with wildcards that end at colons takes memory beyond the stack for long texts only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace armature::policy {

struct GlobPiece {
  enum class Kind : uint8_t {
    kLiteral,
    kOne,           // ?: any one character
    kAny,           // *: any characters, or none
    kOneInArnPart,  // the same, but no colon
    kAnyInArnPart,
  };
  Kind kind = Kind::kLiteral;
  std::string_view text{};  // of a literal
};

bool MatchGlob(std::span<const GlobPiece> pieces, std::string_view text);

}  // namespace armature::policy
