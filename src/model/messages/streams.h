// Texts about the ways changes leave a table: DynamoDB Streams and Kinesis streaming destinations.
//
// `{}` marks where fmt inserts a value. Constants only; nobody branches on them.
#pragma once

#include <string_view>

namespace armature::model::messages {

// --- DynamoDB Streams
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
    "than the tolerated delay of {} milliseconds.";
inline constexpr std::string_view kDataTrimmed = "The data you are trying to access has been trimmed";

// --- Kinesis streaming destinations
// AWS speaks of enabling whatever was asked for.
inline constexpr std::string_view kKinesisCannotEnable =
    "Table is not in a valid state to enable Kinesis Streaming Destination: EnableKinesisStreamingDestination must be "
    "DISABLED or ENABLE_FAILED to perform ENABLE operation.";
inline constexpr std::string_view kKinesisCannotDisable =
    "Table is not in a valid state to enable Kinesis Streaming Destination: KinesisStreamingDestination must be ACTIVE "
    "to perform DISABLE operation.";
inline constexpr std::string_view kKinesisDisabledWithConfiguration =
    "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters";
inline constexpr std::string_view kKinesisNothingToUpdate =
    "Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null "
    "or contain only null values";
inline constexpr std::string_view kKinesisNoDestination =
    "Table is not in a valid state to enable Kinesis Streaming Destination: No streaming destination with streamArn: "
    "{} found for table with tableName: {}";
inline constexpr std::string_view kKinesisNotActive =
    "Table is not in a valid state to enable Kinesis Streaming Destination: Kinesis streaming is not in ACTIVE state. "
    "Updates are only allowed in ACTIVE state. TableName: {}, kdsArn: {}";
inline constexpr std::string_view kKinesisSamePrecision =
    "Invalid Request: Precision is already set to the desired value of {} for tableId: {}, kdsArn: {}";

// Why a destination is ENABLE_FAILED.
inline constexpr std::string_view kKinesisNotPermitted = "User does not have a permission to use kinesis stream";
inline constexpr std::string_view kKinesisOtherRegion =
    "The kinesis Arn used to enable kinesis replication belongs to a stream which is not in the current region";
inline constexpr std::string_view kKinesisStreamNotActive =
    "The kinesis Arn used to enable kinesis replication belongs to a stream which is not in Active state";
// Ours: there is no endpoint, or nobody answers there.
inline constexpr std::string_view kKinesisNoEndpoint =
    "This server has no Kinesis endpoint; start it with --kinesis-endpoint URL";
inline constexpr std::string_view kKinesisUnreachable = "The Kinesis endpoint {} cannot be used: {}";

}  // namespace armature::model::messages
