// Texts of Time to Live, as AWS words them (docs/dynamodb.md 12).
#pragma once

#include <string_view>

namespace armature::model::messages {

inline constexpr std::string_view kTtlAlreadyEnabled = "TimeToLive is already enabled";
inline constexpr std::string_view kTtlAlreadyDisabled = "TimeToLive is already disabled";
inline constexpr std::string_view kTtlOtherAttribute =
    "TimeToLive is active on a different AttributeName: current AttributeName is {}";
inline constexpr std::string_view kTtlModifiedTooOften =
    "Time to live has been modified multiple times within a fixed interval";

}  // namespace armature::model::messages
