// Upkeep: lanes that are old or busy are renewed, records nobody can read any more are removed.
#include <algorithm>

#include "base/log.h"
#include "table/journal/journal.h"
#include "table/keys/key_layout.h"
#include "table/lanes/lane_changes.h"

namespace armature::table {

namespace {

// A mark is how old records are found without reading them; records outlive their time by at most this much.
constexpr int64_t kMarkIntervalMillis = int64_t{5} * 60 * 1000;
constexpr int64_t kFollowerCheckMillis = 10'000;

const JournalMark* LastMarkAt(const JournalState& state, int64_t millis) {
  const JournalMark* last = nullptr;
  for (const JournalMark& mark : state.marks)
    if (mark.millis <= millis) last = &mark;
  return last;
}

// What is gone by now, as well as the marks tell.
void CountTrimmed(JournalState& state, uint64_t records, uint64_t bytes) {
  Position oldest = UINT64_MAX;
  for (const Lane& lane : state.lanes)
    if (lane.is_open() || lane.trimmed < lane.end) oldest = std::min(oldest, lane.trimmed);
  if (oldest == UINT64_MAX) {
    state.trimmed_records = records;
    state.trimmed_bytes = bytes;
    return;
  }
  for (const JournalMark& mark : state.marks) {
    if (mark.position > oldest) break;
    state.trimmed_records = mark.records;
    state.trimmed_bytes = mark.bytes;
  }
}

}  // namespace

Task<Status> Journal::KeepHouse() {
  auto guard = co_await upkeep_latch_.LockStripe(0);
  const int64_t now = clock_.NowMillis();
  Status result;
  for (const auto& table : AllTables()) {
    if (Status status = co_await KeepTable(table, now); !status.ok()) {
      // A table that went meanwhile is none of our business; the others still get their turn.
      if (status.code() != StatusCode::kNotFound) result = status;
    }
  }
  // Streams of deleted tables are forgotten with the last that could be read.
  for (const auto& table : catalog_.DeletedTables()) {
    const auto state = table->journal().state();
    const auto is_readable = [&](const StreamWindow& stream) { return IsReadable(stream, now); };
    if (std::any_of(state->streams.begin(), state->streams.end(), is_readable)) continue;
    if (Status status = co_await catalog_.ForgetDeleted(table); !status.ok()) result = status;
  }
  last_upkeep_millis_ = now;
  CountHeld();
  co_return result;
}

Task<Status> Journal::KeepTable(std::shared_ptr<Table> table, int64_t now_millis) {
  if (Status status = co_await FollowDefinition(table); !status.ok()) co_return status;
  if (table->journal().state()->lanes.empty() && table->journal().state()->streams.empty()) co_return Status::Ok();
  if (Status status = co_await RenewLanes(table, now_millis); !status.ok()) co_return status;
  co_return co_await Trim(*table, now_millis);
}

Task<Status> Journal::RenewLanes(std::shared_ptr<Table> table, int64_t now_millis) {
  const double seconds = std::max(1.0, static_cast<double>(now_millis - last_upkeep_millis_) / 1000.0);
  const auto counts = table->journal().TakeCounts();
  std::vector<LaneId> hot;
  for (const auto& count : counts) {
    int& hot_for = lanes_[{table->id(), count.lane}].hot_for_seconds;
    const bool is_hot =
        static_cast<double>(count.slots) / seconds >= static_cast<double>(options_.split_records_per_second);
    hot_for = is_hot ? hot_for + 1 : 0;
    if (hot_for >= options_.split_seconds) hot.push_back(count.lane);
  }
  const auto is_old = [&](const Lane& lane) {
    return lane.is_open() && now_millis - lane.created_millis >= options_.lane_age_millis;
  };
  const auto state = table->journal().state();
  const bool has_old = std::any_of(state->lanes.begin(), state->lanes.end(), is_old);
  if (!has_old && (hot.empty() || counts.size() >= options_.max_open_lanes)) co_return Status::Ok();

  const Change change = [&](JournalState& next, Position from, int64_t now) {
    size_t open = counts.size();
    bool is_changed = false;
    for (const LaneId lane : hot)
      if (open < options_.max_open_lanes && RenewLane(next, lane, true, from, now)) is_changed = true, ++open;
    std::vector<LaneId> old;
    for (const Lane& lane : next.lanes)
      if (is_old(lane)) old.push_back(lane.id);
    for (const LaneId lane : old) is_changed = RenewLane(next, lane, false, from, now) || is_changed;
    return is_changed;
  };
  co_return co_await SwitchLanes(*table, change);
}

Task<Result<Position>> Journal::SlowestFollower(const Table& table, const JournalState& state, const Lane& lane) {
  Position slowest = UINT64_MAX;
  for (const Follower& follower : state.followers) {
    if (!lane.is_open() && lane.end <= follower.first) continue;
    auto cursors = co_await LoadCursors(table, follower.name);
    if (!cursors) co_return cursors.error();
    Position next = follower.StartIn(lane);
    for (const Cursor& cursor : *cursors)
      if (cursor.lane == lane.id) next = std::max(next, cursor.next);
    slowest = std::min(slowest, next);
  }
  co_return slowest;
}

// Announces what goes (publishes the state) before it goes, so that a reader can tell.
Task<Status> Journal::Trim(Table& table, int64_t now_millis) {
  auto guard = co_await change_latch_.LockStripe(0);
  TableJournal& journal = table.journal();
  auto state = std::make_shared<JournalState>(*journal.state());
  const int64_t oldest_kept = now_millis - options_.retention_millis;
  const Position horizon = journal.horizon().position;
  const Position next = journal.next();
  const uint64_t records = journal.records(), bytes = journal.bytes();
  bool is_changed = false;

  const int64_t mark_interval = std::min(kMarkIntervalMillis, std::max<int64_t>(options_.retention_millis / 24, 1));
  const bool has_unmarked = records != (state->marks.empty() ? state->trimmed_records : state->marks.back().records);
  if (has_unmarked && (state->marks.empty() || now_millis - state->marks.back().millis >= mark_interval)) {
    state->marks.push_back({now_millis, next, records, bytes});
    is_changed = true;
  }

  const size_t stream_count = state->streams.size();
  std::erase_if(state->streams, [&](const StreamWindow& stream) { return !IsReadable(stream, now_millis); });
  is_changed = is_changed || state->streams.size() != stream_count;

  const JournalMark* const expired = LastMarkAt(*state, oldest_kept);
  int64_t& checked = followers_checked_millis_[table.id()];
  const bool checks_followers = now_millis - checked >= kFollowerCheckMillis;
  if (checks_followers) checked = now_millis;

  storage::Batch rows;
  for (Lane& lane : state->lanes) {
    Position limit = lane.trimmed;
    if (!lane.is_open() && lane.closed_millis <= oldest_kept) limit = std::max(limit, lane.end);
    if (expired) limit = std::max(limit, expired->position);
    const bool is_shown = std::any_of(state->streams.begin(), state->streams.end(),
                                      [&](const StreamWindow& stream) { return stream.Shows(lane); });
    if (!is_shown && checks_followers) {
      auto slowest = co_await SlowestFollower(table, *state, lane);
      if (!slowest) co_return slowest.error();
      limit = std::max(limit, *slowest);
    }
    limit = std::min({limit, horizon, lane.is_open() ? horizon : lane.end});
    if (limit > lane.trimmed) {
      lane.trimmed = limit;
      is_changed = true;
    }
    Position& swept = lanes_[{table.id(), lane.id}].swept;
    if (lane.trimmed > std::max(swept, lane.first))
      rows.DeleteRange(JournalRowKey(table.prefix(), lane.id, std::max(swept, lane.first)),
                       JournalRowKey(table.prefix(), lane.id, lane.trimmed));
  }
  if (!is_changed && rows.empty()) co_return Status::Ok();

  const auto before = journal.state();
  CountTrimmed(*state, records, bytes);
  if (expired) {
    const int64_t expired_millis = expired->millis;
    std::erase_if(state->marks, [&](const JournalMark& mark) { return mark.millis < expired_millis; });
  }
  state->next_position = next;
  const auto is_over = [&](const Lane& lane) {
    if (lane.is_open() || lane.trimmed < lane.end) return false;
    const bool is_shown = std::any_of(state->streams.begin(), state->streams.end(),
                                      [&](const StreamWindow& stream) { return stream.Shows(lane); });
    return !is_shown || lane.closed_millis <= oldest_kept;
  };
  // A lane is listed until its rows are gone: if this fails, the next call finds it again.
  journal.Publish(state);
  auto kept = std::make_shared<JournalState>(*state);
  std::erase_if(kept->lanes, is_over);
  storage::Batch record;
  record.Put(JournalStateKey(table.id()), EncodeJournalState(*kept));
  std::vector<storage::CommitManyOp::Part> parts{{storage::kSystemPartition, kSystemEpoch, &record}};
  if (!rows.empty()) parts.push_back({table.partition(), table.epoch(), &rows});
  if (Status status = co_await CommitParts(std::move(parts)); !status.ok()) co_return status;
  trimmed_counter_.Add(kept->trimmed_records - std::min(kept->trimmed_records, before->trimmed_records));
  for (const Lane& lane : state->lanes) {
    if (is_over(lane)) lanes_.erase({table.id(), lane.id});
    else lanes_[{table.id(), lane.id}].swept = lane.trimmed;
  }
  journal.Publish(std::move(kept));
  co_return Status::Ok();
}

Task<Status> Journal::StoreTotals() {
  auto guard = co_await change_latch_.LockStripe(0);
  for (const auto& table : AllTables()) {
    const TableJournal& journal = table->journal();
    const auto current = journal.state();
    if (journal.records() == (current->marks.empty() ? current->trimmed_records : current->marks.back().records))
      continue;
    JournalState state = *current;
    state.marks.push_back({clock_.NowMillis(), journal.next(), journal.records(), journal.bytes()});
    if (Status status = co_await StoreState(*table, state); !status.ok()) co_return status;
  }
  co_return Status::Ok();
}

void Journal::CountHeld() {
  uint64_t records = 0, bytes = 0, open_lanes = 0;
  for (const auto& table : AllTables()) {
    const TableJournal& journal = table->journal();
    const auto state = journal.state();
    records += journal.records() - std::min(journal.records(), state->trimmed_records);
    bytes += journal.bytes() - std::min(journal.bytes(), state->trimmed_bytes);
    for (const Lane& lane : state->lanes) open_lanes += lane.is_open() ? 1 : 0;
  }
  held_->records = records;
  held_->bytes = bytes;
  held_->open_lanes = open_lanes;
}

}  // namespace armature::table
