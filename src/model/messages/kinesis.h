// Texts of the Kinesis streaming destination a client can read. See messages.h.
#pragma once

#include <string_view>

namespace armature::model::messages {

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
    "{} "
    "found for table with tableName: {}";
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
