#include "workers/index_backfill.h"

#include <algorithm>
#include <atomic>

#include "base/bytes.h"
#include "base/log.h"
#include "model/item_codec.h"
#include "table/key_layout.h"

namespace armature::workers {

using model::IndexDef;
using model::ResourceStatus;
using model::TableDef;
using std::chrono::milliseconds;

namespace {

// Between portions, so that a backfill takes no more than part of a core.
constexpr milliseconds kPauseBetweenPortions(10);
constexpr milliseconds kPauseAfterFailure(1000);
constexpr size_t kMaxPortionBytes = 1024 * 1024;

// version 1 | items done, 8 bytes | cursor
constexpr uint8_t kRecordVersion = 1;

const IndexDef* FindUnsettled(const TableDef& table) {
  const auto it = std::find_if(table.indexes.begin(), table.indexes.end(), [](const IndexDef& index) {
    return index.status == ResourceStatus::kCreating || index.status == ResourceStatus::kDeleting;
  });
  return it == table.indexes.end() ? nullptr : &*it;
}

Status ToStatus(const model::ApiError& error) { return Status::IoError(error.name + ": " + error.message); }

}  // namespace

struct IndexBackfill::Progress {
  std::atomic<int64_t> running{0};
  std::atomic<double> percent{100};
};

IndexBackfill::IndexBackfill(storage::Engine& engine, const Clock& clock, table::Catalog& catalog,
                             table::WritePath& writes, Metrics& metrics, size_t rows_per_portion)
    : engine_(engine),
      clock_(clock),
      catalog_(catalog),
      writes_(writes),
      rows_per_portion_(rows_per_portion),
      items_read_(metrics.GetCounter("armature_index_backfill_items_total", "Items read to build indexes over them")),
      progress_(std::make_shared<Progress>()) {
  metrics.AddGauge("armature_index_backfills", "Indexes being built over existing items",
                   [progress = progress_] { return static_cast<double>(progress->running.load()); });
  metrics.AddGauge("armature_index_backfill_percent",
                   "How much of the items the indexes being built have taken in; 100 at rest",
                   [progress = progress_] { return progress->percent.load(); });
}

// --- finding work
// ------------------------------------------------------------------------------------------------------

Task<Status> IndexBackfill::Load() {
  for (const auto& table : catalog_.AllTables()) {
    if (const IndexDef* index = FindUnsettled(*table->def())) works_[table->id()] = {table, index->id, {}, 0, false};
  }
  const storage::KeyRange range = table::IndexBuildRange();
  storage::ScanOp scan;
  scan.partition = storage::kSystemPartition;
  scan.begin = range.begin;
  scan.end = range.end;
  scan.at.view = storage::View::kLatest;
  engine_.Scan(scan);
  co_await scan.done;
  if (!scan.status.ok()) co_return scan.status;

  for (const auto& row : scan.rows) {
    ByteReader key(row.key.substr(2));
    const auto table_id = key.BigEndian<uint64_t>();
    const auto index_id = key.BigEndian<uint32_t>();
    ByteReader record(row.value);
    const bool is_known = record.Byte() == kRecordVersion;
    const auto items_done = static_cast<int64_t>(record.BigEndian<uint64_t>());
    if (!key.ok() || !record.ok() || !is_known) co_return Status::Corruption("the record of an index build is damaged");
    if (const auto work = works_.find(table_id); work != works_.end() && work->second.index_id == index_id) {
      work->second.items_done = items_done;
      work->second.cursor = row.value.substr(1 + sizeof(uint64_t));
      continue;
    }
    // Its index is settled or gone, only the record was not removed yet; or its rows were not.
    const auto tables = catalog_.AllTables();
    const auto table = std::find_if(tables.begin(), tables.end(), [&](const auto& t) { return t->id() == table_id; });
    if (table != tables.end()) {
      TableDef def = *(*table)->def();
      if (!def.FindIndex(index_id)) {
        if (Status status = co_await DeleteRows(**table, index_id); !status.ok()) co_return status;
      }
    }
    if (Status status = co_await Forget(table_id, index_id); !status.ok()) co_return status;
  }
  ShowProgress();
  co_return Status::Ok();
}

Task<void> IndexBackfill::Announce(std::shared_ptr<table::Table> table) {
  {
    const auto guard = co_await latch_.LockStripe(0);
    const IndexDef* index = FindUnsettled(*table->def());
    if (!index) co_return;
    Work& work = works_[table->id()];
    if (!work.table) work = {table, index->id, {}, 0, false};
    if (catalog_.control_plane_delay_millis() == 0) {
      const Pause pause = co_await AdvanceOrRetry(work);
      if (!pause) works_.erase(table->id());
    }
    ShowProgress();
    if (works_.empty()) co_return;
  }
  if (wake_) wake_();
}

Task<std::optional<milliseconds>> IndexBackfill::Step() {
  const auto guard = co_await latch_.LockStripe(0);
  Pause next;
  for (auto it = works_.begin(); it != works_.end();) {
    const Pause pause = co_await AdvanceOrRetry(it->second);
    if (pause) next = std::min(next.value_or(*pause), *pause);
    it = pause ? std::next(it) : works_.erase(it);
  }
  ShowProgress();
  co_return next;
}

// --- the work on one table
// ---------------------------------------------------------------------------------------------

Task<IndexBackfill::Pause> IndexBackfill::AdvanceOrRetry(Work& work) {
  auto advanced = co_await Advance(work);
  if (advanced) co_return *advanced;
  LogWarn("table {}: work on an index goes on later: {}", work.table->def()->name, advanced.error().ToString());
  co_return kPauseAfterFailure;
}

Task<Result<IndexBackfill::Pause>> IndexBackfill::Advance(Work& work) {
  if (work.is_out_of_definition) {
    if (Status status = co_await FinishRemoval(work); !status.ok()) co_return status;
  }
  const auto def = work.table->def();
  const IndexDef* index = FindUnsettled(*def);
  if (!index || def->status == ResourceStatus::kDeleting) co_return Pause();
  // While the table is UPDATING the index's place is being made, as on AWS.
  const int64_t now = clock_.NowMillis();
  if (def->StatusAt(now) != ResourceStatus::kActive) co_return Pause(def->transition_due_millis - now);
  if (index->id != work.index_id) work = {work.table, index->id, {}, 0, false};
  if (index->status == ResourceStatus::kCreating) co_return co_await Build(work, *index);
  co_return co_await Remove(work, *index);
}

Task<Result<IndexBackfill::Pause>> IndexBackfill::Build(Work& work, const IndexDef& index) {
  if (!index.is_backfilling) {
    // Writes that began under the definition without the index do not keep it; none may run any more.
    co_await writes_.AwaitEarlierWrites();
    if (Status status = co_await Record(work); !status.ok()) co_return status;
    const auto announce = [](TableDef&, IndexDef& changed) { changed.is_backfilling = true; };
    if (Status status = co_await ChangeIndex(work, announce); !status.ok()) co_return status;
  }
  auto finished = co_await BuildPortion(work);
  if (!finished) co_return finished.error();
  if (!*finished) {
    if (Status status = co_await Record(work); !status.ok()) co_return status;
    co_return Pause(kPauseBetweenPortions);
  }
  // The change is durable before it is shown, and so are all rows, which were committed before it.
  const auto activate = [](TableDef&, IndexDef& changed) {
    changed.is_backfilling = false;
    changed.status = ResourceStatus::kActive;
  };
  if (Status status = co_await ChangeIndex(work, activate); !status.ok()) co_return status;
  if (Status status = co_await Forget(work.table->id(), work.index_id); !status.ok()) co_return status;
  co_return Pause();
}

Task<Result<bool>> IndexBackfill::BuildPortion(Work& work) {
  const auto schema = work.table->schema();
  const auto& indexes = schema->indexes();
  const auto index =
      std::find_if(indexes.begin(), indexes.end(), [&](const auto& i) { return i.def->id == work.index_id; });
  if (index == indexes.end()) co_return false;  // deleted meanwhile; the next portion finds that out
  const storage::KeyRange range = table::AllRows(schema->items());
  storage::ScanOp scan;
  scan.partition = work.table->partition();
  scan.begin = work.cursor.empty() ? range.begin : work.cursor;
  scan.end = range.end;
  scan.limit_rows = rows_per_portion_;
  scan.limit_bytes = kMaxPortionBytes;
  scan.at.view = storage::View::kLatest;
  engine_.Scan(scan);
  co_await scan.done;
  if (!scan.status.ok()) co_return scan.status;

  Arena arena;
  for (const auto& row : scan.rows) {
    arena.Reset();
    auto decoded = model::DecodeItem(row.value, arena);
    if (!decoded) co_return decoded.error();
    // An item the index leaves out needs nothing: if a write gives it the missing attributes, that write makes the row.
    if (!table::HasRow(index->keyspace, decoded->item)) continue;
    const model::Item key = table::RowKeyAttributes(schema->items(), decoded->item, arena);
    auto built = co_await writes_.BuildIndexRow(*work.table, work.index_id, key, arena);
    if (!built) co_return ToStatus(built.error());
  }
  items_read_.Add(scan.rows.size());
  work.items_done += static_cast<int64_t>(scan.rows.size());
  if (!scan.rows.empty()) work.cursor = std::string(scan.rows.back().key) + '\0';
  co_return !scan.has_more;
}

Task<Result<IndexBackfill::Pause>> IndexBackfill::Remove(Work& work, const IndexDef& index) {
  // Recorded first: once the definition has forgotten the index, only the record knows of its rows.
  work = {work.table, index.id, {}, 0, false};
  if (Status status = co_await Record(work); !status.ok()) co_return status;
  const auto remove = [id = index.id](TableDef& table, IndexDef&) {
    std::erase_if(table.indexes, [&](const IndexDef& candidate) { return candidate.id == id; });
    table.PruneAttributeDefinitions();
  };
  if (Status status = co_await ChangeIndex(work, remove); !status.ok()) co_return status;
  work.is_out_of_definition = true;
  if (Status status = co_await FinishRemoval(work); !status.ok()) co_return status;
  co_return Pause();
}

Task<Status> IndexBackfill::FinishRemoval(Work& work) {
  // A write under the older definition would put rows behind the deletion.
  co_await writes_.AwaitEarlierWrites();
  if (Status status = co_await DeleteRows(*work.table, work.index_id); !status.ok()) co_return status;
  work.is_out_of_definition = false;
  co_return co_await Forget(work.table->id(), work.index_id);
}

// --- storing
// -----------------------------------------------------------------------------------------------------------

Task<Status> IndexBackfill::ChangeIndex(const Work& work, std::function<void(TableDef&, IndexDef&)> change) {
  const auto before = work.table->def();
  const table::Catalog::Change apply = [&](TableDef& table) -> model::ApiResult<void> {
    // Another table may have taken the name, and a deletion of the index may have come between.
    IndexDef* index = table.id == work.table->id() ? table.FindIndex(work.index_id) : nullptr;
    const IndexDef* seen = FindUnsettled(*before);
    if (!index || !seen || index->status != seen->status) return model::ResourceInUseException("the index has changed");
    change(table, *index);
    return {};
  };
  const table::TableScope scope{before->account, before->region};
  auto changed = co_await catalog_.Update(scope, before->name, apply);
  co_return changed ? Status::Ok() : ToStatus(changed.error());
}

Task<Status> IndexBackfill::Commit(storage::PartitionId partition, storage::Epoch epoch, const storage::Batch& batch) {
  storage::CommitOp commit;
  commit.partition = partition;
  commit.epoch = epoch;
  commit.batch = &batch;
  engine_.Commit(commit);
  co_await commit.done;
  co_return commit.status;
}

// Nothing here waits for the disk: a record that is lost only repeats work, and it becomes durable after the rows it
// speaks of.
Task<Status> IndexBackfill::Record(const Work& work) {
  std::string record;
  AppendByte(record, kRecordVersion);
  AppendBigEndian(record, static_cast<uint64_t>(work.items_done));
  record += work.cursor;
  storage::Batch batch;
  batch.Put(table::IndexBuildKey(work.table->id(), work.index_id), record);
  co_return co_await Commit(storage::kSystemPartition, table::kSystemEpoch, batch);
}

Task<Status> IndexBackfill::Forget(uint64_t table_id, uint32_t index_id) {
  storage::Batch batch;
  batch.Delete(table::IndexBuildKey(table_id, index_id));
  co_return co_await Commit(storage::kSystemPartition, table::kSystemEpoch, batch);
}

Task<Status> IndexBackfill::DeleteRows(const table::Table& table, uint32_t index_id) {
  IndexDef index;
  index.kind = model::IndexKind::kGlobal;
  index.id = index_id;
  const storage::KeyRange rows = table::AllRows(table::IndexKeyspace(*table.def(), index));
  storage::Batch batch;
  batch.DeleteRange(rows.begin, rows.end);
  Status status = co_await Commit(table.partition(), table.epoch(), batch);
  const bool is_gone = status.code() == StatusCode::kNotFound;  // the table went, and its rows with it
  co_return is_gone ? Status::Ok() : status;
}

void IndexBackfill::ShowProgress() const {
  int64_t running = 0, done = 0, items = 0;
  for (const auto& [id, work] : works_) {
    const auto def = work.table->def();
    const IndexDef* index = FindUnsettled(*def);
    if (!index || index->status != ResourceStatus::kCreating) continue;
    ++running;
    done += work.items_done;
    items += std::max(work.items_done, work.table->stats().item_count.load());
  }
  progress_->running = running;
  progress_->percent = running == 0 ? 100.0
                       : items == 0 ? 0.0
                                    : 100.0 * static_cast<double>(done) / static_cast<double>(items);
}

}  // namespace armature::workers
