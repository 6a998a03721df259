// Where the statements of a policy stand in its text, by line and column, for those who are shown which of them decided
// (SimulatePrincipalPolicy). A parser's tree does not know; this goes over the text once. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace armature::policy {

// Both from 1. Columns count bytes.
struct TextPosition {
  size_t line = 1;
  size_t column = 1;

  bool operator==(const TextPosition&) const = default;
};

struct StatementPosition {
  TextPosition begin;  // of its opening brace
  TextPosition end;    // behind its closing one
};

// In the order of the document. REQUIRES: one that parses; of others it gives something. Empty if the member is spelled
// with escapes.
std::vector<StatementPosition> StatementPositions(std::string_view json);

}  // namespace armature::policy
