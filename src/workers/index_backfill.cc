#include "workers/index_backfill.h"

#include <algorithm>
#include <atomic>

#include "base/bytes.h"
#include "table/keys/key_layout.h"

namespace armature::workers {

using model::IndexDef;
using model::ResourceStatus;
using model::TableDef;
using std::chrono::milliseconds;

namespace {

// Between portions, so that a backfill takes no more than part of a core.
constexpr milliseconds kPauseBetweenPortions(10);

// version 1 | items done, 8 bytes | cursor
constexpr uint8_t kRecordVersion = 1;

const IndexDef* FindUnsettled(const TableDef& table) {
  const auto it = std::find_if(table.indexes.begin(), table.indexes.end(), [](const IndexDef& index) {
    return index.status == ResourceStatus::kCreating || index.status == ResourceStatus::kDeleting;
  });
  return it == table.indexes.end() ? nullptr : &*it;
}

}  // namespace

struct IndexBackfill::Progress {
  std::atomic<int64_t> running{0};
  std::atomic<double> percent{100};
};

IndexBackfill::IndexBackfill(storage::Engine& engine, const Clock& clock, table::Catalog& catalog,
                             table::WritePath& writes, Metrics& metrics, size_t rows_per_portion)
    : PortionedJob(engine, catalog, "work on an index", table::IndexBuildRange()),
      clock_(clock),
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

bool IndexBackfill::MakesWork(const model::TableDef& before, const model::TableDef& after) const {
  const IndexDef* index = FindUnsettled(after);
  if (!index) return false;
  const IndexDef* old = before.FindIndex(index->name);
  return !old || old->id != index->id || old->status != index->status;
}

std::optional<IndexWork> IndexBackfill::FindWork(const std::shared_ptr<table::Table>& table) const {
  const auto def = table->def();
  const IndexDef* index = FindUnsettled(*def);
  if (!index) return {};
  return IndexWork{{table, {}}, index->id, 0};
}

Task<Status> IndexBackfill::TakeRecord(std::string_view key, std::string_view record) {
  ByteReader ids(key.substr(1)), reader(record);
  const auto table_id = ids.BigEndian<uint64_t>();
  const auto index_id = ids.BigEndian<uint32_t>();
  const bool is_known = reader.Byte() == kRecordVersion;
  const auto items_done = static_cast<int64_t>(reader.BigEndian<uint64_t>());
  if (!ids.ok() || !reader.ok() || !is_known) co_return Status::Corruption("the record of an index build is damaged");
  if (const auto work = works_.find(table_id); work != works_.end() && work->second.index_id == index_id) {
    work->second.items_done = items_done;
    work->second.cursor = record.substr(1 + sizeof(uint64_t));
    co_return Status::Ok();
  }
  // Its index is settled or gone, only the record was not removed yet.
  co_return co_await Forget(table_id, index_id);
}

// --- the work on one table

Task<Result<Pause>> IndexBackfill::Advance(IndexWork& work) {
  const auto def = work.table->def();
  const IndexDef* index = FindUnsettled(*def);
  if (!index || def->status == ResourceStatus::kDeleting) co_return Pause();
  // While the table is UPDATING the index's place is being made, as on AWS.
  const int64_t now = clock_.NowMillis();
  if (def->StatusAt(now) != ResourceStatus::kActive) co_return Pause(def->transition_due_millis - now);
  if (index->id != work.index_id) work = {{work.table, {}}, index->id, 0};
  if (index->status == ResourceStatus::kCreating) co_return co_await Build(work, *index);
  co_return co_await Remove(work, *index);
}

Task<Result<Pause>> IndexBackfill::Build(IndexWork& work, const IndexDef& index) {
  if (!index.is_backfilling) {
    // Writes that began under the definition without the index do not keep it; none may run any more.
    co_await writes_.AwaitEarlierWrites(*work.table);
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
  // The change is durable before it is shown, and all rows were before it.
  const auto activate = [](TableDef&, IndexDef& changed) {
    changed.is_backfilling = false;
    changed.status = ResourceStatus::kActive;
  };
  if (Status status = co_await ChangeIndex(work, activate); !status.ok()) co_return status;
  if (Status status = co_await Forget(work.table->id(), work.index_id); !status.ok()) co_return status;
  co_return Pause();
}

Task<Result<bool>> IndexBackfill::BuildPortion(IndexWork& work) {
  const auto schema = work.table->schema();
  const auto& indexes = schema->indexes();
  const auto index =
      std::find_if(indexes.begin(), indexes.end(), [&](const auto& i) { return i.def->id == work.index_id; });
  if (index == indexes.end()) co_return false;  // deleted meanwhile; the next portion finds that out
  // An item the index leaves out needs nothing: if a write gives it the missing attributes, that write makes the row.
  const NeedsRow is_entered = [&](const model::Item& item) { return table::HasRow(index->keyspace, item); };
  const MakeRow enter = [&](const model::Item& key, Arena& arena) {
    return writes_.BuildIndexRow(*work.table, work.index_id, key, arena);
  };
  auto portion = co_await WalkPortion(engine_, work, rows_per_portion_, is_entered, enter);
  if (!portion) co_return portion.error();
  items_read_.Add(portion->items);
  work.items_done += static_cast<int64_t>(portion->items);
  co_return portion->is_last;
}

// The partitions go with the index, and writes under the older definition find them gone.
Task<Result<Pause>> IndexBackfill::Remove(IndexWork& work, const IndexDef& index) {
  const auto remove = [id = index.id](TableDef& table, IndexDef&) {
    std::erase_if(table.indexes, [&](const IndexDef& candidate) { return candidate.id == id; });
    table.PruneAttributeDefinitions();
  };
  if (Status status = co_await ChangeIndex(work, remove); !status.ok()) co_return status;
  // Of an index that was not built to its end.
  if (Status status = co_await Forget(work.table->id(), work.index_id); !status.ok()) co_return status;
  co_return Pause();
}

// --- storing

Task<Status> IndexBackfill::ChangeIndex(const IndexWork& work, std::function<void(TableDef&, IndexDef&)> change) {
  const auto before = work.table->def();
  const table::Catalog::Change apply = [&](TableDef& table) -> model::ApiResult<void> {
    // Another table may have taken the name, and a deletion of the index may have come between.
    IndexDef* index = table.id == work.table->id() ? table.FindIndex(work.index_id) : nullptr;
    const IndexDef* seen = FindUnsettled(*before);
    if (!index || !seen || index->status != seen->status) return model::ResourceInUseException("the index has changed");
    change(table, *index);
    return {};
  };
  co_return co_await ChangeDefinition(*work.table, apply);
}

Task<Status> IndexBackfill::Record(const IndexWork& work) {
  std::string record;
  AppendByte(record, kRecordVersion);
  AppendBigEndian(record, static_cast<uint64_t>(work.items_done));
  record += work.cursor;
  return StoreRecord(table::IndexBuildKey(work.table->id(), work.index_id), std::move(record));
}

Task<Status> IndexBackfill::Forget(uint64_t table_id, uint32_t index_id) {
  return RemoveRecord(table::IndexBuildKey(table_id, index_id));
}

void IndexBackfill::ShowProgress() const {
  int64_t running = 0, done = 0, items = 0;
  for (const auto& [id, work] : works_) {
    const auto def = work.table->def();
    const IndexDef* index = FindUnsettled(*def);
    if (!index || index->status != ResourceStatus::kCreating) continue;
    ++running;
    done += work.items_done;
    items += std::max(work.items_done, work.table->CountItems().rows);
  }
  progress_->running = running;
  progress_->percent = running == 0 ? 100.0
                       : items == 0 ? 0.0
                                    : 100.0 * static_cast<double>(done) / static_cast<double>(items);
}

}  // namespace armature::workers
