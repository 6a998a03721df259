#include "storage/rocksdb/rows/row_reads.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/memory/memory_reserve.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/rows/partition_records.h"
#include "storage/scan_buffer.h"

namespace armature::storage {
namespace {
rocksdb::Slice ToSlice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
}  // namespace

void ReadRow(rocksdb::DB& db, const rocksdb::ReadOptions& options, GetOp& op) {
  const Essential inside;
  rocksdb::PinnableSlice value(&op.value);
  const auto status = db.Get(options, db.DefaultColumnFamily(), ToSlice(op.key), &value);
  op.found = status.ok();
  if (op.found && value.IsPinned()) op.value.assign(value.data(), value.size());
  op.status = status.IsNotFound() ? Status() : FromRocksDb(status);
}

void ReadRows(rocksdb::DB& db, const rocksdb::ReadOptions& options, MultiGetOp& op) {
  op.status = Status();
  const size_t count = op.keys.size();
  op.entries.resize(count);
  std::vector<rocksdb::Slice> keys(count);
  for (size_t i = 0; i < count; ++i) keys[i] = ToSlice(op.keys[i]);
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
  op.status = Status();
  const std::string_view begin = std::max(op.begin, kFirstUserKey);
  if (op.end.empty() || begin < op.end) {
    const rocksdb::Slice lower = ToSlice(begin), upper = ToSlice(op.end);
    options.iterate_lower_bound = &lower;
    if (!op.end.empty()) options.iterate_upper_bound = &upper;
    std::unique_ptr<rocksdb::Iterator> rows;
    {
      const Essential inside;
      rows.reset(db.NewIterator(options));
      op.is_reverse ? rows->SeekToLast() : rows->SeekToFirst();
    }
    while (rows->Valid() && out.Add(rows->key().ToStringView(), rows->value().ToStringView())) {
      const Essential inside;
      op.is_reverse ? rows->Prev() : rows->Next();
    }
    op.status = FromRocksDb(rows->status());
  }
  out.Finish();
}

}  // namespace armature::storage
