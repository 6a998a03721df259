// The reply of an item operation: the members item operations share, and the failure of a condition.
//
// Appends JSON to the request's body. Used by the item operations.
#pragma once

#include <optional>
#include <string_view>

#include "api/request_context.h"
#include "base/json_writer.h"
#include "model/api_error.h"
#include "model/value.h"
#include "table/write_path.h"
#include "wire/fields.h"

namespace armature::api {

// `"<name>":{…}` for an item.
void WriteItemMember(JsonWriter& json, std::string_view name, model::Item item);

// ConsumedCapacity, when ReturnConsumedCapacity asked for it.
void WriteConsumedCapacity(JsonWriter& json, const wire::Opt<std::string_view>& return_consumed_capacity,
                           std::string_view table_name, double units);

// What a write used, whether its condition held or not.
double ConsumedWriteUnits(const table::ItemWrite& write);

// ConditionalCheckFailedException, with the item if the request wants it and there is one.
model::ApiError ConditionFailed(const table::ItemWrite& write,
                                const wire::Opt<std::string_view>& return_values_on_failure);

inline bool Asks(const wire::Opt<std::string_view>& parameter, std::string_view value) {
  return parameter && *parameter == value;
}

}  // namespace armature::api
