#include "table/journal/journal.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/log.h"
#include "model/names/arn.h"
#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"
#include "table/lanes/lane_changes.h"
#include "table/system_records.h"

namespace armature::table {

namespace {

// Lanes are switched at a position a little ahead, so that the new lanes can be stored before the first record goes
// into one of them: writers would have to use up the gap within that one sync.
constexpr Position kSwitchGap = Position{1} << 20;
// Positions a crash may have taken back are not used again: a reader may have been told to go on behind them.
constexpr Position kRestartGap = Position{1} << 24;

bool IsDamage(const Status& status) {
  return status.code() == StatusCode::kCorruption || status.code() == StatusCode::kFormat;
}

}  // namespace

Journal::Journal(storage::Engine& engine, const Clock& clock, Catalog& catalog, Metrics& metrics,
                 JournalOptions options)
    : JournalReader(engine),
      clock_(clock),
      catalog_(catalog),
      options_(options),
      trimmer_(engine, *this, options.retention_millis, metrics) {
  const auto gauge = [&](std::string_view name, std::string_view help, std::atomic<uint64_t> Held::*member) {
    metrics.AddGauge(name, help, [held = held_, member] { return static_cast<double>((*held.*member).load()); });
  };
  gauge("armature_journal_records", "Change records held for streams and other followers.", &Held::records);
  gauge("armature_journal_bytes", "Bytes of change records held.", &Held::bytes);
  gauge("armature_journal_open_lanes", "Open shards of all journals.", &Held::open_lanes);
}

// --- loading

std::vector<std::shared_ptr<Table>> Journal::AllTables() const {
  auto tables = catalog_.AllTables();
  const auto deleted = catalog_.DeletedTables();
  tables.insert(tables.end(), deleted.begin(), deleted.end());
  return tables;
}

Task<Status> Journal::Load() {
  storage::ScanOp scan;
  const storage::KeyRange range = JournalStateRange();
  if (Status status = co_await ReadSystemRecords(engine_, range, scan); !status.ok()) co_return status;

  std::map<std::string_view, std::string_view> records;
  for (const auto& row : scan.rows) records.emplace(row.key, row.value);
  for (const auto& table : AllTables()) {
    table->journal().Attach(clock_, bell_);
    const auto record = records.find(JournalStateKey(table->id()));
    if (record != records.end()) {
      const Status status = co_await LoadTable(*table, record->second);
      records.erase(record);
      if (IsDamage(status)) {
        catalog_.SetAside(table, status.message());
        continue;
      }
      if (!status.ok()) co_return status;
    }
    // On a full disk a server starts all the same; KeepHouse catches up with definitions, too.
    const Status status = co_await FollowDefinition(table);
    if (!status.ok() && status.code() != StatusCode::kNoSpace) co_return status;
  }

  // Left over from tables that went while their journal changed.
  storage::Batch orphans;
  if (!catalog_.has_unreadable())
    for (const auto& [key, record] : records) orphans.Delete(key);
  if (!orphans.empty()) {
    const Status status = co_await WriteSystemRecordsDurably(engine_, orphans);
    if (!status.ok() && status.code() != StatusCode::kNoSpace) co_return status;
  }
  CountHeld();
  co_return Status::Ok();
}

Task<Result<Position>> Journal::LastPosition(const Table& table, LaneId lane) {
  const std::string begin = JournalRowKey(lane, 0), end = JournalRowKey(lane + 1, 0);
  storage::ScanOp scan;
  scan.begin = begin;
  scan.end = end;
  scan.is_reverse = true;
  scan.limit_rows = 1;
  scan.at.view = storage::View::kLatest;
  if (Status status = co_await ScanIn(engine_, table.partitions(), kJournalHash, scan); !status.ok()) co_return status;
  if (scan.rows.empty()) co_return Position{0};
  const std::string_view key = scan.rows.front().key;
  co_return ReadBigEndian<Position>(key.data() + key.size() - sizeof(Position));
}

Task<Status> Journal::LoadTable(Table& table, std::string_view record) {
  auto decoded = DecodeJournalState(record);
  if (!decoded) co_return decoded.error();
  auto state = std::make_shared<JournalState>(std::move(*decoded));
  Position last = 0;
  for (const Lane& lane : state->lanes) {
    if (!lane.is_open()) continue;
    auto found = co_await LastPosition(table, lane.id);
    if (!found) co_return found.error();
    last = std::max(last, *found);
  }
  // What was written since the last mark is estimated, for the metrics; that there was something is not: it gets a
  // mark.
  JournalMark mark{0, state->lanes.empty() ? 0 : state->lanes.front().first, state->trimmed_records,
                   state->trimmed_bytes};
  if (!state->marks.empty()) mark = state->marks.back();
  uint64_t records = mark.records, bytes = mark.bytes;
  if (last >= mark.position && last > 0) {
    const uint64_t unmarked = last - mark.position < kSwitchGap ? last + 1 - mark.position : 1;
    bytes += mark.records ? unmarked * (mark.bytes / mark.records) : 0;
    records += unmarked;
  }
  table.journal().Restore(TableJournal::Ready(state), std::max(state->next_position, last + 1) + kRestartGap, records,
                          bytes);
  co_return Status::Ok();
}

// --- changing the state

Task<Status> Journal::StoreState(const Table& table, const JournalState& state) {
  storage::Batch batch;
  batch.Put(JournalStateKey(table.id()), EncodeJournalState(state));
  co_return co_await WriteSystemRecordsDurably(engine_, batch);
}

// The new state is stored first and holds from a position that is not reached yet. A crash in between leaves lanes that
// begin, or end, at a position no record had: nothing is lost and nothing is there twice.
Task<Status> Journal::SwitchLanes(Table& table, const Change& change) {
  auto guard = co_await change_latch_.LockStripe(0);
  table.journal().Attach(clock_, bell_);
  for (;;) {
    const Position from = table.journal().next() + (table.journal().is_followed() ? kSwitchGap : 0);
    auto state = std::make_shared<JournalState>(*table.journal().state());
    if (!change(*state, from, clock_.NowMillis())) co_return Status::Ok();
    state->next_position = from;
    TableJournal::Ready ready(state);
    if (Status status = co_await StoreState(table, *state); !status.ok()) co_return status;
    if (table.journal().Switch(std::move(ready), from)) co_return Status::Ok();
    LogWarn("table {}: more writes than expected while its journal changed; trying again", table.def()->name);
  }
}

// --- streams

Task<Status> Journal::FollowDefinition(std::shared_ptr<Table> table) {
  const auto is_wanted = [](const model::TableDef& def) {
    return def.stream.enabled && def.status != model::ResourceStatus::kDeleting;
  };
  const auto enabled_stream = [](JournalState& state) -> StreamWindow* {
    for (StreamWindow& stream : state.streams)
      if (stream.is_enabled()) return &stream;
    return nullptr;
  };
  const Change change = [&](JournalState& state, Position from, int64_t now_millis) {
    const auto def = table->def();
    StreamWindow* const current = enabled_stream(state);
    const bool is_going = def->status == model::ResourceStatus::kDeleting;
    const bool is_right = is_wanted(*def) ? current && current->label == def->stream.label : !current;
    if (is_right && !(is_going && !state.followers.empty())) return false;
    if (current && !is_right) {
      current->end = from;
      current->disabled_millis = now_millis;
    }
    if (is_wanted(*def) && !is_right)
      state.streams.push_back(
          {def->stream.label, model::ImagesOfViewType(def->stream.view_type), now_millis, from, 0, 0});
    if (is_going) state.followers.clear();
    RenewAllLanes(state, from, now_millis);
    return true;
  };
  // Nearly always there is nothing to do.
  JournalState current = *table->journal().state();
  if (!change(current, 0, 0)) co_return Status::Ok();
  co_return co_await SwitchLanes(*table, change);
}

std::optional<Journal::StreamRef> Journal::FindStream(std::string_view stream_arn) const {
  const auto parts = model::ParseStreamArn(stream_arn);
  if (!parts) return std::nullopt;
  const int64_t now = clock_.NowMillis();
  const auto find_in = [&](const std::shared_ptr<Table>& table) -> std::optional<StreamRef> {
    auto state = table->journal().state();
    const StreamWindow* stream = state->FindStream(parts->label);
    if (!stream || !IsReadable(*stream, now)) return std::nullopt;
    return StreamRef{table, std::move(state), stream};
  };
  if (const auto table = catalog_.Find({parts->account, parts->region}, parts->table))
    if (auto found = find_in(table)) return found;
  for (const auto& table : catalog_.DeletedTables()) {
    const auto def = table->def();
    if (def->account == parts->account && def->region == parts->region && def->name == parts->table)
      if (auto found = find_in(table)) return found;
  }
  return std::nullopt;
}

void Journal::AddStreams(const std::shared_ptr<Table>& table, int64_t now_millis, std::vector<StreamRef>& refs) const {
  const auto state = table->journal().state();
  for (const StreamWindow& stream : state->streams)
    if (IsReadable(stream, now_millis)) refs.push_back({table, state, &stream});
}

std::vector<Journal::StreamRef> Journal::ListStreams(TableScope scope, std::string_view table_name) const {
  std::vector<StreamRef> refs;
  const int64_t now = clock_.NowMillis();
  for (const auto& table : AllTables()) {
    const auto def = table->def();
    if (def->account == scope.account && def->region == scope.region && (table_name.empty() || def->name == table_name))
      AddStreams(table, now, refs);
  }
  const auto key = [](const StreamRef& ref) { return std::pair(ref.table->def()->name, ref.stream->label); };
  std::sort(refs.begin(), refs.end(), [&](const StreamRef& a, const StreamRef& b) { return key(a) < key(b); });
  return refs;
}

// --- other followers

Task<Status> Journal::Follow(std::shared_ptr<Table> table, std::string name, model::Images images) {
  const Change change = [&](JournalState& state, Position from, int64_t now_millis) {
    const auto it = std::find_if(state.followers.begin(), state.followers.end(),
                                 [&](const Follower& follower) { return follower.name == name; });
    if (it != state.followers.end()) {
      if (it->images == images) return false;
      it->images = images;
      return true;
    }
    const bool was_followed = state.is_followed();
    state.followers.push_back({name, images, from});
    if (!was_followed) RenewAllLanes(state, from, now_millis);
    return true;
  };
  co_return co_await SwitchLanes(*table, change);
}

Task<Status> Journal::Unfollow(std::shared_ptr<Table> table, std::string name) {
  const Change change = [&](JournalState& state, Position from, int64_t now_millis) {
    if (std::erase_if(state.followers, [&](const Follower& follower) { return follower.name == name; }) == 0)
      return false;
    if (!state.is_followed()) RenewAllLanes(state, from, now_millis);
    return true;
  };
  if (Status status = co_await SwitchLanes(*table, change); !status.ok()) co_return status;
  co_return co_await RemoveCursors(*table, std::move(name));
}

// --- lanes

Task<Status> Journal::SplitLane(std::shared_ptr<Table> table, LaneId lane, bool into_two) {
  bool found = false;
  const Change change = [&](JournalState& state, Position from, int64_t now_millis) {
    found = RenewLane(state, lane, into_two, from, now_millis);
    return found;
  };
  if (Status status = co_await SwitchLanes(*table, change); !status.ok()) co_return status;
  co_return found ? Status::Ok() : Status::NotFound("no such open lane");
}

// --- upkeep

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
  if (Status status = co_await ForgetDeletedTables(now); !status.ok()) result = status;
  last_upkeep_millis_ = now;
  CountHeld();
  co_return result;
}

// Streams of deleted tables are forgotten with the last that could be read.
Task<Status> Journal::ForgetDeletedTables(int64_t now_millis) {
  Status result;
  for (const auto& table : catalog_.DeletedTables()) {
    const auto state = table->journal().state();
    const auto is_readable = [&](const StreamWindow& stream) { return IsReadable(stream, now_millis); };
    if (std::any_of(state->streams.begin(), state->streams.end(), is_readable)) continue;
    if (Status status = co_await catalog_.ForgetDeleted(table); !status.ok()) result = status;
    hot_seconds_.erase(table->id());
  }
  co_return result;
}

Task<Status> Journal::KeepTable(std::shared_ptr<Table> table, int64_t now_millis) {
  if (Status status = co_await FollowDefinition(table); !status.ok()) co_return status;
  if (table->journal().state()->lanes.empty() && table->journal().state()->streams.empty()) co_return Status::Ok();
  if (Status status = co_await RenewLanes(table, now_millis); !status.ok()) co_return status;
  const auto guard = co_await change_latch_.LockStripe(0);
  co_return co_await trimmer_.Trim(*table, now_millis);
}

std::vector<LaneId> Journal::FindHotLanes(const Table& table, const std::vector<TableJournal::LaneCount>& counts,
                                          int64_t now_millis) {
  const double seconds = std::max(1.0, static_cast<double>(now_millis - last_upkeep_millis_) / 1000.0);
  std::vector<LaneId> hot;
  std::map<LaneId, int> hot_for;
  const std::map<LaneId, int>& before = hot_seconds_[table.id()];
  for (const auto& count : counts) {
    if (static_cast<double>(count.slots) / seconds < static_cast<double>(options_.split_records_per_second)) continue;
    const auto it = before.find(count.lane);
    const int so_long = hot_for[count.lane] = (it == before.end() ? 0 : it->second) + 1;
    if (so_long >= options_.split_seconds) hot.push_back(count.lane);
  }
  hot_seconds_[table.id()] = std::move(hot_for);
  return hot;
}

Task<Status> Journal::RenewLanes(std::shared_ptr<Table> table, int64_t now_millis) {
  const auto counts = table->journal().TakeCounts();
  const std::vector<LaneId> hot = FindHotLanes(*table, counts, now_millis);
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

Task<Status> Journal::StoreTotals() {
  auto guard = co_await change_latch_.LockStripe(0);
  for (const auto& table : AllTables()) {
    const TableJournal& journal = table->journal();
    const auto current = journal.state();
    if (journal.records() == current->marked_records()) continue;
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
