// Reading and writing the house's own records, which live in the system partition beside the tables.
//
// What a record means and under which key it is kept is its owner's business (key_layout.h has the keys); here is only
// the way to the engine and back. Once a record is written nothing here takes memory any more: whoever has made ready
// what he does afterwards does it. Thread-safe; callers order their own changes. Used by table/, workers/, triggers/,
// iam/ and server/.
#pragma once

#include "base/async.h"
#include "storage/engine.h"

namespace armature::table {

// All records of `range`, durable or not yet, in scan.rows. REQUIRES: `range` and `scan` outlive the task.
Task<Status> ReadSystemRecords(storage::Engine& engine, const storage::KeyRange& range, storage::ScanOp& scan);

// Done when others can read it. It becomes durable no later than any commit to the system partition that follows it: of
// other partitions' commits that says nothing, where each becomes durable by itself. Patient with a store that is busy,
// as the next is.
Task<Status> WriteSystemRecords(storage::Engine& engine, const storage::Batch& batch);

// Done when it is durable.
Task<Status> WriteSystemRecordsDurably(storage::Engine& engine, const storage::Batch& batch);

}  // namespace armature::table
