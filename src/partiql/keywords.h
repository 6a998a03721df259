// The words that PartiQL keeps for itself: none of them names a table or an attribute unless in double quotes.
//
// SQL-92's and PartiQL's own, which is what AWS refuses; parts of dates (year, month, …) are not among them. Pure;
// internal to partiql/.
#pragma once

#include <string_view>

namespace armature::partiql {

// `word` is in lower case.
bool IsKeyword(std::string_view word);
// Keywords that may be followed by arguments in parentheses.
bool IsFunctionKeyword(std::string_view word);
// The names behind IS.
bool IsTypeName(std::string_view word);

}  // namespace armature::partiql
