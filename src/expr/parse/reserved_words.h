// The 573 words that DynamoDB does not accept as bare attribute names in expressions, in any case.
// A table of constants; internal to expr/.
#pragma once

#include <span>
#include <string_view>

namespace armature::expr {

bool IsReservedWord(std::string_view word);

// All of them, upper case, sorted.
std::span<const std::string_view> ReservedWords();

}  // namespace armature::expr
