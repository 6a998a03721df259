#include "workers/ttl_setup.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/log.h"
#include "model/item_codec.h"
#include "table/expiry.h"
#include "table/key_layout.h"
#include "workers/pace.h"

namespace armature::workers {

using model::TableDef;
using model::TtlStatus;
using std::chrono::milliseconds;

namespace {

// Making rows takes a fifth of a core.
constexpr int64_t kRestsPerCpuTime = 4;
constexpr milliseconds kPauseAfterFailure(1000);
constexpr size_t kMaxPortionBytes = 1024 * 1024;

// version 1 | cursor
constexpr uint8_t kRecordVersion = 1;

bool IsUnsettled(const TableDef& table) {
  return table.ttl.status == TtlStatus::kEnabling || table.ttl.status == TtlStatus::kDisabling;
}

Status ToStatus(const model::ApiError& error) { return Status::IoError(error.name + ": " + error.message); }

}  // namespace

TtlSetup::TtlSetup(storage::Engine& engine, const Clock& clock, table::Catalog& catalog, table::WritePath& writes,
                   Metrics& metrics)
    : TtlSetup(engine, clock, catalog, writes, metrics, Portions{}) {}

TtlSetup::TtlSetup(storage::Engine& engine, const Clock& clock, table::Catalog& catalog, table::WritePath& writes,
                   Metrics& metrics, Portions portions)
    : engine_(engine),
      clock_(clock),
      catalog_(catalog),
      writes_(writes),
      portions_(portions),
      items_read_(metrics.GetCounter("armature_ttl_backfill_items_total",
                                     "Items read to find out when they expire, after TTL was enabled")) {}

// --- finding work ----------------------------------------------------------------------------------------------------

Task<Status> TtlSetup::Load() {
  for (const auto& table : catalog_.AllTables()) {
    const auto def = table->def();
    if (IsUnsettled(*def)) works_[table->id()] = {table, def->ttl.status, false, false, {}};
  }
  const storage::KeyRange range = table::ExpiryBuildRange();
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
    const bool is_known = ByteReader(row.value).Byte() == kRecordVersion;
    if (!key.ok() || !is_known) co_return Status::Corruption("the record of expiry rows being made is damaged");
    const auto work = works_.find(table_id);
    if (work != works_.end() && work->second.status == TtlStatus::kEnabling) {
      work->second.cursor = row.value.substr(1);
      continue;
    }
    // The work is done or the table gone, only the record was not removed yet.
    if (Status status = co_await Forget(table_id); !status.ok()) co_return status;
  }
  co_return Status::Ok();
}

Task<void> TtlSetup::Announce(std::shared_ptr<table::Table> table) {
  {
    const auto guard = co_await latch_.LockStripe(0);
    const auto def = table->def();
    if (!IsUnsettled(*def)) co_return;
    Work& work = works_[table->id()];
    if (!work.table) work = {table, def->ttl.status, false, false, {}};
    const Pause pause = co_await AdvanceOrRetry(work);
    if (!pause) works_.erase(table->id());
    if (works_.empty()) co_return;
  }
  if (wake_) wake_();
}

Task<std::optional<milliseconds>> TtlSetup::Step() {
  const auto guard = co_await latch_.LockStripe(0);
  Pause next;
  for (auto it = works_.begin(); it != works_.end();) {
    const Pause pause = co_await AdvanceOrRetry(it->second);
    if (pause) next = std::min(next.value_or(*pause), *pause);
    it = pause ? std::next(it) : works_.erase(it);
  }
  co_return next;
}

// --- the work on one table -------------------------------------------------------------------------------------------

Task<TtlSetup::Pause> TtlSetup::AdvanceOrRetry(Work& work) {
  auto advanced = co_await Advance(work);
  if (advanced) co_return *advanced;
  LogWarn("table {}: setting up Time to Live goes on later: {}", work.table->def()->name, advanced.error().ToString());
  co_return kPauseAfterFailure;
}

Task<Result<TtlSetup::Pause>> TtlSetup::Advance(Work& work) {
  const Pace pace(kRestsPerCpuTime);
  const auto def = work.table->def();
  const bool is_gone = def->status == model::ResourceStatus::kDeleting;
  if (is_gone || !IsUnsettled(*def)) {
    if (Status status = co_await Forget(work.table->id()); !status.ok()) co_return status;
    co_return Pause();
  }
  const bool is_enabling = def->ttl.status == TtlStatus::kEnabling;
  if (work.status != def->ttl.status) work = {work.table, def->ttl.status, false, false, {}};
  if (!work.has_begun) {
    // Writes that began under the older definition keep rows by its rules; none may run any more.
    co_await writes_.AwaitEarlierWrites();
    work.has_begun = true;
  }
  if (!work.is_done) {
    Status status;
    if (is_enabling) status = co_await Enable(work);
    else status = co_await Disable(work);
    if (!status.ok()) co_return status;
    if (!work.is_done) co_return Pause(pace.Rest());
  }
  const int64_t now = clock_.NowMillis();
  if (now < def->ttl.due_millis) co_return Pause(def->ttl.due_millis - now);
  // Durable before it is shown, and so is every row, which was committed before it.
  const TtlStatus settled = is_enabling ? TtlStatus::kEnabled : TtlStatus::kDisabled;
  if (Status status = co_await ChangeStatus(work, settled); !status.ok()) co_return status;
  if (Status status = co_await Forget(work.table->id()); !status.ok()) co_return status;
  co_return Pause();
}

// Makes a portion of the rows.
Task<Status> TtlSetup::Enable(Work& work) {
  const auto schema = work.table->schema();
  const storage::KeyRange items = table::AllRows(schema->items());
  storage::ScanOp scan;
  scan.partition = work.table->partition();
  scan.begin = work.cursor.empty() ? items.begin : work.cursor;
  scan.end = items.end;
  scan.limit_rows = work.cursor.empty() ? portions_.first : portions_.later;
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
    // An item that does not expire needs nothing: if a write makes it, that write makes the row.
    if (!table::ExpirySeconds(decoded->item, schema->expiry_attribute())) continue;
    const model::Item key = table::RowKeyAttributes(schema->items(), decoded->item, arena);
    auto built = co_await writes_.BuildExpiryRow(*work.table, key, arena);
    if (!built) co_return ToStatus(built.error());
  }
  items_read_.Add(scan.rows.size());
  if (!scan.rows.empty()) work.cursor = std::string(scan.rows.back().key) + '\0';
  work.is_done = !scan.has_more;
  co_return co_await Record(work);
}

Task<Status> TtlSetup::Disable(Work& work) {
  const storage::KeyRange rows = table::AllExpiryRows(work.table->prefix());
  storage::Batch batch;
  batch.DeleteRange(rows.begin, rows.end);
  Status status = co_await Commit(work.table->partition(), work.table->epoch(), batch);
  work.is_done = status.ok();
  co_return status;
}

// --- storing ---------------------------------------------------------------------------------------------------------

Task<Status> TtlSetup::ChangeStatus(const Work& work, TtlStatus status) {
  const auto before = work.table->def();
  const table::Catalog::Change apply = [&](TableDef& table) -> model::ApiResult<void> {
    // Another table may have taken the name.
    if (table.id != before->id || table.ttl.status != before->ttl.status)
      return model::ResourceInUseException("Time to Live has changed");
    table.ttl.status = status;
    if (status == TtlStatus::kDisabled) table.ttl.attribute.clear();
    return {};
  };
  const table::TableScope scope{before->account, before->region};
  auto changed = co_await catalog_.Update(scope, before->name, apply);
  co_return changed ? Status::Ok() : ToStatus(changed.error());
}

Task<Status> TtlSetup::Commit(storage::PartitionId partition, storage::Epoch epoch, const storage::Batch& batch) {
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
Task<Status> TtlSetup::Record(const Work& work) {
  std::string record;
  AppendByte(record, kRecordVersion);
  record += work.cursor;
  storage::Batch batch;
  batch.Put(table::ExpiryBuildKey(work.table->id()), record);
  co_return co_await Commit(storage::kSystemPartition, table::kSystemEpoch, batch);
}

Task<Status> TtlSetup::Forget(uint64_t table_id) {
  storage::Batch batch;
  batch.Delete(table::ExpiryBuildKey(table_id));
  co_return co_await Commit(storage::kSystemPartition, table::kSystemEpoch, batch);
}

}  // namespace armature::workers
