#include "table/system_records.h"

#include "storage/engine_calls.h"
#include "table/partition/partition_set.h"

namespace armature::table {

Task<Status> ReadSystemRecords(storage::Engine& engine, const storage::KeyRange& range, storage::ScanOp& scan) {
  scan.partition = &engine.system();
  scan.begin = range.begin;
  scan.end = range.end;
  scan.at.view = storage::View::kLatest;
  co_return co_await storage::Run(engine, scan);
}

Task<Status> WriteSystemRecords(storage::Engine& engine, const storage::Batch& batch) {
  const auto committed = co_await CommitPatiently(engine, engine.system(), batch);
  co_return committed ? Status::Ok() : committed.error();
}

Task<Status> WriteSystemRecordsDurably(storage::Engine& engine, const storage::Batch& batch) {
  const auto committed = co_await CommitPatiently(engine, engine.system(), batch);
  if (!committed) co_return committed.error();
  co_return co_await storage::AwaitDurable(engine, engine.system(), committed->mark);
}

}  // namespace armature::table
