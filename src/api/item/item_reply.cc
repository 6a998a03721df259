#include "api/item/item_reply.h"

#include "base/log.h"
#include "wire/json/attribute_json.h"

namespace armature::api {

void WriteItemMember(JsonWriter& json, std::string_view name, model::Item item) {
  json.Key(name);
  json.BeginValue();
  wire::AppendItemAsJson(item, json.out());
}

model::ApiError UnreadableItem(std::string_view table_name, const Status& why) {
  LogError("table {}: an item cannot be read: {}", table_name, why.ToString());
  return model::FromStatus(why);
}

model::ApiError ConditionFailed(const table::ItemWrite& write,
                                const wire::Opt<std::string_view>& return_values_on_failure) {
  model::ApiError error = model::ConditionalCheckFailedException();
  if (Asks(return_values_on_failure, "ALL_OLD") && write.old_exists) {
    error.extra_json_members = "\"Item\":";
    wire::AppendItemAsJson(write.old_item, error.extra_json_members);
  }
  return error;
}

}  // namespace armature::api
