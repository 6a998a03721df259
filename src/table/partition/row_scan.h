// RowScan: rows of a keyspace in the order of their keys, portion by portion, from whichever partitions have them.
//
//   RowScan rows(table.partitions(), range, storage::View::kLatest);
//   while (!rows.at_end()) {
//     storage::ScanOp& scan = rows.Prepare(limit_rows, limit_bytes);
//     Status status = co_await storage::Run(engine, scan);
//     if (status.code() == StatusCode::kFenced) status = co_await rows.LookAgain(engine);
//     else if (status.ok()) … use scan.rows, then rows.Advance();
//     if (!status.ok()) co_return status;
//   }
//
// A portion may be empty although there is more. Not thread-safe; belongs to one request.
#pragma once

#include <memory>
#include <optional>

#include "base/async.h"
#include "storage/engine.h"
#include "table/partition/partition_set.h"

namespace armature::table {

class RowScan {
 public:
  // REQUIRES: `range` is of one space; backwards it is of one hash.
  RowScan(const PartitionSet& partitions, storage::KeyRange range, storage::ReadAt at, bool is_reverse = false)
      : partitions_(partitions), range_(std::move(range)), at_(at), is_reverse_(is_reverse) {}

  bool at_end() const { return at_end_; }
  // What is left.
  const storage::KeyRange& range() const { return range_; }
  // That of the last portion; before the first, the one it will be read from.
  const Partition& partition();

  // The next portion, to be run. Keeps its partition alive until the next call.
  storage::ScanOp& Prepare(size_t limit_rows, size_t limit_bytes);
  // Behind the rows of the portion.
  void Advance();
  // The portion was refused with kFenced: if this is ok, it is to be prepared again.
  Task<Status> LookAgain(storage::Engine& engine);

 private:
  const PartitionSet& partitions_;
  storage::KeyRange range_;
  const storage::ReadAt at_;
  const bool is_reverse_;
  bool at_end_ = false;
  std::shared_ptr<Partition> partition_;
  std::optional<storage::ScanOp> scan_;
};

}  // namespace armature::table
