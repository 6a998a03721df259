// What several writes used, table by table: for the replies of batches and transactions.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/consumed_capacity.h"
#include "base/text/json_writer.h"
#include "table/write/item_write.h"

namespace armature::api {

// A write and the table name its request used.
struct NamedWrite {
  std::string_view table_name;
  const table::ItemWrite* write = nullptr;
};

// One entry per table, in the order of the writes.
std::vector<ConsumedCapacity> CapacityByTable(std::span<const NamedWrite> writes, double table_factor);

// `"ItemCollectionMetrics":{table:[…]}`: every item collection the writes touched, once; nothing if there is none.
void WriteItemCollections(JsonWriter& json, std::span<const NamedWrite> writes);

}  // namespace armature::api
