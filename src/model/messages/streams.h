// Message texts of DynamoDB Streams.
#pragma once

#include <string_view>

namespace armature::model::messages {

inline constexpr std::string_view kStreamNotFound = "Requested resource not found: Stream: {} not found";
inline constexpr std::string_view kShardNotFound = "Requested resource not found: Shard does not exist";
inline constexpr std::string_view kInvalidStreamArn = "Invalid StreamArn";
inline constexpr std::string_view kInvalidShardIterator = "Invalid ShardIterator";
inline constexpr std::string_view kInvalidSequenceNumber = "Invalid SequenceNumber";
inline constexpr std::string_view kSequenceNumberMissing =
    "SequenceNumber must be provided when ShardIteratorType is AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER";
inline constexpr std::string_view kSequenceNumberNotWanted =
    "SequenceNumber must not be provided when ShardIteratorType is TRIM_HORIZON or LATEST";
inline constexpr std::string_view kShardFilterIncomplete = "ShardFilter must have both a Type and a ShardId";
inline constexpr std::string_view kStreamLimitTooLarge =
    "1 validation error detected: Value '{}' at 'limit' failed to satisfy constraint: Member must have value less than "
    "or equal to {}";
inline constexpr std::string_view kIteratorExpired =
    "Iterator expired. The iterator was created at time {} while right now it is {} which is further in the future "
    "than "
    "the tolerated delay of {} milliseconds.";
inline constexpr std::string_view kDataTrimmed = "The data you are trying to access has been trimmed";

}  // namespace armature::model::messages
