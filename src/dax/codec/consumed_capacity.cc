#include "dax/codec/consumed_capacity.h"

#include "dax/codec/cbor.h"
#include "dax/codec/value_codec.h"

namespace armature::dax {

namespace {

// Members of form B.
enum Member : int64_t {
  kCapacityUnits = 1,
  kReadCapacityUnits = 2,
  kWriteCapacityUnits = 3,
  kTableName = 4,
  kTable = 5,
  kGlobalSecondaryIndexes = 6,
  kLocalSecondaryIndexes = 7
};

void AppendTotals(std::string& out, std::span<const IndexCapacity> indexes) {
  if (indexes.empty()) return AppendCborNull(out);
  AppendCborMapHead(out, indexes.size());
  for (const IndexCapacity& index : indexes) {
    AppendCborText(out, index.name);
    AppendCborDouble(out, index.units.total);
  }
}

void AppendMember(std::string& out, Member member, double units) {
  AppendCborInt(out, member);
  AppendCborDouble(out, units);
}

size_t CountOf(const CapacityUnits& units) { return 1u + units.read.has_value() + units.write.has_value(); }

void AppendUnits(std::string& out, const CapacityUnits& units) {
  AppendMember(out, kCapacityUnits, units.total);
  if (units.read) AppendMember(out, kReadCapacityUnits, *units.read);
  if (units.write) AppendMember(out, kWriteCapacityUnits, *units.write);
}

void AppendUnitsMap(std::string& out, const CapacityUnits& units) {
  AppendCborMapHead(out, CountOf(units));
  AppendUnits(out, units);
}

void AppendIndexes(std::string& out, Member member, std::span<const IndexCapacity> indexes) {
  if (indexes.empty()) return;
  AppendCborInt(out, member);
  AppendCborMapHead(out, indexes.size());
  for (const IndexCapacity& index : indexes) {
    AppendCborText(out, index.name);
    AppendUnitsMap(out, index.units);
  }
}

}  // namespace

void AppendCapacity(std::string& out, const ConsumedCapacity& capacity) {
  std::string content;
  AppendCborText(content, capacity.table);
  AppendCborDouble(content, capacity.units.total);
  if (capacity.table_units) AppendCborDouble(content, capacity.table_units->total);
  else AppendCborNull(content);
  AppendTotals(content, capacity.global_indexes);
  AppendTotals(content, capacity.local_indexes);
  AppendCborBytes(out, content);
}

void AppendTransactionCapacity(std::string& out, const ConsumedCapacity& capacity) {
  const size_t count = CountOf(capacity.units) + 1 + capacity.table_units.has_value() +
                       !capacity.global_indexes.empty() + !capacity.local_indexes.empty();
  AppendCborMapHead(out, count);
  AppendUnits(out, capacity.units);
  AppendCborInt(out, kTableName);
  AppendCborText(out, capacity.table);
  if (capacity.table_units) {
    AppendCborInt(out, kTable);
    AppendUnitsMap(out, *capacity.table_units);
  }
  AppendIndexes(out, kGlobalSecondaryIndexes, capacity.global_indexes);
  AppendIndexes(out, kLocalSecondaryIndexes, capacity.local_indexes);
}

void AppendItemCollectionMetrics(std::string& out, const ItemCollectionMetrics& metrics) {
  std::string content;
  AppendValue(content, metrics.partition_key);
  // Clients read these as floats and nothing else.
  AppendCborDouble(content, metrics.lower_gigabytes);
  AppendCborDouble(content, metrics.upper_gigabytes);
  AppendCborBytes(out, content);
}

}  // namespace armature::dax
