// Parses expressions into syntax trees, and finds every error that the text alone shows.
//
// Any bytes are accepted as input; recursion is bounded. Pure; called through the cache by ExpressionSet.
#pragma once

#include <string_view>

#include "expr/parse/ast.h"

namespace armature::expr {

inline constexpr size_t kMaxExpressionBytes = 4096;
inline constexpr uint32_t kMaxOperators = 300;

// Check `error` of what comes back.
ParsedExpression Parse(Grammar grammar, std::string_view source);

}  // namespace armature::expr
