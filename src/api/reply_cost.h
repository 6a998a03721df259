// What a reply says of an operation's cost: ConsumedCapacity, what it used of tables and their indexes, and
// ItemCollectionMetrics, how large the collections are that it wrote to.
//
// Plain sums of what the read and write paths say their operations have cost; the JSON is written here, for all
// (docs/dynamodb.md 9.4). Used by api/.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/text/json_writer.h"
#include "model/table_def.h"
#include "table/read/page_read.h"
#include "table/write/item_write.h"
#include "wire/fields.h"

namespace armature::api {

struct ConsumedCapacity {
  std::string_view table_name;  // as the request named it
  double table_units = 0;
  struct IndexUnits {
    std::string_view name;
    model::IndexKind kind = model::IndexKind::kGlobal;
    double units = 0;
  };
  std::vector<IndexUnits> indexes;  // only those touched

  double Total() const;
  void AddIndex(std::string_view name, model::IndexKind kind, double units);
  // What a write used, whether its condition held or not.
  void AddWrite(const table::ItemWrite& write);
  void AddPage(const table::PageRead& page);
};

// The entry of a table, made if there is none yet. `table_name` is as the request has it.
ConsumedCapacity& CapacityOf(std::vector<ConsumedCapacity>& consumed, std::string_view table_name);

// Transactions also say which kind of units they used.
enum class CapacityKind { kUnnamed, kRead, kWrite };

// `"ConsumedCapacity":{…}` if the request asked for it.
void WriteConsumedCapacity(JsonWriter& json, const wire::Opt<std::string_view>& return_consumed_capacity,
                           const ConsumedCapacity& consumed);
// `"ConsumedCapacity":[…]`, one per table, likewise.
void WriteConsumedCapacities(JsonWriter& json, const wire::Opt<std::string_view>& return_consumed_capacity,
                             std::span<const ConsumedCapacity> consumed, CapacityKind kind = CapacityKind::kUnnamed);

// A write and the table name its request used.
struct NamedWrite {
  std::string_view table_name;
  const table::ItemWrite* write = nullptr;
};

// Of several writes: one entry per table, in their order.
std::vector<ConsumedCapacity> CapacityByTable(std::span<const NamedWrite> writes);

// `"ItemCollectionMetrics":{table:[…]}`: every item collection the writes touched, once; nothing if there is none.
void WriteItemCollections(JsonWriter& json, std::span<const NamedWrite> writes);

// ConsumedCapacity and ItemCollectionMetrics of a single write, where the request asked for them.
void WriteWriteMetrics(JsonWriter& json, const table::ItemWrite& write, std::string_view table_name,
                       const wire::Opt<std::string_view>& return_consumed_capacity,
                       const wire::Opt<std::string_view>& return_item_collection_metrics);

inline bool Asks(const wire::Opt<std::string_view>& parameter, std::string_view value) {
  return parameter && *parameter == value;
}

}  // namespace armature::api
