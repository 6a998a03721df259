// Texts about capacity: requests that there is none left for.
//
// `{}` marks where fmt inserts a value. Constants only; nobody branches on them.
#pragma once

#include <string_view>

namespace armature::model::messages {

// --- throttling (docs/dynamodb.md 9.7)
inline constexpr std::string_view kTableThroughputExceeded =
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning "
    "level with the UpdateTable API.";
// Without a full stop, as Amazon says it.
inline constexpr std::string_view kIndexThroughputExceeded =
    "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
    "exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the "
    "UpdateTable API";
inline constexpr std::string_view kOnDemandMaximumExceeded =
    "Throughput exceeds the maximum OnDemandThroughput configured on table or index";
inline constexpr std::string_view kTableIsScaling =
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or "
    "index so please try again shortly. If exceptions persist, check if you have a hot key: "
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html.";
inline constexpr std::string_view kIndexIsScaling =
    "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically "
    "scaling your index so please try again shortly.";

}  // namespace armature::model::messages
