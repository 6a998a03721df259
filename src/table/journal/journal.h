// Journal: the ordered change log of every table that somebody follows, and who follows it.
//
// Owns the journals' stored state (lanes, streams, followers), the readers' cursors, trimming and the splitting of
// lanes. Records themselves are written by the write path with the items (table_journal.h). Guarantees: a record that
// was read stays read: it is durable, and no record ever appears at a position that a reader has passed; an item's
// records are in its order, in one lane or in a lane and its children; nothing is trimmed that a stream still shows or
// a follower has not passed, until it is 24 hours old. Thread-safe. Used by api/, triggers/ and workers/.
//
// How to follow: find lanes (FindStream, or Follow and JournalState::LanesOf), read each from a position with Read,
// remember JournalPage::next in a cursor (StoreCursors), and begin a lane when its parent is done
// (JournalPage::is_done) and its own first position is known. AwaitRecords saves polling.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/async.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "model/change_record.h"
#include "storage/engine.h"
#include "table/catalog.h"
#include "table/lanes/journal_bell.h"
#include "table/lanes/journal_state.h"
#include "table/latches.h"
#include "table/table.h"

namespace armature::table {

struct JournalOptions {
  int64_t retention_millis = int64_t{24} * 3600 * 1000;
  int64_t lane_age_millis = int64_t{4} * 3600 * 1000;  // an open lane this old is closed and goes on in one child
  uint64_t split_records_per_second = 10'000;          // a lane this busy goes on in two children …
  int split_seconds = 10;                              // … if it is so for that long: a burst is no reason
  size_t max_open_lanes = 16;                          // of a table; no lane is split beyond
};

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

class Journal {
 public:
  Journal(storage::Engine& engine, const Clock& clock, Catalog& catalog, Metrics& metrics, JournalOptions options = {});

  // After the catalogue's: takes up every stored journal.
  Task<Status> Load();

  // --- streams

  // Opens or closes the table's stream so that it is as the table's definition says. Durable when it returns; writes
  // that begin afterwards are recorded. After every change of a definition's stream; nothing if all is as it should be.
  Task<Status> FollowDefinition(std::shared_ptr<Table> table);

  struct StreamRef {
    std::shared_ptr<Table> table;
    std::shared_ptr<const JournalState> state;
    const StreamWindow* stream = nullptr;  // in `state`
  };
  // By "arn:aws:dynamodb:<region>:<account>:table/<name>/stream/<label>", disabled ones too while they are readable,
  // and those of deleted tables.
  std::optional<StreamRef> FindStream(std::string_view stream_arn) const;
  // Every readable stream of an account and Region, in the order of their ARNs; of one table, if `table_name` is not
  // empty.
  std::vector<StreamRef> ListStreams(TableScope scope, std::string_view table_name) const;

  // --- other followers

  // From now on records carry the images `name` needs and wait for its cursors. Durable; again changes the images.
  Task<Status> Follow(std::shared_ptr<Table> table, std::string name, model::Images images);
  // No longer; its cursors go too.
  Task<Status> Unfollow(std::shared_ptr<Table> table, std::string name);

  // --- reading

  // Records of a lane from `from` on (inclusive), with those of `images` that are recorded. kNotFound: no such lane.
  Task<Result<JournalPage>> Read(const Table& table, LaneId lane, Position from, ReadLimits limits,
                                 model::Images images, Arena& arena);
  // Where a reader that wants only what comes starts. A crash may give positions below it out again; whoever stores it
  // stores it behind them.
  Position Latest(const Table& table) const;
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

  // Blocks the calling thread (never a reactor) until records were written to any table since the call that returned
  // `seen`, or the time is up, or Wake was called. Returns the count to pass next.
  uint64_t AwaitRecords(uint64_t seen, std::chrono::milliseconds at_most) { return bell_.Await(seen, at_most); }
  void Wake() { bell_.Ring(); }

  // --- upkeep

  // Closes a lane; it goes on in one child or, split, in two. Durable when it returns.
  Task<Status> SplitLane(std::shared_ptr<Table> table, LaneId lane, bool into_two);
  // Trims, ages and splits lanes, and catches up with definitions. Called about once a second.
  Task<Status> KeepHouse();
  // Before closing in good order.
  Task<Status> StoreTotals();

  const JournalOptions& options() const { return options_; }

 private:
  // Changes a copy of the state as of position `from`; false if there is nothing to change.
  using Change = std::function<bool(JournalState& state, Position from, int64_t now_millis)>;

  std::vector<std::shared_ptr<Table>> AllTables() const;
  Task<Status> LoadTable(Table& table, std::string_view record);
  Task<Result<Position>> LastPosition(const Table& table, LaneId lane);
  Task<Status> SwitchLanes(Table& table, const Change& change);
  Task<Status> CommitParts(std::vector<storage::CommitManyOp::Part> parts);
  Task<Status> StoreState(const Table& table, const JournalState& state);
  Task<Status> CommitToTable(const Table& table, const storage::Batch& batch);
  Task<Status> AwaitDurable(storage::Sequence sequence);

  bool IsReadable(const StreamWindow& stream, int64_t now_millis) const;
  void AddStreams(const std::shared_ptr<Table>& table, int64_t now_millis, std::vector<StreamRef>& refs) const;

  Task<Status> KeepTable(std::shared_ptr<Table> table, int64_t now_millis);
  Task<Status> RenewLanes(std::shared_ptr<Table> table, int64_t now_millis);
  Task<Status> Trim(Table& table, int64_t now_millis);
  Task<Result<Position>> SlowestFollower(const Table& table, const JournalState& state, const Lane& lane);
  void CountHeld();

  storage::Engine& engine_;
  const Clock& clock_;
  Catalog& catalog_;
  const JournalOptions options_;
  JournalBell bell_;
  LatchTable change_latch_{1};  // one change of a journal's state at a time

  LatchTable upkeep_latch_{1};  // guards what follows
  int64_t last_upkeep_millis_ = 0;
  struct LaneUpkeep {
    int hot_for_seconds = 0;
    Position swept = 0;  // rows below are deleted
  };
  std::map<std::pair<uint64_t, LaneId>, LaneUpkeep> lanes_;  // by table and lane
  std::map<uint64_t, int64_t> followers_checked_millis_;     // by table: when cursors were last looked at

  // For the metrics, which may be read after this is gone.
  struct Held {
    std::atomic<uint64_t> records{0};
    std::atomic<uint64_t> bytes{0};
    std::atomic<uint64_t> open_lanes{0};
  };
  std::shared_ptr<Held> held_ = std::make_shared<Held>();
  Counter& trimmed_counter_;
};

}  // namespace armature::table
