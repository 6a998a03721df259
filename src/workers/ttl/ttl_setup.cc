#include "workers/ttl/ttl_setup.h"

#include "base/bytes.h"
#include "table/keys/expiry.h"
#include "table/keys/key_layout.h"
#include "workers/pace.h"

namespace armature::workers {

using model::TableDef;
using model::TtlStatus;

namespace {

// Making rows takes a fifth of a core.
constexpr int64_t kRestsPerCpuTime = 4;

// version 1 | cursor
constexpr uint8_t kRecordVersion = 1;

bool IsUnsettled(const TableDef& table) {
  return table.ttl.status == TtlStatus::kEnabling || table.ttl.status == TtlStatus::kDisabling;
}

}  // namespace

TtlSetup::TtlSetup(storage::Engine& engine, const Clock& clock, table::Catalog& catalog, table::WritePath& writes,
                   Metrics& metrics)
    : TtlSetup(engine, clock, catalog, writes, metrics, Portions{}) {}

TtlSetup::TtlSetup(storage::Engine& engine, const Clock& clock, table::Catalog& catalog, table::WritePath& writes,
                   Metrics& metrics, Portions portions)
    : PortionedJob(engine, catalog, "setting up Time to Live", table::ExpiryBuildRange()),
      clock_(clock),
      writes_(writes),
      portions_(portions),
      items_read_(metrics.GetCounter("armature_ttl_backfill_items_total",
                                     "Items read to find out when they expire, after TTL was enabled")) {}

// --- finding work

bool TtlSetup::MakesWork(const model::TableDef& before, const model::TableDef& after) const {
  return IsUnsettled(after) && after.ttl.status != before.ttl.status;
}

std::optional<TtlWork> TtlSetup::FindWork(const std::shared_ptr<table::Table>& table) const {
  const auto def = table->def();
  if (!IsUnsettled(*def)) return {};
  return TtlWork{{table, {}}, def->ttl.status, false, false};
}

Task<Status> TtlSetup::TakeRecord(std::string_view key, std::string_view record) {
  ByteReader id(key.substr(1));
  const auto table_id = id.BigEndian<uint64_t>();
  const bool is_known = ByteReader(record).Byte() == kRecordVersion;
  if (!id.ok() || !is_known) co_return Status::Corruption("the record of expiry rows being made is damaged");
  const auto work = works_.find(table_id);
  if (work != works_.end() && work->second.status == TtlStatus::kEnabling) {
    work->second.cursor = record.substr(1);
    co_return Status::Ok();
  }
  // The work is done or the table gone, only the record was not removed yet.
  co_return co_await Forget(table_id);
}

// --- the work on one table

Task<Result<Pause>> TtlSetup::Advance(TtlWork& work) {
  const Pace pace(kRestsPerCpuTime);
  const auto def = work.table->def();
  const bool is_gone = def->status == model::ResourceStatus::kDeleting;
  if (is_gone || !IsUnsettled(*def)) {
    if (Status status = co_await Forget(work.table->id()); !status.ok()) co_return status;
    co_return Pause();
  }
  const bool is_enabling = def->ttl.status == TtlStatus::kEnabling;
  if (work.status != def->ttl.status) work = {{work.table, {}}, def->ttl.status, false, false};
  if (!work.has_begun) {
    // Writes that began under the older definition keep rows by its rules; none may run any more.
    co_await writes_.AwaitEarlierWrites(*work.table);
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
Task<Status> TtlSetup::Enable(TtlWork& work) {
  const auto schema = work.table->schema();
  // An item that does not expire needs nothing: if a write makes it, that write makes the row.
  const NeedsRow expires = [&](const model::Item& item) {
    return table::ExpirySeconds(item, schema->expiry_attribute()).has_value();
  };
  const MakeRow make_row = [&](const model::Item& key, Arena& arena) {
    return writes_.BuildExpiryRow(*work.table, key, arena);
  };
  const size_t most_items = work.cursor.empty() ? portions_.first : portions_.later;
  auto portion = co_await WalkPortion(engine_, work, most_items, expires, make_row);
  if (!portion) co_return portion.error();
  items_read_.Add(portion->items);
  work.is_done = portion->is_last;
  co_return co_await Record(work);
}

Task<Status> TtlSetup::Disable(TtlWork& work) {
  const storage::KeyRange rows = table::AllExpiryRows();
  Status status = co_await DeleteRows(*work.table, rows);
  work.is_done = status.ok();
  co_return status;
}

// --- storing

Task<Status> TtlSetup::ChangeStatus(const TtlWork& work, TtlStatus status) {
  const auto before = work.table->def();
  const table::Catalog::Change apply = [&](TableDef& table) -> model::ApiResult<void> {
    // Another table may have taken the name.
    if (table.id != before->id || table.ttl.status != before->ttl.status)
      return model::ResourceInUseException("Time to Live has changed");
    table.ttl.status = status;
    if (status == TtlStatus::kDisabled) table.ttl.attribute.clear();
    return {};
  };
  co_return co_await ChangeDefinition(*work.table, apply);
}

Task<Status> TtlSetup::Record(const TtlWork& work) {
  std::string record;
  AppendByte(record, kRecordVersion);
  record += work.cursor;
  return StoreRecord(table::ExpiryBuildKey(work.table->id()), std::move(record));
}

Task<Status> TtlSetup::Forget(uint64_t table_id) { return RemoveRecord(table::ExpiryBuildKey(table_id)); }

}  // namespace armature::workers
