#include "api/item/item_reply.h"

#include "table/capacity.h"
#include "wire/attribute_json.h"

namespace armature::api {

void WriteItemMember(JsonWriter& json, std::string_view name, model::Item item) {
  json.Key(name);
  json.BeginValue();
  wire::AppendItemAsJson(item, json.out());
}

void WriteConsumedCapacity(JsonWriter& json, const wire::Opt<std::string_view>& return_consumed_capacity,
                           std::string_view table_name, double units) {
  const bool wants_indexes = Asks(return_consumed_capacity, "INDEXES");
  if (!wants_indexes && !Asks(return_consumed_capacity, "TOTAL")) return;
  json.Key("ConsumedCapacity");
  json.BeginObject();
  json.Member("TableName", table_name);
  json.MemberDouble("CapacityUnits", units);
  if (wants_indexes) {
    json.Key("Table");
    json.BeginObject();
    json.MemberDouble("CapacityUnits", units);
    json.EndObject();
  }
  json.EndObject();
}

double ConsumedWriteUnits(const table::ItemWrite& write) { return table::WriteUnits(write.old_size, write.new_size); }

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
