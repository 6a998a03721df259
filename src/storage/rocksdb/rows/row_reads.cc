#include "storage/rocksdb/rows/row_reads.h"

#include <memory>
#include <string>
#include <vector>

#include "base/memory/memory_reserve.h"
#include "storage/embedded_partition.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/scan_buffer.h"

namespace armature::storage {
namespace {
rocksdb::Slice ToSlice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

template <class Op>
const EmbeddedPartition& Of(const Op& op) {
  return *static_cast<const EmbeddedPartition*>(op.partition);
}
}  // namespace

rocksdb::ReadOptions RowReadOptions() {
  rocksdb::ReadOptions options;
  options.ignore_range_deletions = true;
  return options;
}

void ReadRow(rocksdb::DB& db, const rocksdb::ReadOptions& options, GetOp& op) {
  if (op.status = CheckKey(*op.partition, op.key); !op.status.ok()) return;
  thread_local std::string key;
  const Essential inside;
  key.clear();
  Of(op).AppendStored(op.key, key);
  rocksdb::PinnableSlice value(&op.value);
  const auto status = db.Get(options, db.DefaultColumnFamily(), key, &value);
  op.found = status.ok();
  if (op.found && value.IsPinned()) op.value.assign(value.data(), value.size());
  op.status = status.IsNotFound() ? Status() : FromRocksDb(status);
}

void ReadRows(rocksdb::DB& db, const rocksdb::ReadOptions& options, MultiGetOp& op) {
  op.status = Status();
  const size_t count = op.keys.size();
  op.entries.resize(count);
  for (const std::string_view key : op.keys)
    if (op.status = CheckKey(*op.partition, key); !op.status.ok()) return;
  std::string stored;
  std::vector<size_t> ends(count);
  for (size_t i = 0; i < count; ++i) {
    Of(op).AppendStored(op.keys[i], stored);
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
    op.entries[i].found = statuses[i].ok();
    if (statuses[i].ok()) op.entries[i].value.assign(values[i].data(), values[i].size());
    else if (!statuses[i].IsNotFound() && op.status.ok()) op.status = FromRocksDb(statuses[i]);
  }
}

void ScanRows(rocksdb::DB& db, rocksdb::ReadOptions options, ScanOp& op) {
  ScanBuffer out(op);
  op.status = CheckScan(op);
  if (!op.status.ok()) return out.Finish();
  const auto stored = Of(op).StoredRange(op.begin, op.end);
  if (stored.is_empty) return out.Finish();
  const rocksdb::Slice lower = ToSlice(stored.range.begin), upper = ToSlice(stored.range.end);
  options.iterate_lower_bound = &lower;
  options.iterate_upper_bound = &upper;
  std::unique_ptr<rocksdb::Iterator> rows;
  {
    const Essential inside;
    rows.reset(db.NewIterator(options));
    op.is_reverse ? rows->SeekToLast() : rows->SeekToFirst();
  }
  while (rows->Valid()) {
    const std::string_view key = rows->key().ToStringView().substr(stored.prefix_size);
    const bool is_ours = !stored.must_look || op.partition->Has(key);
    if (is_ours && !out.Add(key, rows->value().ToStringView())) break;
    const Essential inside;
    op.is_reverse ? rows->Prev() : rows->Next();
  }
  op.status = FromRocksDb(rows->status());
  out.Finish();
}

}  // namespace armature::storage
