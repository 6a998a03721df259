#include "table/system_records.h"

#include "table/keys/key_layout.h"

namespace armature::table {

namespace {

Task<void> Commit(storage::Engine& engine, const storage::Batch& batch, storage::CommitOp& commit) {
  commit.partition = storage::kSystemPartition;
  commit.epoch = kSystemEpoch;
  commit.batch = &batch;
  engine.Commit(commit);
  co_await commit.done;
}

}  // namespace

Task<Status> ReadSystemRecords(storage::Engine& engine, const storage::KeyRange& range, storage::ScanOp& scan) {
  scan.partition = storage::kSystemPartition;
  scan.begin = range.begin;
  scan.end = range.end;
  scan.at.view = storage::View::kLatest;
  engine.Scan(scan);
  co_await scan.done;
  co_return scan.status;
}

Task<Status> WriteSystemRecords(storage::Engine& engine, const storage::Batch& batch) {
  storage::CommitOp commit;
  co_await Commit(engine, batch, commit);
  co_return commit.status;
}

Task<Status> WriteSystemRecordsDurably(storage::Engine& engine, const storage::Batch& batch) {
  storage::CommitOp commit;
  co_await Commit(engine, batch, commit);
  if (!commit.status.ok()) co_return commit.status;
  storage::DurableOp durable;
  durable.sequence = commit.sequence;
  engine.WhenDurable(durable);
  co_await durable.done;
  co_return durable.status;
}

}  // namespace armature::table
