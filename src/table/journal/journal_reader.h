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

// The partition that has this hash keeps the journal of its table.
inline constexpr uint64_t kJournalHash = 0;

class JournalReader {
 public:
  explicit JournalReader(storage::Engine& engine) : engine_(engine) {}

  // Records of a lane from `from` on (inclusive), with those of `images` that are recorded. kNotFound: no such lane.
  Task<Result<JournalPage>> Read(const Table& table, LaneId lane, Position from, ReadLimits limits,
                                 model::Images images, Arena& arena);
  // Where a reader that wants only what comes starts. A crash may give positions below it out again; whoever stores it
  // stores it behind them.
  Position Latest(const Table& table) const { return table.journal().horizon().position; }
  // The same, when no crash can: for readers outside, who may be told to start there.
  Task<Result<Position>> DurableLatest(const Table& table);

  // Cursors: where a reader will read on, by lane. `reader` is any name, without NUL.
  struct Cursor {
    LaneId lane = 0;
    Position next = 0;
  };
  Task<Result<std::vector<Cursor>>> LoadCursors(const Table& table, std::string reader);
  // Durable when it returns. Lanes that are not named keep theirs; a `next` of 0 removes one.
  Task<Status> StoreCursors(const Table& table, std::string reader, std::vector<Cursor> cursors);
  Task<Status> RemoveCursors(const Table& table, std::string reader);

 protected:
  ~JournalReader() = default;

  storage::Engine& engine_;

 private:
  Task<Status> CommitToTable(const Table& table, const storage::Batch& batch);
  Task<Status> AwaitHorizon(const Table& table, storage::Mark mark);
};

}  // namespace armature::table
