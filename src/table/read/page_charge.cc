#include "table/read/page_charge.h"

#include <algorithm>
#include <string>

#include "table/capacity.h"

namespace armature::table {

namespace {

// A new table on demand lies on AWS in four partitions, and a Scan pays at least one unit for each it goes through: an
// empty table costs 4 strongly consistent units, not 1. Our own layout does not matter here.
constexpr int kPartitionsOnDemand = 4;

int PartitionOf(const Keyspace& keyspace, std::string_view row_key) {
  if (row_key.size() <= keyspace.prefix.size() || !row_key.starts_with(keyspace.prefix)) return 0;
  const auto first_byte_of_hash = static_cast<uint8_t>(row_key[keyspace.prefix.size()]);
  return first_byte_of_hash * kPartitionsOnDemand / 256;
}

// The last that a range reaches into.
int LastPartitionOf(const Keyspace& keyspace, const storage::KeyRange& range) {
  if (!range.end.starts_with(keyspace.prefix)) return kPartitionsOnDemand - 1;
  // The end of a segment is not part of it; where it begins a partition, that one was not touched.
  const std::string_view end = std::string_view(range.end).substr(keyspace.prefix.size());
  const bool is_boundary = !end.empty() && static_cast<uint8_t>(end[0]) % (256 / kPartitionsOnDemand) == 0 &&
                           end.find_first_not_of('\0', 1) == std::string_view::npos;
  return PartitionOf(keyspace, range.end) - (is_boundary ? 1 : 0);
}

double RowUnits(size_t row_bytes) { return row_bytes == 0 ? 0 : ReadUnits(row_bytes, true); }

}  // namespace

PageCharge::PageCharge(const PageRead& page) : factor_(page.is_consistent ? 1.0 : 0.5) {
  if (!page.is_scan || page.schema->def().billing_mode != model::BillingMode::kPayPerRequest) return;
  first_partition_ = PartitionOf(*page.keyspace, page.range.begin);
  last_partition_ = LastPartitionOf(*page.keyspace, page.range);
}

void PageCharge::AddFetched(size_t item_size) { new_fetched_units_ += ReadUnits(item_size, true); }

double PageCharge::TakePortion(const PageRead& page, Meter& meter) {
  const double units = RowUnits(page.row_bytes);
  const double added = units - row_units_ + new_fetched_units_;
  row_units_ = units;
  fetched_units_ += new_fetched_units_;
  new_fetched_units_ = 0;
  if (added > 0) meter.AddRead(added * factor_);
  return added * factor_;
}

size_t PageCharge::ItemsFor(double units) const { return static_cast<size_t>(units / factor_); }
size_t PageCharge::BytesFor(double units) const { return ItemsFor(units) * kReadUnitBytes; }

int PageCharge::PartitionsScanned(const PageRead& page) const {
  int last = last_partition_;
  if (page.has_more && last_partition_ > first_partition_) {
    std::string last_key;
    AppendRowKey(*page.keyspace, page.last_key, last_key);
    last = PartitionOf(*page.keyspace, last_key);
  }
  return std::max(1, last - first_partition_ + 1);
}

double PageCharge::Finish(PageRead& page, Meter& meter) {
  const double units = std::max(row_units_, static_cast<double>(PartitionsScanned(page)));
  const double added = (units - row_units_) * factor_;
  if (added > 0) meter.AddRead(added);
  page.table_units = fetched_units_ * factor_;
  (page.index ? page.index_units : page.table_units) += units * factor_;
  return added;
}

}  // namespace armature::table
