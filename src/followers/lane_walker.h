// LaneWalker: how a follower goes through the journal of one table: which lanes, in which order, and how far it is.
//
// Owns the follower's way: the lanes it works on (FollowedLane), the order over them (a lane's turn comes when its
// parent is done; one without records is done when its parent is), its cursors and their durable copies (in the
// journal, by lane: docs/design/formats.md), its lag, and its end. The follower supplies what to do with records
// (Deliver), with its own rules for repeating and giving up, and the threads. Guarantees: an item's records are handed
// over in their order; a record is passed for good only when the follower has finished it and all before it in its
// lane, so a crash repeats records but loses none; a parent's end is stored no later than its child's progress, so that
// what is repeated is in order too. Must not know what becomes of a record. Not thread-safe but for RequestStop: one
// thread walks, or begins and ends lanes that others advance. Used by workers/kinesis and triggers/.
//
// Two ways to use it. All lanes in turn, by one task:
//
//   auto walked = co_await walker->Walk(limits, deliver);  // … and FollowedLane::Finished as records are dealt with
//   if (walked && walked->has_news) status = co_await walker->Checkpoint();
//
// Or side by side, a task per lane: BeginLanes now and then, FollowedLane::Advance in the tasks, EndLane for those that
// are done, Checkpoint now and then.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/result.h"
#include "followers/followed_lane.h"
#include "table/journal/journal.h"

namespace armature::followers {

// Who follows, and what of a journal is his.
struct Following {
  std::shared_ptr<table::Table> table;
  std::string reader;  // whose cursors
  model::Images images = model::kBothImages;
  // His lanes in a state, parents before children.
  std::function<std::vector<const table::Lane*>(const table::JournalState& state)> lanes;
  // Where he begins in a lane that he has no cursor for.
  std::function<table::Position(const table::Lane& lane)> start;
};

// That of somebody who was made a follower of the journal by Journal::Follow, under the same name.
Following FollowingOf(std::shared_ptr<table::Table> table, std::string name, model::Images images);

class LaneWalker {
 public:
  // Reads the cursors.
  static Task<Result<std::unique_ptr<LaneWalker>>> Open(table::Journal& journal, Following following);
  // The follower is gone: its cursors go, and the journal keeps nothing for it any more.
  static Task<Status> Remove(table::Journal& journal, std::shared_ptr<table::Table> table, std::string reader);
  ~LaneWalker() { RequestStop(); }
  LaneWalker(const LaneWalker&) = delete;
  LaneWalker& operator=(const LaneWalker&) = delete;

  // --- all lanes in turn

  struct Walked {
    bool has_news = false;     // records were taken on, or a lane is done and its children may begin
    bool was_trimmed = false;  // records were gone before they could be read
  };
  // Offers the next records of every lane whose turn it is, `limits.records` in all.
  Task<Result<Walked>> Walk(table::ReadLimits limits, const Deliver& deliver);

  // --- lanes side by side

  using Lanes = std::map<table::LaneId, std::shared_ptr<FollowedLane>>;
  // Those that are worked on, with those whose turn has come. Parents have lower ids.
  const Lanes& BeginLanes();
  const Lanes& lanes() const { return lanes_; }
  // The follower has let go of a lane: if it is done its children may begin, else its turn comes again.
  void EndLane(table::LaneId lane);

  // --- both

  // Stores the cursors that have moved. Durable when it returns.
  Task<Status> Checkpoint();
  // When the oldest record that is under way was written; 0: none is.
  int64_t oldest_millis() const;
  // In the lane that is furthest behind: how far its newest position is from what is dealt with.
  uint64_t records_behind() const;
  // Everything there is or ever will be is dealt with.
  bool is_drained() const;

  // No lane begins or advances any more. Thread-safe.
  void RequestStop() { stop_.request_stop(); }
  bool is_stopping() const { return stop_.stop_requested(); }

 private:
  LaneWalker(table::Journal& journal, Following following) : journal_(journal), following_(std::move(following)) {}

  table::Position NextIn(const table::Lane& lane) const;
  // Lanes that are not done. `has_turn`: what is before it is done.
  using Visit = std::function<void(const table::Lane& lane, bool has_turn)>;
  void ForEachUnfinished(const table::JournalState& state, const Visit& visit) const;

  table::Journal& journal_;
  const Following following_;
  std::stop_source stop_;
  Lanes lanes_;
  std::map<table::LaneId, table::Position> reached_;  // of lanes that are done, or were seen at the last checkpoint
  std::map<table::LaneId, table::Journal::Cursor> stored_;  // the cursors on disk
};

}  // namespace armature::followers
