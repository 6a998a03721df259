// What writes cost, and whom (docs/dynamodb.md 9.1, 9.2): asked for before anything is done, at the least it can be;
// worked out once for each, when it is known what became of it, left in it for the reply, counted by the meters of the
// partitions it was done in, and settled with the throttles of the table and its global indexes.
#include <algorithm>
#include <string>
#include <utility>

#include "table/capacity.h"
#include "table/keys/key_layout.h"
#include "table/throttle/throttle_error.h"
#include "table/write/write_path.h"

namespace armature::table {

using model::ApiError;
using model::ApiResult;

namespace {

// A fault of the house's, or one that was not let in: nobody pays for that.
bool IsFree(const ItemWrite& write) {
  return write.failure && (write.failure->http_status >= 500 || IsThrottleError(*write.failure));
}

// Of a write whose item nobody has seen yet.
double LeastUnits(const ItemWrite& write) { return WriteUnits(0, write.put_item_size); }

// Of a global index that customers' writes have to ask.
ResourceThrottle* ThrottleOf(const IndexSchema& index) {
  if (!index.is_global()) return nullptr;
  ResourceThrottle& throttle = index.partitions->throttle();
  return throttle.limits(Use::kWrite) ? &throttle : nullptr;
}

}  // namespace

// --- asking

std::optional<ApiError> WritePath::AskTable(ItemWrite& write, Use use, double table_factor) const {
  if (write.by_ttl) return std::nullopt;  // what the service does of its own is not the customer's use
  ResourceThrottle& throttle = write.table->partitions().throttle();
  Route(write);
  const double units = table_factor * (use == Use::kWrite ? LeastUnits(write) : ReadUnits(0, true));
  const Limit limit = throttle.Admit(use, units, write.partition_->ceilings(), write.admission_);
  if (limit == Limit::kNone) return std::nullopt;
  return ThrottleError(*write.table->def(), nullptr, use, limit);
}

ApiResult<void> WritePath::AdmitIndexes(const ItemWrite& write) const {
  if (write.by_ttl) return {};
  for (const IndexSchema& index : write.schema->indexes()) {
    const ResourceThrottle* const throttle = ThrottleOf(index);
    if (!throttle) continue;
    for (const auto& [exists, item] :
         {std::pair(write.old_exists, &write.old_item), std::pair(write.new_exists, &write.new_item)}) {
      if (!exists || !table::HasRow(index.keyspace, *item)) continue;
      std::string row_key;
      AppendRowKey(index.keyspace, *item, row_key);
      const auto partition = index.partitions->Find(HashOfItemKey(row_key));
      const Limit limit = throttle->Check(Use::kWrite, *partition->ceilings());
      if (limit != Limit::kNone)
        return ThrottleError(write.schema->def(), index.def, Use::kWrite, limit, write.is_transacted_);
    }
  }
  return {};
}

void WritePath::PayIndexes(ItemWrite& write) {
  if (write.by_ttl) return;
  for (const IndexCharge& charge : write.index_charges) {
    ResourceThrottle* const throttle = ThrottleOf(*charge.index);
    if (!throttle) continue;
    for (const IndexCharge::Row* row : {&charge.deleted, &charge.put}) {
      if (row->units > 0)
        write.index_admissions_.push_back(throttle->Pay(Use::kWrite, row->units, row->partition->ceilings()));
    }
  }
}

// --- what it was

// A condition that does not hold costs what the write would have cost, but for its index rows; an update that does not
// fit the item costs what it has looked at.
void WritePath::Charge(ItemWrite& write, double table_factor, bool is_done) {
  if (IsFree(write)) {
    write.admission_ = {};
    write.index_admissions_.clear();
    return;
  }
  const double units = table_factor * WriteUnits(write.old_size, write.new_size);
  double of_table = units;  // with the rows of local indexes, which have no capacity of their own
  Meter& of_item = write.partition_->meter();
  const auto count = [&](Meter& meter, double of_meter) {
    if (write.by_ttl) meter.AddBackgroundWrite(of_meter);
    else meter.AddWrite(of_meter);
  };
  count(of_item, units);
  if (!write.by_ttl) write.table_units = units;
  for (IndexCharge& charge : write.index_charges) {
    for (const IndexCharge::Row* row : {&charge.deleted, &charge.put}) {
      if (!is_done || row->units <= 0) continue;
      count(row->partition ? row->partition->meter() : of_item, row->units);
      if (!row->partition) of_table += row->units;
    }
    if (!is_done || write.by_ttl) charge.write_units = 0;
  }
  write.admission_.Settle(of_table);
  if (!is_done) return;
  for (Admission& of_index : write.index_admissions_) of_index.Keep();
}

// One that is cancelled has looked at its items, but not written to any index.
void WritePath::ChargeTransaction(std::span<ItemWrite> writes, bool is_done) {
  if (std::any_of(writes.begin(), writes.end(), IsFree)) return;
  for (ItemWrite& write : writes) Charge(write, kTransactionFactor, is_done);
}

void WritePath::ChargeReads(std::span<ItemWrite> reads) {
  for (ItemWrite& read : reads) {
    read.table_units = kTransactionFactor * ReadUnits(read.old_size, /*is_consistent=*/true);
    read.partition_->meter().AddRead(read.table_units);
    read.admission_.Settle(read.table_units);
  }
}

}  // namespace armature::table
