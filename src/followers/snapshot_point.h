// SnapshotPoint: a snapshot of a table that knows its place in the table's journal.
//
// For whoever needs all of a table and then every change of it, such as an export, a replica or a backfill: the items
// of the snapshot, and the records from the point on, are the table, with no change missing and none there twice.
// Nobody who writes is held up by the taking. A capability of engines that have snapshots (storage/engine.h).
//
//   co_await journal.Follow(table, name, model::kBothImages, Retention::kUntilPassed);
//   auto point = co_await TakeSnapshotPoint(engine, table);
//   co_await journal.StoreCursors(*table, name, point->cursors);
//   // … read the items at ReadAt{.snapshot = point->snapshot.get()}, then walk (lane_walker.h)
#pragma once

#include <memory>
#include <vector>

#include "base/async.h"
#include "base/result.h"
#include "storage/engine.h"
#include "table/journal/journal.h"
#include "table/table.h"

namespace armature::followers {

struct SnapshotPoint {
  struct Place {
    storage::PartitionId partition = 0;
    table::Position next = 0;  // the snapshot has all that is recorded below, and nothing of what is from here on
  };

  std::shared_ptr<const storage::Snapshot> snapshot;
  std::vector<Place> places;                    // of every partition the table has
  std::vector<table::Journal::Cursor> cursors;  // the same by lane, those that are closed included: where to read on
};

// kBusy: partitions or lanes are changing, so try again a little later; kInvalidArgument: nobody follows the table, so
// there is no journal to have a place in, or the engine has no snapshots.
Task<Result<SnapshotPoint>> TakeSnapshotPoint(storage::Engine& engine, std::shared_ptr<table::Table> table);

}  // namespace armature::followers
