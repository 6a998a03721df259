#include "table/partition/row_scan.h"

#include <algorithm>

#include "base/bytes.h"

namespace armature::table {

namespace {

// The lowest hash that a key at or behind this one can have. A key that ends before its hash is that of hash 0.
uint64_t FirstHashFrom(std::string_view key) {
  uint64_t hash = 0;
  const size_t offset = storage::HashOffset(static_cast<uint8_t>(key[0]));
  for (size_t i = 0; i < sizeof(hash); ++i)
    hash = hash << 8 | (offset + i < key.size() ? static_cast<uint8_t>(key[offset + i]) : 0);
  return hash;
}

}  // namespace

const Partition& RowScan::partition() {
  if (!partition_) partition_ = partitions_.Find(FirstHashFrom(range_.begin));
  return *partition_;
}

storage::ScanOp& RowScan::Prepare(size_t limit_rows, size_t limit_bytes) {
  storage::ScanOp& scan = scan_.emplace();
  scan.partition = &partition().handle();
  scan.begin = range_.begin;
  scan.end = range_.end;
  scan.is_reverse = is_reverse_;
  scan.limit_rows = limit_rows;
  scan.limit_bytes = limit_bytes;
  scan.at = at_;
  return scan;
}

void RowScan::Advance() {
  if (scan_->has_more && !scan_->rows.empty()) {
    const std::string_view last = scan_->rows.back().key;
    if (is_reverse_) {
      range_.end = last;
    } else {
      range_.begin = last;
      range_.begin.push_back('\0');
    }
    return;
  }
  const uint64_t last_hash = partition_->hashes().last;
  at_end_ = is_reverse_ || last_hash == UINT64_MAX;
  if (at_end_) return;
  std::string next = range_.begin.substr(0, storage::HashOffset(static_cast<uint8_t>(range_.begin[0])));
  AppendBigEndian(next, last_hash + 1);
  at_end_ = !range_.end.empty() && next >= range_.end;
  if (at_end_) return;
  range_.begin = std::move(next);
  partition_.reset();
}

Task<Status> RowScan::LookAgain(storage::Engine& engine) {
  const std::shared_ptr<Partition> dead = std::move(partition_);
  co_return co_await partitions_.LookAgain(engine, dead);
}

}  // namespace armature::table
