// JournalState: what a table's journal is made of — lanes, streams, followers — apart from the records.
//
// Immutable once published (a change makes a new copy); stored as versioned JSON under JournalStateKey in the system
// partition, member by member in docs/design/formats.md. Lanes and streams are in the order they were made. Plain data,
// used by table/journal, api/streams, triggers/ and workers/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/change_record.h"
#include "storage/partition.h"

namespace armature::table {

// A position is the number of a commit in its partition (storage/partition.h); a stream shows it as a SequenceNumber
// (model/sequence_number.h). A lane is the records of a partition from one position to another; a stream shows it as a
// shard.
using LaneId = uint64_t;
using Position = storage::Sequence;

// "shardId-" 20 digits "-" 8 hex digits; unique within a table, and in the order of the lanes.
std::string ShardId(LaneId lane, int64_t created_millis);

// Closed lanes get no more records; their children go on from `end`, in the same partition or in those it became.
struct Lane {
  LaneId id = 0;
  LaneId parent = 0;  // 0: none
  storage::PartitionId partition = 0;
  storage::HashRange hashes;
  Position first = 0;
  Position end = 0;      // exclusive; 0: open
  Position trimmed = 0;  // records below are gone; never below `first`
  int64_t created_millis = 0;
  int64_t closed_millis = 0;

  bool is_open() const { return end == 0; }
  std::string shard_id() const { return ShardId(id, created_millis); }
};

// One stream of the table: a window of lanes.
struct StreamWindow {
  std::string label;
  model::Images images = model::kNoImages;
  int64_t created_millis = 0;
  LaneId first_lane = 0;
  LaneId end_lane = 0;          // exclusive; 0: enabled
  int64_t disabled_millis = 0;  // readable until 24 hours later

  bool is_enabled() const { return end_lane == 0; }
  bool IsReadable(int64_t now_millis, int64_t retention_millis) const {
    return is_enabled() || now_millis < disabled_millis + retention_millis;
  }
  bool Shows(const Lane& lane) const { return lane.id >= first_lane && (end_lane == 0 || lane.id < end_lane); }
};

// How long records wait for a follower that has not passed them.
enum class Retention {
  kAtMostADay,   // no longer than a stream shows them: AWS's rule
  kUntilPassed,  // for as long as it takes: for one who must have them all
};

// Somebody besides the streams who needs records, such as a Kinesis destination.
struct Follower {
  std::string name;
  model::Images images = model::kBothImages;
  LaneId first_lane = 0;  // follows from here on
  Retention retention = Retention::kAtMostADay;

  bool Follows(const Lane& lane) const { return lane.id >= first_lane; }
};

struct LanePosition {
  LaneId lane = 0;
  Position position = 0;
};

// How far the open lanes had come at a time: what is before was written by then. Totals since the journal began.
struct JournalMark {
  int64_t millis = 0;
  uint64_t records = 0;
  uint64_t bytes = 0;
  std::vector<LanePosition> positions;

  // 0: it is not told of that lane.
  Position PositionIn(LaneId lane) const;
};

struct JournalState {
  LaneId next_lane = 1;
  std::vector<Lane> lanes;
  std::vector<StreamWindow> streams;
  std::vector<Follower> followers;
  std::vector<JournalMark> marks;
  uint64_t trimmed_records = 0;  // of all that were written
  uint64_t trimmed_bytes = 0;

  const Lane* FindLane(LaneId id) const;
  const Lane* FindShard(std::string_view shard_id) const;
  const StreamWindow* FindStream(std::string_view label) const;
  const Follower* FindFollower(std::string_view name) const;
  // The lanes of a stream, or those a follower must read, parents before children.
  std::vector<const Lane*> LanesOf(const StreamWindow& stream) const;
  std::vector<const Lane*> LanesOf(const Follower& follower) const;
  std::vector<const Lane*> ChildrenOf(LaneId lane) const;
  // Of all records that were written, how many the last mark knows.
  uint64_t marked_records() const { return marks.empty() ? trimmed_records : marks.back().records; }
  bool is_followed() const;      // somebody wants new records
  model::Images images() const;  // what all who follow need together
};

inline constexpr int kJournalStateVersion = 1;
std::string EncodeJournalState(const JournalState& state);
Result<JournalState> DecodeJournalState(std::string_view record);

}  // namespace armature::table
