// What values of requests may be, and how many there may be of everything: checks that need no state.
//
// Names are stored in lower case, and meant so in requests. What is refused is so with the error that the service's
// model has for it. Pure. Used by the operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dax/control/cluster_state.h"
#include "model/api_error.h"
#include "wire/services/dax.h"

namespace armature::dax::control {

inline constexpr size_t kMostNodesOfCluster = 11;
inline constexpr size_t kMostNodesOfCustomer = 50;
inline constexpr size_t kMostParameterGroups = 20;
inline constexpr size_t kMostSubnetGroups = 50;
inline constexpr size_t kMostSubnetsOfGroup = 20;
inline constexpr size_t kMostTags = 50;
inline constexpr size_t kMostParametersOfRequest = 20;
inline constexpr size_t kLongestClusterName = 20;

inline constexpr std::string_view kRecordTtl = "record-ttl-millis";
inline constexpr std::string_view kQueryTtl = "query-ttl-millis";

std::string LowerCase(std::string_view text);
// A name for something new, as it is stored.
model::ApiResult<std::string> CheckClusterName(std::string_view name);
model::ApiResult<std::string> CheckGroupName(std::string_view name);
model::ApiResult<void> CheckNodeType(std::string_view node_type);
// A role of the account's own.
model::ApiResult<void> CheckRoleArn(std::string_view arn, std::string_view account);
model::ApiResult<void> CheckTopicArn(std::string_view arn);
model::ApiResult<bool> ReadTopicStatus(std::string_view status);  // whether it is active
// As it is stored.
model::ApiResult<std::string> CheckMaintenanceWindow(std::string_view window);
model::ApiResult<void> CheckSubnetId(std::string_view id);
// A number of milliseconds, of a parameter of that name.
model::ApiResult<int64_t> ReadParameter(std::string_view name, std::string_view value);
// Each tag by itself, and that none is there twice.
model::ApiResult<void> CheckTags(const wire::List<wire::dax::TagInput>& tags);

}  // namespace armature::dax::control
