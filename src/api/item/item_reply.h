// The reply of an item operation: the members item operations share, and the failure of a condition.
//
// Appends JSON to the request's body. Used by the item operations, batches and transactions.
#pragma once

#include <string_view>

#include "api/reply_cost.h"
#include "api/request_context.h"
#include "base/result.h"
#include "base/text/json_writer.h"
#include "model/api_error.h"
#include "model/value.h"
#include "table/write/item_write.h"
#include "wire/fields.h"

namespace armature::api {

// `"<name>":{…}` for an item.
void WriteItemMember(JsonWriter& json, std::string_view name, model::Item item);

// ConditionalCheckFailedException, with the item if the request wants it and there is one.
model::ApiError ConditionFailed(const table::ItemWrite& write,
                                const wire::Opt<std::string_view>& return_values_on_failure);

// What a damaged item is answered with; the log says more.
model::ApiError UnreadableItem(std::string_view table_name, const Status& why);

// The end of PutItem, UpdateItem and DeleteItem, once the write is done: the failure of its condition, or the reply
// with what `attributes()` gives, unless that is empty.
template <class Request, class Attributes>
model::ApiResult<void> ReplyToWrite(RequestContext& context, const Request& request, const table::ItemWrite& write,
                                    const Attributes& attributes) {
  if (!write.condition_held) return ConditionFailed(write, request.ReturnValuesOnConditionCheckFailure);
  JsonWriter json(context.body);
  json.BeginObject();
  if (const model::Item shown = attributes(); !shown.empty()) WriteItemMember(json, "Attributes", shown);
  WriteWriteMetrics(json, write, *request.TableName, request.ReturnConsumedCapacity,
                    request.ReturnItemCollectionMetrics);
  json.EndObject();
  return {};
}

// What ReturnValues of PutItem and DeleteItem shows.
inline model::Item ReplacedItem(const table::ItemWrite& write) {
  return write.wants_old_image && write.old_exists ? write.old_item : model::Item();
}

}  // namespace armature::api
