#include "dax/translate/capacity_json.h"

#include <optional>
#include <vector>

#include "dax/codec/consumed_capacity.h"
#include "dax/translate/item_json.h"

namespace armature::dax {

namespace dom = simdjson::dom;

namespace {

std::optional<double> UnitsIn(dom::object json, std::string_view name) {
  double units = 0;
  if (json.at_key(name).get(units) != simdjson::SUCCESS) return std::nullopt;
  return units;
}

CapacityUnits UnitsOf(dom::object json) {
  return {.total = UnitsIn(json, "CapacityUnits").value_or(0),
          .read = UnitsIn(json, "ReadCapacityUnits"),
          .write = UnitsIn(json, "WriteCapacityUnits")};
}

std::vector<IndexCapacity> IndexesIn(dom::object json, std::string_view name) {
  std::vector<IndexCapacity> indexes;
  dom::object members;
  if (json.at_key(name).get(members) != simdjson::SUCCESS) return indexes;
  for (const dom::key_value_pair member : members) {
    dom::object units;
    if (member.value.get(units) == simdjson::SUCCESS) indexes.push_back({member.key, UnitsOf(units)});
  }
  return indexes;
}

}  // namespace

void AppendJsonCapacity(std::string& out, dom::object json, CapacityForm form) {
  const auto global_indexes = IndexesIn(json, "GlobalSecondaryIndexes");
  const auto local_indexes = IndexesIn(json, "LocalSecondaryIndexes");
  ConsumedCapacity capacity;
  capacity.units = UnitsOf(json);
  capacity.global_indexes = global_indexes;
  capacity.local_indexes = local_indexes;
  if (json.at_key("TableName").get(capacity.table) != simdjson::SUCCESS) capacity.table = {};
  dom::object table;
  if (json.at_key("Table").get(table) == simdjson::SUCCESS) capacity.table_units = UnitsOf(table);
  if (form == CapacityForm::kOfTransaction) AppendTransactionCapacity(out, capacity);
  else AppendCapacity(out, capacity);
}

model::ApiResult<void> AppendJsonMetrics(std::string& out, dom::object json, Arena& arena) {
  dom::element key_json;
  if (json.at_key("ItemCollectionKey").get(key_json) != simdjson::SUCCESS) return model::InternalServerError();
  ARMATURE_TRY(const model::Item key, ItemOfJson(key_json, arena));
  if (key.empty()) return model::InternalServerError();
  ItemCollectionMetrics metrics{.partition_key = key[0].value};
  dom::array range;
  if (json.at_key("SizeEstimateRangeGB").get(range) == simdjson::SUCCESS) {
    if (range.at(0).get(metrics.lower_gigabytes) != simdjson::SUCCESS) metrics.lower_gigabytes = 0;
    if (range.at(1).get(metrics.upper_gigabytes) != simdjson::SUCCESS) metrics.upper_gigabytes = 0;
  }
  AppendItemCollectionMetrics(out, metrics);
  return {};
}

}  // namespace armature::dax
