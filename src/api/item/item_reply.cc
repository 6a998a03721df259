#include "api/item/item_reply.h"

#include <cmath>

#include "base/log.h"
#include "wire/json/attribute_json.h"

namespace armature::api {

void WriteItemMember(JsonWriter& json, std::string_view name, model::Item item) {
  json.Key(name);
  json.BeginValue();
  wire::AppendItemAsJson(item, json.out());
}

void WriteItemCollection(JsonWriter& json, const table::ItemWrite& write) {
  const std::string& hash_name = write.table->key_schema().hash.front().name;
  const model::MapEntry key{hash_name, *model::FindAttribute(write.key, hash_name)};
  // AWS gives a range a gigabyte wide that the size lies in.
  const double low = std::floor(static_cast<double>(write.collection_bytes) / (1024.0 * 1024.0 * 1024.0));
  json.BeginObject();
  WriteItemMember(json, "ItemCollectionKey", model::Item(&key, 1));
  json.Key("SizeEstimateRangeGB");
  json.BeginArray();
  json.Double(low);
  json.Double(low + 1);
  json.EndArray();
  json.EndObject();
}

void WriteWriteMetrics(JsonWriter& json, const table::ItemWrite& write, std::string_view table_name,
                       const wire::Opt<std::string_view>& return_consumed_capacity,
                       const wire::Opt<std::string_view>& return_item_collection_metrics) {
  ConsumedCapacity consumed;
  consumed.table_name = table_name;
  consumed.AddWrite(write);
  WriteConsumedCapacity(json, return_consumed_capacity, consumed);
  if (Asks(return_item_collection_metrics, "SIZE") && write.table->has_local_indexes()) {
    json.Key("ItemCollectionMetrics");
    WriteItemCollection(json, write);
  }
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
