#include "api/consumed_capacity.h"

#include <algorithm>

#include "table/capacity.h"

namespace armature::api {

using model::IndexKind;

double ConsumedCapacity::Total() const {
  double total = table_units;
  for (const auto& index : indexes) total += index.units;
  return total;
}

void ConsumedCapacity::AddIndex(std::string_view name, IndexKind kind, double units) {
  for (auto& index : indexes) {
    if (index.name == name) {
      index.units += units;
      return;
    }
  }
  indexes.push_back({name, kind, units});
}

void ConsumedCapacity::AddWrite(const table::ItemWrite& write, double table_factor) {
  table_units += table_factor * table::WriteUnits(write.old_size, write.new_size);
  for (const auto& charge : write.index_charges)
    AddIndex(charge.index->def->name, charge.index->def->kind, charge.write_units);
}

ConsumedCapacity& CapacityOf(std::vector<ConsumedCapacity>& consumed, std::string_view table_name) {
  const auto table = std::find_if(consumed.begin(), consumed.end(),
                                  [&](const ConsumedCapacity& entry) { return entry.table_name == table_name; });
  if (table != consumed.end()) return *table;
  consumed.emplace_back();
  consumed.back().table_name = table_name;
  return consumed.back();
}

namespace {

void WriteUnits(JsonWriter& json, double units, CapacityKind kind) {
  if (kind == CapacityKind::kRead) json.MemberDouble("ReadCapacityUnits", units);
  if (kind == CapacityKind::kWrite) json.MemberDouble("WriteCapacityUnits", units);
  json.MemberDouble("CapacityUnits", units);
}

void WriteIndexes(JsonWriter& json, const ConsumedCapacity& consumed, IndexKind index_kind, std::string_view member,
                  CapacityKind kind) {
  const auto is_kind = [&](const auto& index) { return index.kind == index_kind; };
  if (std::none_of(consumed.indexes.begin(), consumed.indexes.end(), is_kind)) return;
  json.Key(member);
  json.BeginObject();
  for (const auto& index : consumed.indexes) {
    if (!is_kind(index)) continue;
    json.Key(index.name);
    json.BeginObject();
    WriteUnits(json, index.units, kind);
    json.EndObject();
  }
  json.EndObject();
}

void WriteObject(JsonWriter& json, const ConsumedCapacity& consumed, bool with_indexes, CapacityKind kind) {
  json.BeginObject();
  json.Member("TableName", consumed.table_name);
  WriteUnits(json, consumed.Total(), kind);
  if (with_indexes) {
    json.Key("Table");
    json.BeginObject();
    WriteUnits(json, consumed.table_units, kind);
    json.EndObject();
    WriteIndexes(json, consumed, IndexKind::kLocal, "LocalSecondaryIndexes", kind);
    WriteIndexes(json, consumed, IndexKind::kGlobal, "GlobalSecondaryIndexes", kind);
  }
  json.EndObject();
}

}  // namespace

void WriteConsumedCapacity(JsonWriter& json, const wire::Opt<std::string_view>& return_consumed_capacity,
                           const ConsumedCapacity& consumed) {
  const bool with_indexes = Asks(return_consumed_capacity, "INDEXES");
  if (!with_indexes && !Asks(return_consumed_capacity, "TOTAL")) return;
  json.Key("ConsumedCapacity");
  WriteObject(json, consumed, with_indexes, CapacityKind::kUnnamed);
}

void WriteConsumedCapacities(JsonWriter& json, const wire::Opt<std::string_view>& return_consumed_capacity,
                             std::span<const ConsumedCapacity> consumed, CapacityKind kind) {
  const bool with_indexes = Asks(return_consumed_capacity, "INDEXES");
  if (!with_indexes && !Asks(return_consumed_capacity, "TOTAL")) return;
  json.Key("ConsumedCapacity");
  json.BeginArray();
  for (const auto& table : consumed) WriteObject(json, table, with_indexes, kind);
  json.EndArray();
}

}  // namespace armature::api
