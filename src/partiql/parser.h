// Parses PartiQL statements, and finds every error that the text alone shows, in AWS's words and with its positions.
//
// Any bytes are accepted as input; length and nesting are bounded. A pure function of the text: no tables, no
// parameters, no state. Called through the cache by api/partiql, and directly by tests and fuzzing.
#pragma once

#include <string_view>

#include "model/api_error.h"
#include "partiql/ast.h"

namespace armature::partiql {

inline constexpr size_t kMaxStatementBytes = 8192 * 4;  // 8192 characters, which the schema of the request checks
inline constexpr int kMaxParserDepth = 128;

model::ApiResult<StatementPtr> Parse(std::string_view text);

}  // namespace armature::partiql
