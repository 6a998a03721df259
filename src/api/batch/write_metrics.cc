#include "api/batch/write_metrics.h"

#include <algorithm>

#include "api/item/item_reply.h"

namespace armature::api {

std::vector<ConsumedCapacity> CapacityByTable(std::span<const NamedWrite> writes, double table_factor) {
  std::vector<ConsumedCapacity> tables;
  for (const auto& [name, write] : writes) CapacityOf(tables, name).AddWrite(*write, table_factor);
  return tables;
}

namespace {

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

}  // namespace armature::api
