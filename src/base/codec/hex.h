// Hexadecimal: bytes as two digits each, lower case when written.
//
// Pure. Used by whoever shows keys and what names them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace armature {

std::string ToHex(std::string_view bytes);
// Nothing if it is none. Digits of either case.
std::optional<std::string> FromHex(std::string_view digits);

}  // namespace armature
