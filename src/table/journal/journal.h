// Journal: the ordered change log of every table that somebody follows, and who follows it.
//
// Owns the journals' stored state (lanes, streams, followers), changes it, and keeps house: lanes are renewed, hot
// and large partitions split, old records trimmed (journal_trimmer.h). Reading is JournalReader's. Records themselves
// are written by the write path with the items (lanes/table_journal.h). Guarantees: an item's records are in its order,
// in one lane or in a lane and its children; nothing is trimmed that a stream still shows or a follower has not passed,
// until it is 24 hours old, and nothing at all that a follower with Retention::kUntilPassed has not passed; what
// changes is stored first and used then, and once it is stored using it takes no memory. Thread-safe. Used by api/,
// triggers/ and workers/.
//
// How to follow: with a LaneWalker (followers/), which does this: find lanes (FindStream, or Follow and
// JournalState::LanesOf), read each from a position with Read, remember what is dealt with in a cursor (StoreCursors),
// and begin a lane when its parent is done (JournalPage::is_done). AwaitRecords saves polling.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "model/change_record.h"
#include "storage/engine.h"
#include "table/catalog.h"
#include "table/journal/journal_reader.h"
#include "table/journal/journal_trimmer.h"
#include "table/lanes/journal_bell.h"
#include "table/lanes/journal_state.h"
#include "table/lanes/lane_changes.h"
#include "table/partition/latches.h"
#include "table/partition/split_chooser.h"
#include "table/table.h"

namespace armature::table {

struct JournalOptions {
  int64_t retention_millis = int64_t{24} * 3600 * 1000;
  int64_t lane_age_millis = int64_t{4} * 3600 * 1000;  // an open lane this old is closed and goes on in one child
  SplitRules split;
};

class Journal : public JournalReader {
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

  // From now on records carry the images `name` needs and wait for its cursors. Durable; again changes images and
  // retention.
  Task<Status> Follow(std::shared_ptr<Table> table, std::string name, model::Images images, Retention retention);
  // No longer; its cursors go too.
  Task<Status> Unfollow(std::shared_ptr<Table> table, std::string name);

  // --- reading: see JournalReader, and

  // Blocks the calling thread (never a reactor) until records were written to any table since the call that returned
  // `seen`, or the time is up, or Wake was called. Returns the count to pass next.
  uint64_t AwaitRecords(uint64_t seen, std::chrono::milliseconds at_most) { return bell_.Await(seen, at_most); }
  void Wake() { bell_.Ring(); }

  // --- upkeep

  // Splits a partition of the table or of its global indexes (Catalog::SplitPartition); its lane goes on in those of
  // its children. Durable when it returns.
  Task<Status> SplitPartition(std::shared_ptr<Table> table, storage::PartitionId partition);
  // Closes a lane, which goes on in a child. Durable when it returns.
  Task<Status> RenewLane(std::shared_ptr<Table> table, LaneId lane);
  // Trims and ages lanes, splits hot partitions, and catches up with definitions. Called about once a second.
  Task<Status> KeepHouse();
  // Before closing in good order.
  Task<Status> StoreTotals();

  const JournalOptions& options() const { return options_; }

 private:
  // Changes who follows, in a copy of the state; lanes made for it have ids from state.next_lane on. False if there is
  // nothing to change.
  using Change = std::function<bool(JournalState& state, int64_t now_millis)>;
  using Renews = std::function<bool(const Lane& lane)>;

  std::vector<std::shared_ptr<Table>> AllTables() const;
  Task<Status> LoadTable(Table& table, std::string_view record);
  // Makes the lanes fit partitions and followers, once `change` is made; those that `renews` names are renewed, all if
  // it is made.
  Task<Status> ChangeState(Table& table, const Change& change, const Renews& renews);
  Task<Result<std::vector<LanePlace>>> FindPlaces(const Table& table, const JournalState& state);
  Task<Result<std::vector<LanePlace>>> FindPlacesOnce(const Table& table, const JournalState& state);
  Task<Status> StoreState(const Table& table, const JournalState& state);

  bool IsReadable(const StreamWindow& stream, int64_t now_millis) const {
    return stream.IsReadable(now_millis, options_.retention_millis);
  }
  void AddStreams(const std::shared_ptr<Table>& table, int64_t now_millis, std::vector<StreamRef>& refs) const;

  Task<Status> KeepTable(std::shared_ptr<Table> table, int64_t now_millis);
  Task<Status> SplitPartitions(std::shared_ptr<Table> table, int64_t now_millis);
  Task<Status> DropEndedPartitions(Table& table);
  Task<Status> DropEnded(PartitionSet& partitions, const std::vector<storage::PartitionId>& needed);
  Task<Status> ForgetDeletedTables(int64_t now_millis);
  void CountHeld();

  const Clock& clock_;
  Catalog& catalog_;
  const JournalOptions options_;
  JournalBell bell_;
  LatchTable change_latch_{1};  // one change of a journal's state at a time

  LatchTable upkeep_latch_{1};  // guards what follows
  JournalTrimmer trimmer_;      // and change_latch_, when it trims
  SplitChooser splits_;

  // For the metrics, which may be read after this is gone.
  struct Held {
    std::atomic<uint64_t> records{0};
    std::atomic<uint64_t> bytes{0};
    std::atomic<uint64_t> open_lanes{0};
  };
  std::shared_ptr<Held> held_ = std::make_shared<Held>();
};

}  // namespace armature::table
