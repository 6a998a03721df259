// Deletes all rows of a range: in portions, for there may be more than one commit should hold.
//
// Not as a whole: after a failure some are gone. For rows that nobody writes meanwhile.
#pragma once

#include "base/async.h"
#include "base/result.h"
#include "storage/engine.h"

namespace armature::storage {

// Done when it is durable. The partition must live until then.
Task<Status> DeleteRows(Engine& engine, OpenPartition& partition, KeyRange range);

}  // namespace armature::storage
