#include "storage/rocksdb/rows/row_reads.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/memory/memory_reserve.h"
#include "storage/embedded_partition.h"
#include "storage/rocksdb/files/cache_only.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/scan_buffer.h"

namespace armature::storage {
namespace {
rocksdb::Slice ToSlice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

template <class Op>
const EmbeddedPartition& Of(const Op& op) {
  return *static_cast<const EmbeddedPartition*>(op.partition);
}

// What is left of a scan when `last` is the last row that it has found.
void GoOnBehind(std::string_view last, bool is_reverse, EmbeddedPartition::Stored& stored) {
  std::string key = stored.range.begin.substr(0, stored.prefix_size);
  key.append(last);
  if (is_reverse) {
    stored.range.end = std::move(key);
  } else {
    stored.range.begin = std::move(key);
    stored.range.begin.push_back('\0');
  }
  stored.is_empty = stored.range.begin >= stored.range.end;
}

}  // namespace

rocksdb::ReadOptions RowReadOptions() {
  rocksdb::ReadOptions options;
  options.ignore_range_deletions = true;
  return options;
}

bool RowGet::Run(rocksdb::DB& db, const rocksdb::ReadOptions& options) {
  GetOp& op = *op_;
  if (op.status = CheckKey(*op.partition, op.key); !op.status.ok()) return true;
  thread_local std::string key;
  const Essential inside;
  key.clear();
  Of(op).AppendStored(op.key, key);
  rocksdb::PinnableSlice value(&op.value);
  const auto status = db.Get(options, db.DefaultColumnFamily(), key, &value);
  op.found = status.ok();
  if (op.found && value.IsPinned()) op.value.assign(value.data(), value.size());
  op.status = status.IsNotFound() ? Status() : FromRocksDb(status);
  return !CacheOnly::has_refused();
}

bool RowMultiGet::Run(rocksdb::DB& db, const rocksdb::ReadOptions& options) {
  MultiGetOp& op = *op_;
  op.status = Status();
  op.entries.resize(op.keys.size());
  for (const std::string_view key : op.keys)
    if (op.status = CheckKey(*op.partition, key); !op.status.ok()) return true;
  const std::vector<size_t> positions = std::move(left_);
  left_.clear();
  const auto position = [&](size_t i) { return positions.empty() ? i : positions[i]; };
  const size_t count = positions.empty() ? op.keys.size() : positions.size();
  std::string stored;
  std::vector<size_t> ends(count);
  for (size_t i = 0; i < count; ++i) {
    Of(op).AppendStored(op.keys[position(i)], stored);
    ends[i] = stored.size();
  }
  std::vector<rocksdb::Slice> keys(count);
  for (size_t i = 0, begin = 0; i < count; begin = ends[i++]) keys[i] = {stored.data() + begin, ends[i] - begin};
  std::vector<rocksdb::PinnableSlice> values(count);
  std::vector<rocksdb::Status> statuses(count);
  {
    const Essential inside;
    db.MultiGet(options, db.DefaultColumnFamily(), count, keys.data(), values.data(), statuses.data());
  }
  for (size_t i = 0; i < count; ++i) {
    MultiGetOp::Entry& entry = op.entries[position(i)];
    entry.found = statuses[i].ok();
    if (statuses[i].ok()) entry.value.assign(values[i].data(), values[i].size());
    else if (statuses[i].IsNotFound()) continue;
    else if (CacheOnly::has_refused()) left_.push_back(position(i));
    else if (op.status.ok()) op.status = FromRocksDb(statuses[i]);
  }
  return left_.empty();
}

bool RowRangeScan::Run(rocksdb::DB& db, rocksdb::ReadOptions options) {
  ScanOp& op = *op_;
  ScanBuffer out(op, goes_on_);
  op.status = CheckScan(op);
  if (!op.status.ok()) return true;
  auto stored = Of(op).StoredRange(op.begin, op.end);
  if (goes_on_) GoOnBehind(op.rows.back().key, op.is_reverse, stored);
  if (stored.is_empty) {
    out.Finish();
    return true;
  }
  const rocksdb::Slice lower = ToSlice(stored.range.begin), upper = ToSlice(stored.range.end);
  options.iterate_lower_bound = &lower;
  options.iterate_upper_bound = &upper;
  std::unique_ptr<rocksdb::Iterator> rows;
  {
    const Essential inside;
    rows.reset(db.NewIterator(options));
    op.is_reverse ? rows->SeekToLast() : rows->SeekToFirst();
  }
  // Nothing is believed that comes behind a refusal.
  while (rows->Valid() && !CacheOnly::has_refused()) {
    const std::string_view key = rows->key().ToStringView().substr(stored.prefix_size);
    const bool is_ours = !stored.must_look || op.partition->Has(key);
    if (is_ours && !out.Add(key, rows->value().ToStringView())) break;
    const Essential inside;
    op.is_reverse ? rows->Prev() : rows->Next();
  }
  out.Finish();
  if (op.has_more || !CacheOnly::has_refused()) {
    op.status = FromRocksDb(rows->status());
    return true;
  }
  // Without a snapshot it would go on in a later state than it began in: it begins again.
  goes_on_ = options.snapshot != nullptr && !op.rows.empty();
  return false;
}

}  // namespace armature::storage
