// Texts about capacity: requests that there is none left for, changes of it that come too often, and quotas.
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

// --- changes of it that come too often (docs/dynamodb.md 9.5, 9.6)
inline constexpr std::string_view kTooManyDecreases =
    "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the first 4 "
    "decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. Number "
    "of decreases today: {}. Last decrease at {}. Next decrease can be made at {}";
inline constexpr std::string_view kTooManySwitchesToOnDemand =
    "Subscriber limit exceeded: Update to PayPerRequest mode are limited to {} in 1 day(s). Last update at {}. Next "
    "update can be made at {}";  // sic

// --- quotas (docs/dynamodb.md 9.5)
inline constexpr std::string_view kUnitsAboveTableQuota =
    "The requested {}, {}, is above the per table maximum for the account in {}. Per table maximum: {}. Refer to the "
    "Amazon DynamoDB Developer Guide for current limits and how to request higher limits.";
inline constexpr std::string_view kUnitsAboveIndexQuota =
    "The requested {} for index {}, {}, is above the per index maximum for the account in {}. Per index maximum: {}. "
    "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.";
inline constexpr std::string_view kUnitsAboveAccountQuota =
    "This request would have caused the {} limit to be exceeded for the account in {}. Current {} reserved by the "
    "account: {}. Limit: {}. Requested: {}. Refer to the Amazon DynamoDB Developer Guide for current limits and how to "
    "request higher limits.";
inline constexpr std::string_view kMaximumAboveQuota =
    "Subscriber limit exceeded: Requested {} for OnDemandThroughput for {} exceeds {} of the account in region {}";
inline constexpr std::string_view kWarmAboveQuota =
    "Subscriber limit exceeded: Requested {} for WarmThroughput for {} exceeds {} of the account in region {}";

}  // namespace armature::model::messages
