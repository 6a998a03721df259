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

// Objects, not functions: g++ 12 destroys a temporary twice when it is an argument within co_await.
const std::function<bool(JournalState&, int64_t)> kChangesNothing = [](JournalState&, int64_t) { return false; };
const std::function<bool(const Lane&)> kRenewsNone = [](const Lane&) { return false; };

// A change of lanes, announced to their readers; over when it ends, unless what is stored is not known.
class LaneChange {
 public:
  explicit LaneChange(TableJournal& journal) : journal_(journal), is_unknown_(journal.is_changing()) {
    journal_.SetChanging(true);
  }
  ~LaneChange() { journal_.SetChanging(is_unknown_); }
  LaneChange(const LaneChange&) = delete;
  LaneChange& operator=(const LaneChange&) = delete;

  void MayBeStored() { is_unknown_ = true; }
  void IsStored() { is_unknown_ = false; }

 private:
  TableJournal& journal_;
  bool is_unknown_;
};

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
      trimmer_(engine, *this, options.retention_millis, metrics),
      splits_(options.split) {
  const auto gauge = [&](std::string_view name, std::string_view help, std::atomic<uint64_t> Held::*member) {
    metrics.AddGauge(name, help, [held = held_, member] { return static_cast<double>((*held.*member).load()); });
  };
  gauge("armature_journal_records", "Change records held for streams and other followers.", &Held::records);
  gauge("armature_journal_bytes", "Bytes of change records held.", &Held::bytes);
  gauge("armature_journal_open_lanes", "Open lanes of all journals.", &Held::open_lanes);
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
    table->journal().Attach(bell_);
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
    Status status = co_await FollowDefinition(table);
    // A crash may have come between a split and its lanes.
    if (status.ok()) status = co_await ChangeState(*table, kChangesNothing, kRenewsNone);
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

Task<Status> Journal::LoadTable(Table& table, std::string_view record) {
  auto decoded = DecodeJournalState(record);
  if (!decoded) co_return decoded.error();
  auto state = std::make_shared<JournalState>(std::move(*decoded));
  // What was written since the last mark is estimated, for the metrics; that there was something is not: it gets a
  // mark.
  JournalMark mark{0, state->trimmed_records, state->trimmed_bytes, {}};
  if (!state->marks.empty()) mark = state->marks.back();
  uint64_t records = mark.records, bytes = mark.bytes;
  for (const Lane& lane : state->lanes) {
    const auto partition = table.partitions().FindById(lane.partition);
    if (!lane.is_open() || !partition) continue;
    const Position known = std::max(mark.PositionIn(lane.id), lane.first), end = partition->records_end();
    if (end <= known) continue;
    bytes += mark.records ? (end - known) * (mark.bytes / mark.records) : 0;
    records += end - known;
  }
  table.journal().Restore(records, bytes);
  table.journal().Publish(std::move(state));
  co_return Status::Ok();
}

// --- changing the state

Task<Status> Journal::StoreState(const Table& table, const JournalState& state) {
  storage::Batch batch;
  batch.Put(JournalStateKey(table.id()), EncodeJournalState(state));
  co_return co_await WriteSystemRecordsDurably(engine_, batch);
}

// Where the records of each partition go on. No crash gives a position before it to another record.
Task<Result<std::vector<LanePlace>>> Journal::FindPlaces(const Table& table, const JournalState& state) {
  for (;;) {
    auto places = co_await FindPlacesOnce(table, state);
    if (places || places.error().code() != StatusCode::kFenced) co_return places;
  }
}

Task<Result<std::vector<LanePlace>>> Journal::FindPlacesOnce(const Table& table, const JournalState& state) {
  const auto current = table.partitions().list(), ended = table.partitions().ended();
  PartitionSet::List partitions = *current;
  for (const auto& partition : *ended) {
    const auto is_here = [&](const Lane& lane) { return lane.is_open() && lane.partition == partition->id(); };
    if (std::any_of(state.lanes.begin(), state.lanes.end(), is_here)) partitions.push_back(partition);
  }
  std::vector<LanePlace> places;
  for (const auto& partition : partitions) {
    const Position next = partition->handle().newest() + 1;
    const storage::Mark mark = partition->newest();
    if (mark > engine_.DurableUpTo(partition->handle())) {
      Status status = co_await storage::AwaitDurable(engine_, partition->handle(), mark);
      if (IsOfDead(status)) {
        // Which of its commits are there is told by who has taken its place.
        status = co_await table.partitions().LookAgain(engine_, partition);
        if (status.ok()) co_return Status::Fenced();
      }
      if (!status.ok()) co_return status;
    }
    places.push_back({partition->handle().info(), next});
  }
  co_return places;
}

// What is wanted from now on is wanted before the lanes that have it begin: every writer that does not know of it has
// ended by then. The new state is stored first and used then. A crash in between leaves lanes that begin, or end,
// behind every record: nothing is lost and nothing is there twice. Where storing it fails it may be stored all the
// same, so that nobody may read on until a state is known to be (TableJournal::is_changing).
Task<Status> Journal::ChangeState(Table& table, const Change& change, const Renews& renews) {
  auto guard = co_await change_latch_.LockStripe(0);
  TableJournal& journal = table.journal();
  journal.Attach(bell_);
  const auto before = journal.state();
  auto state = std::make_shared<JournalState>(*before);
  const int64_t now = clock_.NowMillis();
  const bool is_changed = change(*state, now), is_unknown = journal.is_changing();
  if (!is_changed && !is_unknown && state->lanes.empty() && !state->is_followed()) co_return Status::Ok();
  if (is_changed) {
    journal.WantAlso(*state);
    co_await AwaitLatchHolders(table.partitions());
  }
  const Renews all = [](const Lane&) { return true; };
  const Renews& renewed = is_changed ? all : renews;
  if (!is_changed && !is_unknown) {
    const auto places = co_await FindPlaces(table, *state);
    if (!places) co_return places.error();
    JournalState tried = *state;
    if (!AlignLanes(tried, *places, renewed, now)) co_return Status::Ok();
  }

  const auto readers = co_await journal.change_latch().LockStripe(0);
  LaneChange lanes(journal);
  const auto places = co_await FindPlaces(table, *state);
  Status status = places ? Status::Ok() : places.error();
  if (status.ok()) {
    AlignLanes(*state, *places, renewed, now);
    storage::Batch batch;
    batch.Put(JournalStateKey(table.id()), EncodeJournalState(*state));
    storage::OpenPartition& system = engine_.system();
    const auto committed = co_await CommitPatiently(engine_, system, batch);
    if (committed) {
      lanes.MayBeStored();
      status = co_await storage::AwaitDurable(engine_, system, committed->mark);
    } else {
      status = committed.error();
      if (status.code() == StatusCode::kUnknown) lanes.MayBeStored();
    }
  }
  if (status.ok()) journal.Publish(std::move(state));
  else journal.Publish(before);
  if (status.ok()) lanes.IsStored();
  bell_.Ring();
  co_return status;
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
  const Change change = [&](JournalState& state, int64_t now_millis) {
    const auto def = table->def();
    StreamWindow* const current = enabled_stream(state);
    const bool is_going = def->status == model::ResourceStatus::kDeleting;
    const bool is_right = is_wanted(*def) ? current && current->label == def->stream.label : !current;
    if (is_right && !(is_going && !state.followers.empty())) return false;
    if (current && !is_right) {
      current->end_lane = state.next_lane;
      current->disabled_millis = now_millis;
    }
    if (is_wanted(*def) && !is_right)
      state.streams.push_back(
          {def->stream.label, model::ImagesOfViewType(def->stream.view_type), now_millis, state.next_lane, 0, 0});
    if (is_going) state.followers.clear();
    return true;
  };
  // Nearly always there is nothing to do.
  JournalState current = *table->journal().state();
  if (!change(current, 0)) co_return Status::Ok();
  co_return co_await ChangeState(*table, change, kRenewsNone);
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

Task<Status> Journal::Follow(std::shared_ptr<Table> table, std::string name, model::Images images,
                             Retention retention) {
  const Change change = [&](JournalState& state, int64_t) {
    const auto it = std::find_if(state.followers.begin(), state.followers.end(),
                                 [&](const Follower& follower) { return follower.name == name; });
    if (it == state.followers.end()) {
      state.followers.push_back({name, images, state.next_lane, retention});
      return true;
    }
    const bool has_other_images = std::exchange(it->images, images) != images;
    return (std::exchange(it->retention, retention) != retention) || has_other_images;
  };
  co_return co_await ChangeState(*table, change, kRenewsNone);
}

Task<Status> Journal::Unfollow(std::shared_ptr<Table> table, std::string name) {
  if (Status status = co_await RemoveCursors(*table, name); !status.ok()) co_return status;
  const Change change = [&](JournalState& state, int64_t) {
    return std::erase_if(state.followers, [&](const Follower& follower) { return follower.name == name; }) != 0;
  };
  co_return co_await ChangeState(*table, change, kRenewsNone);
}

// --- lanes and partitions

Task<Status> Journal::RenewLane(std::shared_ptr<Table> table, LaneId lane_id) {
  const auto state = table->journal().state();
  const Lane* const lane = state->FindLane(lane_id);
  if (!lane || !lane->is_open()) co_return Status::NotFound("no such open lane");
  const Renews renews = [&](const Lane& open) { return open.id == lane_id; };
  co_return co_await ChangeState(*table, kChangesNothing, renews);
}

Task<Status> Journal::SplitPartition(std::shared_ptr<Table> table, storage::PartitionId id) {
  if (Status status = co_await catalog_.SplitPartition(table, id); !status.ok()) co_return status;
  co_return co_await ChangeState(*table, kChangesNothing, kRenewsNone);
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
  splits_.ForgetOthers(now);
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
  }
  co_return result;
}

Task<Status> Journal::KeepTable(std::shared_ptr<Table> table, int64_t now_millis) {
  if (Status status = co_await FollowDefinition(table); !status.ok()) co_return status;
  if (Status status = co_await SplitPartitions(table, now_millis); !status.ok()) co_return status;
  const auto state = table->journal().state();
  if (!state->lanes.empty() || !state->streams.empty()) {
    const Renews is_old = [&](const Lane& lane) {
      return now_millis - lane.created_millis >= options_.lane_age_millis;
    };
    if (Status status = co_await ChangeState(*table, kChangesNothing, is_old); !status.ok()) co_return status;
    const auto guard = co_await change_latch_.LockStripe(0);
    if (Status status = co_await trimmer_.Trim(*table, now_millis); !status.ok()) co_return status;
  }
  co_return co_await DropEndedPartitions(*table);
}

Task<Status> Journal::SplitPartitions(std::shared_ptr<Table> table, int64_t now_millis) {
  std::vector<storage::PartitionId> chosen = splits_.Choose(table->id(), table->partitions(), now_millis);
  const auto schema = table->schema();
  for (const IndexSchema& index : schema->indexes()) {
    if (!index.is_global()) continue;
    const auto of_index = splits_.Choose(index.def->keyspace, *index.partitions, now_millis);
    chosen.insert(chosen.end(), of_index.begin(), of_index.end());
  }
  for (const storage::PartitionId partition : chosen) {
    const Status status = co_await SplitPartition(table, partition);
    if (!status.ok() && status.code() != StatusCode::kNotFound) co_return status;
  }
  co_return Status::Ok();
}

Task<Status> Journal::DropEnded(PartitionSet& partitions, const std::vector<storage::PartitionId>& needed) {
  const auto ended = partitions.ended();
  for (const auto& partition : *ended) {
    if (std::find(needed.begin(), needed.end(), partition->id()) != needed.end()) continue;
    const Status status = co_await engine_.DropPartition(partition->id());
    if (!status.ok() && status.code() != StatusCode::kNotFound) co_return status;
    partitions.ForgetEnded(partition->id());
  }
  co_return Status::Ok();
}

// What a partition that was split has left is its lanes' records and cursors; it goes when they are forgotten. Those of
// indexes have none.
Task<Status> Journal::DropEndedPartitions(Table& table) {
  const auto schema = table.schema();
  const std::vector<storage::PartitionId> none;
  for (const IndexSchema& index : schema->indexes()) {
    if (!index.is_global()) continue;
    if (Status status = co_await DropEnded(*index.partitions, none); !status.ok()) co_return status;
  }
  if (table.partitions().ended()->empty()) co_return Status::Ok();
  const auto guard = co_await change_latch_.LockStripe(0);
  const auto state = table.journal().state();
  const auto needed = PartitionsOf(*state);
  co_return co_await DropEnded(table.partitions(), needed);
}

Task<Status> Journal::StoreTotals() {
  auto guard = co_await change_latch_.LockStripe(0);
  for (const auto& table : AllTables()) {
    const TableJournal& journal = table->journal();
    const auto current = journal.state();
    if (journal.records() == current->marked_records()) continue;
    JournalState state = *current;
    auto ends = co_await LatestOfAll(*table);
    if (!ends) co_return ends.error();
    state.marks.push_back({clock_.NowMillis(), journal.records(), journal.bytes(), std::move(*ends)});
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
