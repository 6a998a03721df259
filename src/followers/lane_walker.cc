#include "followers/lane_walker.h"

#include <algorithm>
#include <set>
#include <utility>

namespace armature::followers {

using table::Lane;
using table::LaneId;
using table::Position;

Following FollowingOf(std::shared_ptr<table::Table> table, std::string name, model::Images images) {
  const auto lanes = [name](const table::JournalState& state) {
    const table::Follower* const follower = state.FindFollower(name);
    return follower ? state.LanesOf(*follower) : std::vector<const Lane*>();
  };
  return {std::move(table), std::move(name), images, lanes, [](const Lane& lane) { return lane.first; }};
}

Task<Result<std::unique_ptr<LaneWalker>>> LaneWalker::Open(table::Journal& journal, Following following) {
  std::unique_ptr<LaneWalker> walker(new LaneWalker(journal, std::move(following)));
  auto cursors = co_await journal.LoadCursors(*walker->following_.table, walker->following_.reader);
  if (!cursors) co_return cursors.error();
  for (const auto& cursor : *cursors) {
    walker->stored_[cursor.lane] = cursor;
    walker->reached_[cursor.lane] = cursor.next;
  }
  co_return std::move(walker);
}

Task<Status> LaneWalker::Remove(table::Journal& journal, std::shared_ptr<table::Table> table, std::string reader) {
  const auto state = table->journal().state();
  if (state->FindFollower(reader)) co_return co_await journal.Unfollow(table, reader);
  co_return co_await journal.RemoveCursors(*table, reader);
}

// --- order

Position LaneWalker::NextIn(const Lane& lane) const {
  if (const auto at_work = lanes_.find(lane.id); at_work != lanes_.end()) return at_work->second->view().next;
  const auto reached = reached_.find(lane.id);
  return reached != reached_.end() ? reached->second : following_.start(lane);
}

// A parent that is not among the follower's lanes is over: it was trimmed, or it is of a time that is none of his.
void LaneWalker::ForEachUnfinished(const table::JournalState& state, const Visit& visit) const {
  std::set<LaneId> unfinished;
  for (const Lane* lane : following_.lanes(state)) {
    // An item's older records are still in the parent. That goes for a lane without records too: its children wait.
    const bool must_wait = unfinished.contains(lane->parent);
    if (!must_wait && !lane->is_open() && NextIn(*lane) >= lane->end) continue;
    unfinished.insert(lane->id);
    visit(*lane, !must_wait);
  }
}

const LaneWalker::Lanes& LaneWalker::BeginLanes() {
  if (is_stopping()) return lanes_;
  const auto state = following_.table->journal().state();
  std::vector<std::shared_ptr<FollowedLane>> begun;
  ForEachUnfinished(*state, [&](const Lane& lane, bool has_turn) {
    if (!has_turn || lanes_.contains(lane.id)) return;
    begun.push_back(std::make_shared<FollowedLane>(journal_, following_.table, following_.images, lane, NextIn(lane),
                                                   stop_.get_token()));
  });
  for (auto& lane : begun) lanes_.emplace(lane->id(), lane);
  return lanes_;
}

void LaneWalker::EndLane(LaneId id) {
  const auto found = lanes_.find(id);
  if (found == lanes_.end()) return;
  const FollowedLane::View view = found->second->view();
  const auto state = following_.table->journal().state();
  const Lane* const lane = state->FindLane(id);
  reached_[id] = view.is_done && lane ? std::max(view.next, lane->end) : view.next;
  lanes_.erase(found);
}

bool LaneWalker::is_drained() const {
  const auto state = following_.table->journal().state();
  bool is_drained = lanes_.empty();
  ForEachUnfinished(*state, [&](const Lane&, bool) { is_drained = false; });
  return is_drained;
}

Task<Result<LaneWalker::Walked>> LaneWalker::Walk(table::ReadLimits limits, const Deliver& deliver) {
  Walked walked;
  std::vector<LaneId> done;
  for (const auto& [id, lane] : lanes_)
    if (lane->view().is_done) done.push_back(id);
  for (const LaneId id : done) EndLane(id);
  for (const auto& [id, lane] : BeginLanes()) {
    if (limits.records == 0) break;
    const auto advanced = co_await lane->Advance(limits, deliver);
    if (!advanced) co_return advanced.error();
    limits.records -= std::min(limits.records, advanced->taken);
    walked.has_news |= advanced->taken > 0 || lane->view().is_done;
    walked.was_trimmed |= advanced->was_trimmed;
  }
  co_return walked;
}

// --- how far it is

Task<Status> LaneWalker::Checkpoint() {
  for (const auto& [id, lane] : lanes_) {
    Position& reached = reached_[id];
    reached = std::max(reached, lane->view().next);
  }
  const auto state = following_.table->journal().state();
  std::vector<table::Journal::Cursor> moved;
  // Of a lane that was trimmed nothing is to be known any more.
  const auto is_gone = [&](LaneId id) { return !state->FindLane(id) && !lanes_.contains(id); };
  std::erase_if(reached_, [&](const auto& entry) { return is_gone(entry.first); });
  for (const auto& [id, stored] : stored_)
    if (is_gone(id)) moved.push_back({id, 0, stored.partition});
  for (const auto& [id, next] : reached_) {
    const Lane* const lane = state->FindLane(id);
    const auto stored = stored_.find(id);
    if (stored == stored_.end() ? next > 0 : stored->second.next != next)
      moved.push_back({id, next, lane ? lane->partition : 0});
  }
  if (moved.empty()) co_return Status::Ok();
  Status status = co_await journal_.StoreCursors(*following_.table, following_.reader, moved);
  if (!status.ok()) co_return status;
  for (const auto& cursor : moved) {
    if (cursor.next == 0) stored_.erase(cursor.lane);
    else stored_[cursor.lane] = cursor;
  }
  co_return status;
}

int64_t LaneWalker::oldest_millis() const {
  int64_t oldest = 0;
  for (const auto& [id, lane] : lanes_) {
    const int64_t millis = lane->view().oldest_millis;
    if (millis > 0 && (oldest == 0 || millis < oldest)) oldest = millis;
  }
  return oldest;
}

uint64_t LaneWalker::records_behind() const {
  uint64_t behind = 0;
  for (const auto& [id, lane] : lanes_) {
    const FollowedLane::View view = lane->view();
    if (!view.is_behind) continue;
    const Position latest = journal_.LatestNow(*following_.table, id);
    if (latest > view.next) behind = std::max(behind, latest - view.next);
  }
  return behind;
}

}  // namespace armature::followers
