// Whether bytes of a client are text. What goes on as JSON has to be.
//
// Pure; quick for what is ASCII and for what is long.
#pragma once

#include <string_view>

namespace armature::dax {

bool IsWellFormedUtf8(std::string_view text);

}  // namespace armature::dax
