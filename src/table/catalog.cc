#include "table/catalog.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/log.h"
#include "model/codec/table_def_codec.h"
#include "model/messages/tables.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::table {

using model::ApiError;
using model::ApiResult;
using model::ResourceStatus;
using model::TableDef;

namespace {

constexpr storage::Epoch kFirstEpoch = 1;

// When the next id is not known any more, it goes on so far behind the highest that is: no id is given out twice.
constexpr uint64_t kLostIds = uint64_t{1} << 20;
constexpr uint64_t kTableIdEnd = uint64_t{1} << 56;  // see storage/partition.h

void AddPartitionIds(const PartitionSet& partitions, std::vector<storage::PartitionId>& ids) {
  for (const auto& list : {partitions.list(), partitions.ended()})
    for (const auto& partition : *list) ids.push_back(partition->id());
}

// Of global indexes that a table no longer has.
std::vector<storage::PartitionId> PartitionsOfRemoved(const TableSchema& before, const TableSchema& after) {
  std::vector<storage::PartitionId> ids;
  for (const auto& index : before.indexes()) {
    const IndexSchema* const now = after.FindIndex(index.def->name);
    if (index.is_global() && (!now || now->def->keyspace != index.def->keyspace))
      AddPartitionIds(*index.partitions, ids);
  }
  return ids;
}

// Those of the table and of its global indexes.
std::vector<storage::PartitionId> PartitionIds(const Table& table) {
  std::vector<storage::PartitionId> ids;
  AddPartitionIds(table.partitions(), ids);
  const auto schema = table.schema();
  for (const auto& index : schema->indexes())
    if (index.is_global()) AddPartitionIds(*index.partitions, ids);
  return ids;
}

}  // namespace

Catalog::Catalog(storage::Engine& engine, const Clock& clock, int64_t control_plane_delay_millis,
                 const ThrottleRules& throttling)
    : engine_(engine),
      clock_(clock),
      control_plane_delay_millis_(control_plane_delay_millis),
      throttling_(throttling) {}

// --- loading

Task<Status> Catalog::Load() {
  auto partitions = co_await engine_.ListPartitions();
  if (!partitions) co_return partitions.error();
  for (const auto& info : *partitions) next_table_id_ = std::max(next_table_id_, info.id + 1);
  if (Status status = co_await LoadNextTableId(); !status.ok()) co_return status;
  co_return co_await LoadTables(*partitions);
}

Task<Status> Catalog::LoadNextTableId() {
  storage::GetOp next_id;
  const std::string next_id_key = NextTableIdKey();
  next_id.partition = &engine_.system();
  next_id.key = next_id_key;
  next_id.at.view = storage::View::kLatest;
  engine_.Get(next_id);
  co_await next_id.done;
  if (!next_id.status.ok() || !next_id.found) co_return next_id.status;
  ByteReader reader(next_id.value);
  const auto stored = reader.BigEndian<uint64_t>();
  if (reader.ok() && reader.at_end() && stored < kTableIdEnd - kLostIds) {
    next_table_id_ = std::max(next_table_id_, stored);
  } else {
    next_table_id_ += kLostIds;
    LogError("the record of the next table id is damaged; ids go on at {}", next_table_id_);
  }
  co_return Status::Ok();
}

Task<Result<std::shared_ptr<Table>>> Catalog::LoadTable(std::string_view record,
                                                        const std::vector<storage::PartitionInfo>& partitions) {
  ARMATURE_CO_TRY(TableDef def, model::DecodeTableDef(record));
  auto opened = co_await OpenPartitions(def.id, partitions);
  if (!opened) co_return opened.error();
  IndexPartitions of_indexes;
  for (const auto& index : def.indexes) {
    if (index.kind != model::IndexKind::kGlobal) continue;
    auto of_index = co_await OpenPartitions(index.keyspace, partitions);
    if (!of_index) co_return of_index.error();
    of_indexes[index.keyspace] = std::make_shared<PartitionSet>(std::move(*of_index));
  }
  co_return std::make_shared<Table>(std::make_shared<const TableDef>(std::move(def)), std::move(*opened), of_indexes,
                                    throttling_);
}

Task<Result<PartitionSet::List>> Catalog::OpenPartitions(storage::KeyspaceId keyspace,
                                                         const std::vector<storage::PartitionInfo>& partitions) {
  std::vector<storage::PartitionInfo> own, ended;
  for (const auto& info : partitions)
    if (info.keyspace == keyspace) (info.is_ended ? ended : own).push_back(info);
  std::sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.hashes.first < b.hashes.first; });
  PartitionSet::List opened;
  uint64_t next_hash = 0;
  bool is_whole = false;
  for (const auto& info : own) {
    if (is_whole || info.hashes.first != next_hash) co_return Status::Corruption("its partitions do not fit together");
    is_whole = info.hashes.last == UINT64_MAX;
    next_hash = info.hashes.last + 1;
    auto handle = co_await engine_.OpenPartitionAt(info.id, info.epoch);
    if (!handle) co_return handle.error();
    auto partition = co_await Partition::Open(engine_, std::move(*handle));
    if (!partition) co_return partition.error();
    opened.push_back(std::move(*partition));
  }
  if (!is_whole) co_return Status::Corruption("it has no partition");
  for (const auto& info : ended) {
    auto handle = co_await engine_.OpenPartitionAt(info.id, info.epoch);
    if (!handle) co_return handle.error();
    auto partition = co_await Partition::Open(engine_, std::move(*handle));
    if (!partition) co_return partition.error();
    opened.push_back(std::move(*partition));
  }
  co_return opened;
}

Task<Status> Catalog::LoadTables(const std::vector<storage::PartitionInfo>& partitions) {
  storage::ScanOp scan;
  const storage::KeyRange range = CatalogRange();
  if (Status status = co_await ReadSystemRecords(engine_, range, scan); !status.ok()) co_return status;

  std::unordered_set<storage::PartitionId> known{storage::kSystemPartition};
  for (const auto& row : scan.rows) {
    auto loaded = co_await LoadTable(row.value, partitions);
    const std::string_view name = NameInCatalogKey(row.key);
    if (loaded && CatalogKeyOf(*(*loaded)->def()) != row.key) loaded = Status::Corruption("it is another table's");
    if (!loaded) {
      SetAsideRecord(std::string(row.key), name, loaded.error().message());
      continue;
    }
    for (const storage::PartitionId id : PartitionIds(**loaded)) known.insert(id);
    NotePolicies(*(*loaded)->def());
    list_.Add(std::move(*loaded));
  }
  if (Status status = co_await LoadDeletedTables(partitions); !status.ok()) co_return status;
  for (const auto& table : DeletedTables())
    for (const storage::PartitionId id : PartitionIds(*table)) known.insert(id);
  if (Status status = co_await DropUnknownPartitions(partitions, known); !status.ok()) co_return status;
  // On a full disk a server starts all the same, and does later what is due.
  const Status status = co_await RunDueTransitions();
  co_return status.code() == StatusCode::kNoSpace ? Status::Ok() : status;
}

// A crash between a partition's creation and its table's record, or between a record's removal and the partition's,
// leaves a partition nobody knows. It may also be that of a table whose record cannot be read.
Task<Status> Catalog::DropUnknownPartitions(const std::vector<storage::PartitionInfo>& partitions,
                                            const std::unordered_set<storage::PartitionId>& known) {
  for (const auto& info : partitions) {
    if (known.contains(info.id)) continue;
    if (has_unreadable()) {
      LogWarn("partition {} belongs to no table that can be read, and stays", info.id);
      continue;
    }
    LogInfo("dropping partition {} left over from an interrupted table change", info.id);
    const Status status = co_await engine_.DropPartition(info.id);
    if (!status.ok() && status.code() != StatusCode::kNoSpace) co_return status;
    if (!status.ok()) partitions_to_drop_.push_back(info.id);
  }
  co_return Status::Ok();
}

Task<Status> Catalog::LoadDeletedTables(const std::vector<storage::PartitionInfo>& partitions) {
  storage::ScanOp scan;
  const storage::KeyRange range = DeletedTableRange();
  if (Status status = co_await ReadSystemRecords(engine_, range, scan); !status.ok()) co_return status;
  for (const auto& row : scan.rows) {
    auto loaded = co_await LoadTable(row.value, partitions);
    if (loaded && DeletedTableKey((*loaded)->id()) != row.key) loaded = Status::Corruption("it is another table's");
    if (!loaded) {
      ByteReader id(row.key.substr(1));
      SetAsideRecord(std::string(row.key), fmt::format("(deleted, id {})", id.BigEndian<uint64_t>()),
                     loaded.error().message());
      continue;
    }
    NotePolicies(*(*loaded)->def());
    list_.AddDeleted(std::move(*loaded));
  }
  co_return Status::Ok();
}

void Catalog::NotePolicies(const model::TableDef& def) {
  if (def.HasPolicies()) has_policies_.store(true, std::memory_order_release);
}

// --- tables that cannot be read

void Catalog::SetAsideRecord(std::string key, std::string_view label, std::string_view why) {
  LogError("table {} cannot be read and is set aside, its data is kept: {}", label, why);
  list_.SetAside(std::move(key), why);
}

void Catalog::SetAside(const std::shared_ptr<Table>& table, std::string_view why) {
  SetAsideRecord(list_.TakeOut(table), table->def()->name, why);
}

std::optional<model::ApiError> Catalog::WhyUnreadable(TableScope scope, std::string_view name) const {
  const auto why = list_.WhySetAside(scope, name);
  if (!why) return std::nullopt;
  // Words of our own instead of Amazon's, which say nothing: no retry mends this.
  model::ApiError error = model::InternalServerError();
  error.message = fmt::format("Table {} cannot be read: {}. Its data is kept; the server's log has more", name, *why);
  return error;
}

size_t Catalog::CountTables(TableScope scope) const {
  bool has_more = false;
  return ListNames(scope, {}, SIZE_MAX, &has_more).size();
}

// --- changes

Task<Status> Catalog::CommitSystem(const storage::Batch& batch) { return WriteSystemRecordsDurably(engine_, batch); }

Task<Status> Catalog::StoreRecord(const TableDef& def) {
  storage::Batch batch;
  batch.Put(CatalogKeyOf(def), model::EncodeTableDef(def));
  co_return co_await CommitSystem(batch);
}

Task<ApiResult<std::shared_ptr<Table>>> Catalog::Create(TableDef def) {
  auto guard = co_await change_latch_.LockStripe(0);
  const int64_t now = clock_.NowMillis();
  const TableScope scope{def.account, def.region};
  if (auto existing = Find(scope, def.name)) {
    if (!existing->def()->IsGoneAt(now))
      co_return model::ResourceInUseException(fmt::format(model::messages::kTableAlreadyExists, def.name));
    if (Status status = co_await RemoveTable(existing); !status.ok()) co_return model::FromStatus(status);
  }
  if (WhyUnreadable(scope, def.name))
    co_return model::ResourceInUseException(fmt::format(model::messages::kTableAlreadyExists, def.name));

  // Taken even if what follows fails: a record that could not be synced may still be there after a crash, and must
  // never share its id with another table's.
  def.id = next_table_id_++;
  def.created_millis = now;
  def.status = ResourceStatus::kCreating;
  def.transition_due_millis = now + control_plane_delay_millis_;

  std::vector<storage::PartitionId> made;
  auto partition = co_await MakePartition(def.id, made);
  IndexPartitions of_indexes;
  Status are_made;
  if (partition) are_made = co_await MakeIndexPartitions(def, made, of_indexes);
  else are_made = partition.error();
  if (!are_made.ok()) {
    LogError("table {} could not be created: {}", def.name, are_made.ToString());
    co_return model::FromStatus(are_made);
  }
  // Made ready before it is stored: what is stored is in use from then on, memory or not.
  auto table = std::make_shared<Table>(std::make_shared<const TableDef>(def),
                                       PartitionSet::List{std::make_shared<Partition>(std::move(*partition))},
                                       of_indexes, throttling_);
  TableList::Tables ready;
  ready.emplace(CatalogKeyOf(def), table);
  MakeRoomToTell();
  storage::Batch batch;
  batch.Put(CatalogKeyOf(def), model::EncodeTableDef(def));
  PutNextId(batch);
  Status stored = co_await CommitSystem(batch);
  KeepPartitions(made);
  if (!stored.ok()) {
    LogError("table {} could not be created: {}", def.name, stored.ToString());
    storage::Batch undo;
    undo.Delete(CatalogKeyOf(def));
    co_await UndoAndDrop(undo, made);
    co_return model::FromStatus(stored);
  }
  NotePolicies(def);
  list_.Take(ready);
  to_tell_.push_back({table, nullptr, table->def()});
  co_await ReleaseAndTell(std::move(guard));
  co_return table;
}

void Catalog::PutNextId(storage::Batch& batch) const {
  std::string next_id;
  AppendBigEndian(next_id, next_table_id_);
  batch.Put(NextTableIdKey(), next_id);
}

// Whatever ends a change early, its partitions are not forgotten: they may be there.
Task<Result<std::shared_ptr<storage::OpenPartition>>> Catalog::MakePartition(storage::KeyspaceId keyspace,
                                                                             std::vector<storage::PartitionId>& made) {
  // The first of a keyspace has its number.
  const storage::PartitionInfo info{.id = keyspace, .keyspace = keyspace, .epoch = kFirstEpoch};
  made.push_back(info.id);
  partitions_to_drop_.push_back(info.id);
  if (Status status = co_await engine_.CreatePartition(info); !status.ok()) co_return status;
  co_return co_await engine_.OpenPartitionAt(info.id, kFirstEpoch);
}

Task<Status> Catalog::MakeIndexPartitions(TableDef& def, std::vector<storage::PartitionId>& made,
                                          IndexPartitions& of_indexes) {
  for (auto& index : def.indexes) {
    if (index.kind != model::IndexKind::kGlobal || index.keyspace != 0) continue;
    index.keyspace = next_table_id_++;
    auto partition = co_await MakePartition(index.keyspace, made);
    if (!partition) co_return partition.error();
    of_indexes[index.keyspace] =
        std::make_shared<PartitionSet>(PartitionSet::List{std::make_shared<Partition>(std::move(*partition))});
  }
  co_return Status::Ok();
}

Task<Status> Catalog::SplitPartition(std::shared_ptr<Table> table, storage::PartitionId id) {
  // Held all the time: who removes the table or the index finds the children.
  auto guard = co_await change_latch_.LockStripe(0);
  const auto def = table->def();
  if (Find({def->account, def->region}, def->name) != table) co_return Status::NotFound("the table is gone");
  const auto schema = table->schema();
  PartitionSet* set = table->partitions().FindById(id) ? &table->partitions() : nullptr;
  for (const auto& index : schema->indexes())
    if (index.is_global() && index.partitions->FindById(id)) set = index.partitions.get();
  const auto partition = set ? set->FindById(id) : nullptr;
  if (!partition || partition->has_ended()) co_return Status::NotFound("no such partition");
  const storage::HashRange hashes = partition->hashes();
  if (set->list()->size() >= kMostPartitions) co_return Status::InvalidArgument("there are as many as there may be");
  if (hashes.first == hashes.last) co_return Status::NotFound("a partition of a single hash cannot be split");
  // Stored before they are used: what a crash leaves of them is never another's.
  const storage::PartitionId low = next_table_id_;
  next_table_id_ += 2;
  storage::Batch batch;
  PutNextId(batch);
  if (Status status = co_await CommitSystem(batch); !status.ok()) co_return status;
  const uint64_t middle = hashes.first + (hashes.last - hashes.first) / 2 + 1;
  co_return co_await set->Split(engine_, id, middle, low, low + 1);
}

void Catalog::KeepPartitions(const std::vector<storage::PartitionId>& made) noexcept {
  for (const storage::PartitionId id : made) std::erase(partitions_to_drop_, id);
}

void Catalog::MakeRoomToTell() { to_tell_.reserve(to_tell_.size() + 1); }

// Should memory be short for this call, what is to be told is told with the next change.
Task<void> Catalog::ReleaseAndTell(LatchTable::Guard guard) {
  const std::vector<TableChange> changes = std::exchange(to_tell_, {});
  guard.Release();
  for (const TableChange& change : changes)
    for (CatalogListener* listener : listeners_) co_await listener->OnTableChange(change);
}

// The record first: a record without a partition would be a damaged catalogue, a partition without a record is only
// something for Load to clear away.
Task<void> Catalog::UndoAndDrop(const storage::Batch& undo, const std::vector<storage::PartitionId>& made) {
  Status status = co_await CommitSystem(undo);
  if (status.ok()) {
    partitions_to_drop_.insert(partitions_to_drop_.end(), made.begin(), made.end());
    status = co_await DropPartitions();
  }
  if (!status.ok()) LogWarn("partition {} stays for now: {}", fmt::join(made, ", "), status.ToString());
}

Task<ApiResult<std::shared_ptr<const TableDef>>> Catalog::Update(TableScope scope, std::string_view name,
                                                                 Change change) {
  auto guard = co_await change_latch_.LockStripe(0);
  const int64_t now = clock_.NowMillis();
  auto table = Find(scope, name);
  if (auto unreadable = WhyUnreadable(scope, name)) co_return std::move(*unreadable);
  if (!table || table->def()->IsGoneAt(now))
    co_return model::ResourceNotFoundException(fmt::format(model::messages::kTableNotFound, name));
  const auto old = table->def();
  TableDef def = *old;
  def.status = def.StatusAt(now);
  const ResourceStatus before = def.status;
  ARMATURE_CO_CHECK_OK(change(def));
  if (def.status != before) def.transition_due_millis = now + control_plane_delay_millis_;
  std::vector<storage::PartitionId> made;
  IndexPartitions of_indexes;
  if (Status status = co_await MakeIndexPartitions(def, made, of_indexes); !status.ok())
    co_return model::FromStatus(status);
  auto changed = std::make_shared<const TableDef>(std::move(def));
  auto schema = table->MakeSchema(changed, of_indexes);
  const auto gone = PartitionsOfRemoved(*table->schema(), *schema);
  partitions_to_drop_.reserve(partitions_to_drop_.size() + gone.size());
  MakeRoomToTell();
  storage::Batch batch;
  batch.Put(CatalogKeyOf(*changed), model::EncodeTableDef(*changed));
  if (!made.empty()) PutNextId(batch);
  Status stored = co_await CommitSystem(batch);
  KeepPartitions(made);
  if (!stored.ok()) {
    if (!made.empty()) {
      storage::Batch undo;
      undo.Put(CatalogKeyOf(*old), model::EncodeTableDef(*old));
      co_await UndoAndDrop(undo, made);
    }
    co_return model::FromStatus(stored);
  }
  NotePolicies(*changed);
  table->Publish(std::move(schema));
  to_tell_.push_back({std::move(table), old, changed});
  partitions_to_drop_.insert(partitions_to_drop_.end(), gone.begin(), gone.end());
  if (!gone.empty())
    if (Status status = co_await DropPartitions(); !status.ok())
      LogWarn("an index of table {} is deleted, but not yet cleared away: {}", name, status.ToString());
  co_await ReleaseAndTell(std::move(guard));
  co_return changed;
}

Task<ApiResult<std::shared_ptr<const TableDef>>> Catalog::Delete(TableScope scope, std::string_view name,
                                                                 Change check) {
  auto deleted = co_await Update(scope, name, [&](TableDef& def) -> ApiResult<void> {
    ARMATURE_CHECK_OK(check(def));
    def.status = ResourceStatus::kDeleting;
    return {};
  });
  if (deleted && control_plane_delay_millis_ == 0) {
    auto guard = co_await change_latch_.LockStripe(0);
    auto table = Find(scope, name);
    if (table && table->id() == (*deleted)->id) {
      // The table is gone for everybody already; what could not be cleared away now is left to RunDueTransitions.
      if (Status status = co_await RemoveTable(table); !status.ok())
        LogWarn("table {} is deleted, but not yet cleared away: {}", name, status.ToString());
    }
    co_await ReleaseAndTell(std::move(guard));
  }
  co_return deleted;
}

Task<Status> Catalog::RemoveTable(std::shared_ptr<Table> table) {
  const auto def = table->def();
  const std::string key = CatalogKeyOf(*def);
  if (!def->stream.label.empty()) co_return co_await BuryTable(table);
  storage::Batch batch;
  batch.Delete(key);
  batch.Delete(JournalStateKey(def->id));
  const auto partitions = PartitionIds(*table);
  partitions_to_drop_.reserve(partitions_to_drop_.size() + partitions.size());
  MakeRoomToTell();
  if (Status status = co_await CommitSystem(batch); !status.ok()) co_return status;
  list_.Remove(key);
  to_tell_.push_back({table, def, nullptr});
  partitions_to_drop_.insert(partitions_to_drop_.end(), partitions.begin(), partitions.end());
  co_return co_await DropPartitions();
}

// The table goes, its journal stays: streams of a deleted table can be read for a day.
Task<Status> Catalog::BuryTable(std::shared_ptr<Table> table) {
  const auto def = table->def();
  const std::string key = CatalogKeyOf(*def);
  storage::Batch records;
  records.Delete(key);
  // Its global indexes are not kept.
  TableDef buried = *def;
  std::erase_if(buried.indexes, [](const auto& index) { return index.kind == model::IndexKind::kGlobal; });
  records.Put(DeletedTableKey(def->id), model::EncodeTableDef(buried));
  std::vector<storage::PartitionId> of_indexes;
  const auto schema = table->schema();
  for (const auto& index : schema->indexes())
    if (index.is_global()) AddPartitionIds(*index.partitions, of_indexes);
  partitions_to_drop_.reserve(partitions_to_drop_.size() + of_indexes.size());
  list_.MakeRoomToBury();
  MakeRoomToTell();
  if (Status status = co_await CommitSystem(records); !status.ok()) co_return status;
  to_tell_.push_back({table, def, nullptr});
  list_.Bury(key, std::move(table));
  partitions_to_drop_.insert(partitions_to_drop_.end(), of_indexes.begin(), of_indexes.end());
  // What is left after a crash or a failure goes with the journal.
  if (Status status = co_await engine_.DropRowsOfHashes(def->id); !status.ok())
    LogWarn("the items of deleted table {} stay until its stream is gone: {}", def->name, status.ToString());
  co_return co_await DropPartitions();
}

Task<Status> Catalog::ForgetDeleted(std::shared_ptr<Table> table) {
  auto guard = co_await change_latch_.LockStripe(0);
  storage::Batch batch;
  batch.Delete(DeletedTableKey(table->id()));
  batch.Delete(JournalStateKey(table->id()));
  const auto partitions = PartitionIds(*table);
  partitions_to_drop_.reserve(partitions_to_drop_.size() + partitions.size());
  if (Status status = co_await CommitSystem(batch); !status.ok()) co_return status;
  list_.ForgetDeleted(table);
  partitions_to_drop_.insert(partitions_to_drop_.end(), partitions.begin(), partitions.end());
  co_return co_await DropPartitions();
}

Task<Status> Catalog::DropPartitions() {
  while (!partitions_to_drop_.empty()) {
    const Status status = co_await engine_.DropPartition(partitions_to_drop_.back());
    if (!status.ok() && status.code() != StatusCode::kNotFound) co_return status;
    partitions_to_drop_.pop_back();
  }
  co_return Status::Ok();
}

Task<Status> Catalog::RunDueTransitions() {
  auto guard = co_await change_latch_.LockStripe(0);
  const int64_t now = clock_.NowMillis();
  for (const auto& table : AllTables()) {
    const auto def = table->def();
    if (def->IsGoneAt(now)) {
      if (Status status = co_await RemoveTable(table); !status.ok()) co_return status;
    } else if (def->StatusAt(now) != def->status) {
      TableDef settled = *def;
      settled.status = def->StatusAt(now);
      auto changed = std::make_shared<const TableDef>(std::move(settled));
      auto schema = table->MakeSchema(changed, {});
      MakeRoomToTell();
      if (Status status = co_await StoreRecord(*changed); !status.ok()) co_return status;
      table->Publish(std::move(schema));
      to_tell_.push_back({table, def, std::move(changed)});
    }
  }
  Status status = co_await DropPartitions();
  co_await ReleaseAndTell(std::move(guard));
  co_return status;
}

}  // namespace armature::table
