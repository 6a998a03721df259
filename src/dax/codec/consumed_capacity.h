// What a request has used up, and how large an item collection is, as DAX's clients read them (5.9 and 5.10 of the
// protocol). Plain data and its writers, which write whole values. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/value.h"

namespace armature::dax {

struct CapacityUnits {
  double total = 0;
  std::optional<double> read{};
  std::optional<double> write{};
};

struct IndexCapacity {
  std::string_view name;
  CapacityUnits units;
};

struct ConsumedCapacity {
  std::string_view table;
  CapacityUnits units;
  // Only if the request asked for indexes.
  std::optional<CapacityUnits> table_units{};
  std::span<const IndexCapacity> global_indexes{};
  std::span<const IndexCapacity> local_indexes{};
};

// Form A, of everything but transactions: a byte string.
void AppendCapacity(std::string& out, const ConsumedCapacity& capacity);
// Form B, of transactions: a map, which has read and write units, too.
void AppendTransactionCapacity(std::string& out, const ConsumedCapacity& capacity);

struct ItemCollectionMetrics {
  model::Value partition_key;
  double lower_gigabytes = 0;
  double upper_gigabytes = 0;
};

void AppendItemCollectionMetrics(std::string& out, const ItemCollectionMetrics& metrics);

}  // namespace armature::dax
