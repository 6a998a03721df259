// What the shell needs to know of a statement without parsing it: its verb, its table, and how to quote names.
//
// A rough look at the tokens, good for completion and for the order of columns; never used to decide what is sent. Pure
// functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace armature::cli::shell {

struct Token {
  enum class Kind { kWord, kQuotedName, kString, kNumber, kSymbol };
  Kind kind = Kind::kSymbol;
  std::string text;       // names without their quotes
  size_t begin = 0;       // in bytes
  size_t end = 0;         // behind the last byte
  bool is_closed = true;  // false: a string or quoted name that the text ends in
};

std::vector<Token> Tokenize(std::string_view text);

bool EqualsIgnoringCase(std::string_view a, std::string_view b);

bool IsRead(std::string_view statement);

// The table after FROM, INTO or UPDATE; empty when there is none.
std::string TableOf(std::string_view statement);

// The names a SELECT gives its columns (the leaf of each path: k of m.k, l[0] of m.l[0]), in order; empty for `SELECT
// *` or when it is not that plain.
std::vector<std::string> ProjectedNames(std::string_view statement);

// The name as a statement can use it: bare if it may be, else in double quotes.
std::string QuoteName(std::string_view name);

// Words of the language that completion offers, in capitals.
const std::vector<std::string_view>& Keywords();
const std::vector<std::string_view>& Functions();

}  // namespace armature::cli::shell
