// What writes cost, and whom (docs/dynamodb.md 9.1, 9.2): worked out once for each, when it is known what became of it,
// left in it for the reply, and counted by the meters of the partitions it was done in.
#include <algorithm>

#include "table/capacity.h"
#include "table/write/write_path.h"

namespace armature::table {

namespace {

// A fault of the house's: nobody pays for that.
bool HasFailedForUs(const ItemWrite& write) { return write.failure && write.failure->http_status >= 500; }

}  // namespace

// A condition that does not hold costs what the write would have cost, but for its index rows; an update that does not
// fit the item costs what it has looked at.
void WritePath::Charge(ItemWrite& write, double table_factor, bool is_done) {
  if (HasFailedForUs(write)) return;
  const double units = table_factor * WriteUnits(write.old_size, write.new_size);
  Meter& of_item = write.partition_->meter();
  const auto count = [&](Meter& meter, double of_meter) {
    if (write.by_ttl) meter.AddBackgroundWrite(of_meter);
    else meter.AddWrite(of_meter);
  };
  count(of_item, units);
  if (!write.by_ttl) write.table_units = units;
  for (IndexCharge& charge : write.index_charges) {
    for (const IndexCharge::Row* row : {&charge.deleted, &charge.put})
      if (is_done && row->units > 0) count(row->partition ? row->partition->meter() : of_item, row->units);
    if (!is_done || write.by_ttl) charge.write_units = 0;
  }
}

// One that is cancelled has looked at its items, but not written to any index.
void WritePath::ChargeTransaction(std::span<ItemWrite> writes, bool is_done) {
  if (std::any_of(writes.begin(), writes.end(), HasFailedForUs)) return;
  for (ItemWrite& write : writes) Charge(write, kTransactionFactor, is_done);
}

void WritePath::ChargeReads(std::span<ItemWrite> reads) {
  for (ItemWrite& read : reads) {
    read.table_units = kTransactionFactor * ReadUnits(read.old_size, /*is_consistent=*/true);
    read.partition_->meter().AddRead(read.table_units);
  }
}

}  // namespace armature::table
