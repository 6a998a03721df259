// JournalReader: reads the journals of tables, and keeps the cursors of those who read.
//
// Guarantees: a record that was read stays read: it is durable, and no record ever appears at a position that a reader
// has passed. Holds no state but the engine. Thread-safe. The reading half of Journal (journal.h), which says how to
// follow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/memory/arena.h"
#include "base/result.h"
#include "model/change_record.h"
#include "storage/engine.h"
#include "table/table.h"

namespace armature::table {

struct JournalPage {
  std::vector<model::ChangeRecord> records;
  Position next = 0;          // where to read on
  bool is_caught_up = false;  // there is nothing more at this moment
  bool is_done = false;       // the lane is closed and there will never be more: go on with its children
  bool was_trimmed = false;   // records from where this page was to start are gone; it starts at the oldest left

  // What the records point into, besides the arena.
  std::unique_ptr<storage::ScanOp> rows;
};

struct ReadLimits {
  size_t records = 1000;
  size_t bytes = size_t{1} << 20;  // of stored records; at least one is returned
};

class JournalReader {
 public:
  explicit JournalReader(storage::Engine& engine) : engine_(engine) {}

  // Records of a lane from `from` on (inclusive), with those of `images` that are recorded. kNotFound: no such lane.
  Task<Result<JournalPage>> Read(const Table& table, LaneId lane, Position from, ReadLimits limits,
                                 model::Images images, Arena& arena);
  // Where a reader that wants only what comes starts in a lane: behind the newest record, and no crash gives a position
  // before it to another. kNotFound: no such lane.
  Task<Result<Position>> Latest(const Table& table, LaneId lane);
  // The same at once, whether it is durable or not: to see how far behind somebody is. 0: no such lane.
  Position LatestNow(const Table& table, LaneId lane) const;
  // The same for all open lanes.
  Task<Result<std::vector<LanePosition>>> LatestOfAll(const Table& table);

  // Cursors: where a reader will read on, by lane. `reader` is any name, without NUL. They lie with the records.
  struct Cursor {
    LaneId lane = 0;
    Position next = 0;
    storage::PartitionId partition = 0;  // where it lies: told by LoadCursors, for who removes that of a forgotten lane
  };
  Task<Result<std::vector<Cursor>>> LoadCursors(const Table& table, std::string reader);
  // Durable when it returns. Lanes that are not named keep theirs; a `next` of 0 removes one.
  Task<Status> StoreCursors(const Table& table, std::string reader, std::vector<Cursor> cursors);
  Task<Status> RemoveCursors(const Table& table, std::string reader);

  // Durable when it returns. For who keeps what belongs to lanes.
  Task<Status> DeleteFromPartition(const Table& table, storage::PartitionId partition, storage::KeyRange rows);

 protected:
  ~JournalReader() = default;

  storage::Engine& engine_;

 private:
  // Behind the newest record of a partition, once that is durable.
  Task<Result<Position>> DurableEnd(const Table& table, storage::PartitionId partition);
  Task<Status> CommitToPartition(const Table& table, storage::PartitionId partition, const storage::Batch& batch);
  Task<Status> ScanPartition(const Table& table, storage::PartitionId partition, storage::ScanOp& scan);
};

// The partitions in which a journal has lanes.
std::vector<storage::PartitionId> PartitionsOf(const JournalState& state);

}  // namespace armature::table
