// Texts of DynamoDB about who signed a request, beside those of messages.h.
#pragma once

#include <string_view>

namespace armature::model::messages {

inline constexpr std::string_view kInvalidToken = "The security token included in the request is invalid.";

}  // namespace armature::model::messages
