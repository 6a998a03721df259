// What a request of AWS's Query protocol (IAM, STS) can be told before its operation runs.
//
// `{}` marks where fmt inserts a value. Constants only; nobody branches on them.
#pragma once

#include <string_view>

#include "model/messages/requests.h"

namespace armature::model::messages {

// --- which operation
inline constexpr std::string_view kMissingAction = "The request is missing an action or a required parameter.";
inline constexpr std::string_view kNoSuchAction = "Could not find operation {} for version {}";
inline constexpr std::string_view kNoVersionSpecified = "NO_VERSION_SPECIFIED";

// Ours: see front/query_route.cc.
inline constexpr std::string_view kMustBePosted = "{} changes what is stored and must be sent with POST.";

// --- constraints
inline constexpr std::string_view kMustBeInSomeEnum = "Member must satisfy enum value set";  // IAM does not list it

// --- parameters that do not fit the members they name
inline constexpr std::string_view kListNotExpected = "Start of list found where not expected";
inline constexpr std::string_view kStructureNotExpected = "Start of structure or map found where not expected.";
inline constexpr std::string_view kListExpected = "Unexpected list element termination";
inline constexpr std::string_view kStructureExpected = "Unexpected complex element termination";
inline constexpr std::string_view kNotAnInteger = "The value of {} is not an integer.";
inline constexpr std::string_view kNotABoolean = "The value of {} is neither true nor false.";
inline constexpr std::string_view kTooManyParameters = "The request has more than {} parameters.";
inline constexpr std::string_view kFormTooLarge = "The request is too large.";

}  // namespace armature::model::messages
