// What clients of the Lambda API and of triggers read: texts of AWS Lambda where they are known.
//
// fmt patterns; used by triggers/ and lambda/. Texts of DynamoDB itself are in the other files here.
#pragma once

#include <string_view>

namespace armature::model::messages {

inline constexpr std::string_view kTriggerBelowMinimum =
    "1 validation error detected: Value '{}' at '{}' failed to satisfy constraint: Member must have value greater than "
    "or equal to {}";
inline constexpr std::string_view kTriggerAboveMaximum =
    "1 validation error detected: Value '{}' at '{}' failed to satisfy constraint: Member must have value less than or "
    "equal to {}";
inline constexpr std::string_view kTriggerRecordAge =
    "MaximumRecordAgeInSeconds must be either -1 (forever) or between 60 and 604800 (inclusive)";
inline constexpr std::string_view kTriggerTooManyFilters = "Number of filters exceeds the maximum of {}.";
inline constexpr std::string_view kTriggerBadPattern = "Invalid filter pattern definition. Reason: {}.";
inline constexpr std::string_view kTriggerNull =
    "1 validation error detected: Value null at '{}' failed to satisfy constraint: Member must not be null.";
inline constexpr std::string_view kTriggerEnum =
    "1 validation error detected: Value '{}' at '{}' failed to satisfy constraint: Member must satisfy enum value set: "
    "[{}]";
inline constexpr std::string_view kTriggerExists =
    "The event source arn (\" {} \") and function (\" {} \") provided mapping already exists. Please update or delete "
    "the existing mapping with UUID {}";
inline constexpr std::string_view kTriggerFunctionNotFound = "Function not found: {}";
inline constexpr std::string_view kTriggerUnreadable =
    "The stored record of the event source mapping {} cannot be read; the server's log has more";
inline constexpr std::string_view kTriggerMappingNotFound = "The resource you requested does not exist.";
inline constexpr std::string_view kTriggerStreamNotFound = "Stream not found: {}";
inline constexpr std::string_view kTriggerUnknownSource =
    "Unrecognized event source, must be kinesis, dynamodb stream or sqs.";
inline constexpr std::string_view kTriggerBadFunctionName =
    "1 validation error detected: Value '{}' at 'functionName' failed to satisfy constraint: Member must satisfy "
    "regular expression pattern: "
    "(arn:(aws[a-zA-Z-]*)?:lambda:)?([a-z]{{2}}((-gov)|(-iso([a-z]?)))?-[a-z]+-\\d{{1}}:)?(\\d{{12}}:)?(function:)?([a-"
    "zA-Z0-9-_\\.]+)(:(\\$LATEST(\\.PUBLISHED)?|[a-zA-Z0-9-_]+))?";
inline constexpr std::string_view kTriggerAtTimestamp =
    "StartingPosition AT_TIMESTAMP is not supported for DynamoDB streams. Use TRIM_HORIZON or LATEST.";
inline constexpr std::string_view kTriggerOfFile =
    "The mapping belongs to the trigger {} of the server's trigger file. Change it there.";
inline constexpr std::string_view kTriggerTumblingWindow =
    "TumblingWindowInSeconds is not supported by this server. Leave it out or set it to 0.";
inline constexpr std::string_view kTriggerNoDestination =
    "The destination {} is not defined. Define it with --destination or in the trigger file.";
inline constexpr std::string_view kTriggerNotSupported = "{} is not supported for DynamoDB streams.";

}  // namespace armature::model::messages
