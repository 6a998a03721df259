// Texts of DynamoDB about who signed a request, beside those of messages.h.
#pragma once

#include <string_view>

namespace armature::model::messages {

// DynamoDB Local's, see model/compatibility.h.
inline constexpr std::string_view kAccessKeyWanted =
    "Request must contain either a valid (registered) AWS access key ID or X.509 certificate.";
inline constexpr std::string_view kInvalidToken = "The security token included in the request is invalid.";

}  // namespace armature::model::messages
