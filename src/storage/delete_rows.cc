#include "storage/delete_rows.h"

#include <string>

#include "storage/batch.h"
#include "storage/engine_calls.h"

namespace armature::storage {
namespace {
constexpr size_t kRowsPerCommit = 1000;
constexpr size_t kBytesPerCommit = 1 << 20;
}  // namespace

Task<Status> DeleteRows(Engine& engine, OpenPartition& partition, KeyRange range) {
  Mark last = 0;
  for (bool has_more = true; has_more;) {
    ScanOp scan;
    scan.partition = &partition, scan.begin = range.begin, scan.end = range.end;
    scan.limit_rows = kRowsPerCommit, scan.limit_bytes = kBytesPerCommit, scan.at.view = View::kLatest;
    if (Status status = co_await Run(engine, scan); !status.ok()) co_return status;
    if (scan.rows.empty()) break;
    Batch batch;
    for (const auto& row : scan.rows) batch.Delete(row.key);
    const auto committed = co_await CommitBatch(engine, partition, batch);
    if (!committed) co_return committed.error();
    last = committed->mark;
    has_more = scan.has_more;
    // Not from the range's begin again: each deleted row would be passed by every later portion.
    range.begin = scan.rows.back().key;
    range.begin.push_back('\0');
  }
  if (last == 0) co_return Status::Ok();
  co_return co_await AwaitDurable(engine, partition, last);
}

}  // namespace armature::storage
