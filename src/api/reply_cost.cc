#include "api/reply_cost.h"

#include <algorithm>
#include <cmath>

#include "wire/json/attribute_json.h"

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

void ConsumedCapacity::AddWrite(const table::ItemWrite& write) {
  table_units += write.table_units;
  for (const auto& charge : write.index_charges)
    AddIndex(charge.index->def->name, charge.index->def->kind, charge.write_units);
}

void ConsumedCapacity::AddPage(const table::PageRead& page) {
  table_units += page.table_units;
  if (page.index) AddIndex(page.index->def->name, page.index->def->kind, page.index_units);
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

std::vector<ConsumedCapacity> CapacityByTable(std::span<const NamedWrite> writes) {
  std::vector<ConsumedCapacity> tables;
  for (const auto& [name, write] : writes) CapacityOf(tables, name).AddWrite(*write);
  return tables;
}

// --- item collections

namespace {

// `{"ItemCollectionKey":{…},"SizeEstimateRangeGB":[lo,hi]}`. REQUIRES: the table has local indexes.
void WriteItemCollection(JsonWriter& json, const table::ItemWrite& write) {
  const std::string& hash_name = write.table->key_schema().hash.front().name;
  const model::MapEntry key{hash_name, *model::FindAttribute(write.key, hash_name)};
  // AWS gives a range a gigabyte wide that the size lies in.
  const double low = std::floor(static_cast<double>(write.collection_bytes) / (1024.0 * 1024.0 * 1024.0));
  json.BeginObject();
  json.Key("ItemCollectionKey");
  json.BeginValue();
  wire::AppendItemAsJson(model::Item(&key, 1), json.out());
  json.Key("SizeEstimateRangeGB");
  json.BeginArray();
  json.Double(low);
  json.Double(low + 1);
  json.EndArray();
  json.EndObject();
}

bool SameCollection(const NamedWrite& a, const NamedWrite& b) {
  if (a.write->table != b.write->table) return false;
  const std::string& hash = a.write->table->key_schema().hash.front().name;
  return *model::FindAttribute(a.write->key, hash) == *model::FindAttribute(b.write->key, hash);
}

}  // namespace

void WriteItemCollections(JsonWriter& json, std::span<const NamedWrite> writes) {
  // The last write of a collection knows its size after all of them.
  std::vector<NamedWrite> last;
  for (const auto& write : writes) {
    if (!write.write->table->has_local_indexes() || write.write->kind == table::ItemWrite::Kind::kCheck) continue;
    const auto same =
        std::find_if(last.begin(), last.end(), [&](const auto& other) { return SameCollection(write, other); });
    if (same == last.end()) last.push_back(write);
    else *same = write;
  }
  if (last.empty()) return;
  json.Key("ItemCollectionMetrics");
  json.BeginObject();
  std::vector<std::string_view> done;
  for (const auto& first : last) {
    if (std::find(done.begin(), done.end(), first.table_name) != done.end()) continue;
    done.push_back(first.table_name);
    json.Key(first.table_name);
    json.BeginArray();
    for (const auto& write : last)
      if (write.table_name == first.table_name) WriteItemCollection(json, *write.write);
    json.EndArray();
  }
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

}  // namespace armature::api
