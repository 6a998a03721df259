#include "followers/snapshot_point.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"

namespace armature::followers {

namespace {

using table::JournalState;
using table::Lane;
using table::Position;
using List = table::PartitionSet::List;

Status Changing() { return Status::Busy("the lanes of the table are changing"); }

const Lane* OpenLaneOf(const JournalState& state, storage::PartitionId partition) {
  const auto lane = std::find_if(state.lanes.begin(), state.lanes.end(),
                                 [&](const Lane& one) { return one.is_open() && one.partition == partition; });
  return lane == state.lanes.end() ? nullptr : &*lane;
}

// A split makes partitions first and lanes then.
bool HaveLanes(const JournalState& state, const List& partitions) {
  const auto open =
      std::count_if(state.lanes.begin(), state.lanes.end(), [](const Lane& lane) { return lane.is_open(); });
  return static_cast<size_t>(open) == partitions.size() &&
         std::all_of(partitions.begin(), partitions.end(),
                     [&](const auto& partition) { return OpenLaneOf(state, partition->id()); });
}

bool AreSame(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one->id() == other->id(); });
}

// Behind the newest record of a partition that the snapshot has; 0: it has none. A record is committed with what it
// tells, and a partition's commits are seen in their order: the snapshot has what is told up to here, and no more.
Task<Result<Position>> EndInSnapshot(storage::Engine& engine, const storage::OpenPartition& partition,
                                     const storage::Snapshot& snapshot) {
  const std::string begin = table::JournalRowKey(0), end = table::JournalRowKey(UINT64_MAX);
  storage::ScanOp scan;
  scan.partition = &partition;
  scan.begin = begin;
  scan.end = end;
  scan.is_reverse = true;
  scan.limit_rows = 1;
  scan.at.snapshot = &snapshot;
  if (Status status = co_await storage::Run(engine, scan); !status.ok()) co_return status;
  if (scan.rows.empty()) co_return Position{0};
  const std::string_view key = scan.rows.front().key;
  co_return ReadBigEndian<Position>(key.data() + key.size() - sizeof(Position)) + 1;
}

}  // namespace

Task<Result<SnapshotPoint>> TakeSnapshotPoint(storage::Engine& engine, std::shared_ptr<table::Table> table) {
  if (!engine.capabilities().snapshots) co_return Status::InvalidArgument("the engine has no snapshots");
  table::TableJournal& journal = table->journal();
  // For as long as it is held no lane ends or begins.
  const auto lanes_stay = co_await journal.change_latch().LockStripe(0);
  const auto before = journal.state();
  if (!before->is_followed()) co_return Status::InvalidArgument("nobody follows the table");
  const auto partitions = table->partitions().list();
  if (journal.is_changing() || !HaveLanes(*before, *partitions)) co_return Changing();

  SnapshotPoint point;
  point.snapshot = engine.TakeSnapshot();
  for (const auto& partition : *partitions) {
    const auto end = co_await EndInSnapshot(engine, partition->handle(), *point.snapshot);
    if (!end && end.error().code() == StatusCode::kFenced) {
      const Status status = co_await table->partitions().LookAgain(engine, partition);
      co_return status.ok() ? Changing() : status;
    }
    if (!end) co_return end.error();
    // What is trimmed by now was durable, and so it is in the snapshot.
    const Lane& lane = *OpenLaneOf(*before, partition->id());
    point.places.push_back({partition->id(), std::max(*end, lane.trimmed)});
  }
  // A partition that was split meanwhile may have had its newest records in the snapshot, its children theirs.
  const auto partitions_after = table->partitions().list();
  if (!AreSame(*partitions, *partitions_after)) co_return Changing();
  const auto after = journal.state();
  for (const Lane& lane : before->lanes) {
    Position next = lane.end;  // closed behind what was durable
    for (const SnapshotPoint::Place& place : point.places)
      if (lane.is_open() && place.partition == lane.partition) next = place.next;
    // Trimmed while the snapshot was taken: nobody could tell whether it has what went.
    const Lane* const now = after->FindLane(lane.id);
    if (now && now->is_open() && now->trimmed > next) co_return Changing();
    if (now) point.cursors.push_back({lane.id, next});
  }
  co_return point;
}

}  // namespace armature::followers
