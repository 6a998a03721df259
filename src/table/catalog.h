// Catalog: which tables there are.
//
// Owns every Table and its stored record. Look-ups are cheap (table_list.h); changes are serialised, made durable,
// and only then published. A table belongs to an account and a Region; names are unique within the two. State changes
// that take time on AWS (CREATING, UPDATING, DELETING) last `control_plane_delay_millis` here: with 0 the reply shows
// the passing state and the very next call sees the final one, so that SDK waiters never wait.
//
// A table whose records cannot be read is set aside: it keeps its name, its id and all its data, nobody can use or
// change it, and every other table is as it was. What has to happen elsewhere when a table changes is a listener's
// business. Thread-safe. Used by api/ and workers/.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "model/api_error.h"
#include "model/table_def.h"
#include "storage/engine.h"
#include "table/partition/latches.h"
#include "table/table.h"
#include "table/table_list.h"

namespace armature::table {

// What became of a table.
struct TableChange {
  std::shared_ptr<Table> table;
  std::shared_ptr<const model::TableDef> before;  // null: the table is new
  std::shared_ptr<const model::TableDef> after;   // null: the table is gone
};

// Whoever has something to do when a table changes.
class CatalogListener {
 public:
  virtual ~CatalogListener() = default;
  // Runs as a part of the call that made the change, which ends when this has: once the change is durable and everybody
  // sees it, and with no latch held, so that it may change the catalogue again. It is told of those changes too.
  virtual Task<void> OnTableChange(const TableChange& change) = 0;
};

class Catalog {
 public:
  // `throttling` is what all tables are kept to.
  Catalog(storage::Engine& engine, const Clock& clock, int64_t control_plane_delay_millis,
          const ThrottleRules& throttling = {});

  // From then on `listener` is told of every change, in their order for each table; not of what Load finds. REQUIRES:
  // nothing is changed meanwhile, and it outlives the last change.
  void AddListener(CatalogListener& listener) { listeners_.push_back(&listener); }

  // Reads every stored table; finishes what a crash left half done. Tables that cannot be read are set aside.
  Task<Status> Load();

  // For who finds, after Load, that another record of a table's is damaged. The table is gone from all look-ups.
  void SetAside(const std::shared_ptr<Table>& table, std::string_view why);
  // The error for whoever asks for a table that was set aside; nothing if it was not.
  std::optional<model::ApiError> WhyUnreadable(TableScope scope, std::string_view name) const;
  // While there is such a table, records and partitions that seem to be nobody's may be its own: they stay.
  bool has_unreadable() const { return list_.has_set_aside(); }

  // The table, in whatever state it is; null if there is none.
  std::shared_ptr<Table> Find(TableScope scope, std::string_view name) const { return list_.Find(scope, name); }

  // Whether a table or stream may have a policy of its own: false while none has had one since the start. Cheap.
  bool has_policies() const { return has_policies_.load(std::memory_order_acquire); }

  // Names in byte order, those set aside among them, after `exclusive_start` if that is not empty.
  std::vector<std::string> ListNames(TableScope scope, std::string_view exclusive_start, size_t limit,
                                     bool* has_more) const {
    return list_.Names(scope, exclusive_start, limit, clock_.NowMillis(), has_more);
  }
  size_t CountTables(TableScope scope) const;
  std::vector<std::shared_ptr<Table>> AllTables() const { return list_.All(); }
  // Deleted tables that had a stream: their journal stays readable until ForgetDeleted.
  std::vector<std::shared_ptr<Table>> DeletedTables() const { return list_.Deleted(); }

  // Stores and publishes a new table; id, status and transition time are filled in here. ResourceInUse if it exists.
  Task<model::ApiResult<std::shared_ptr<Table>>> Create(model::TableDef def);

  // Applies `change` to a copy of the current definition, stores and publishes it. The change sees the definition under
  // the catalogue's lock, so checks made inside it hold. Returns the new definition.
  using Change = std::function<model::ApiResult<void>(model::TableDef&)>;
  Task<model::ApiResult<std::shared_ptr<const model::TableDef>>> Update(TableScope scope, std::string_view name,
                                                                        Change change);

  // Starts deletion after `check` agrees; returns the definition as DELETING. Once that is stored the table goes, if
  // need be by a later RunDueTransitions.
  Task<model::ApiResult<std::shared_ptr<const model::TableDef>>> Delete(TableScope scope, std::string_view name,
                                                                        Change check);

  // Removes tables whose deletion is due and records due transitions. Called by a worker, and by tests.
  Task<Status> RunDueTransitions();

  // The last of a deleted table goes.
  Task<Status> ForgetDeleted(std::shared_ptr<Table> table);

  // Splits a partition of the table or of its global indexes in the middle of its hashes, while it is used. Durable
  // when it returns. kNotFound: the table is gone, there is no such partition, or it has a single hash;
  // kInvalidArgument: there are kMostPartitions already.
  Task<Status> SplitPartition(std::shared_ptr<Table> table, storage::PartitionId id);

  int64_t control_plane_delay_millis() const { return control_plane_delay_millis_; }

 private:
  // Before anybody can find a table of this definition.
  void NotePolicies(const model::TableDef& def);
  Task<Status> StoreRecord(const model::TableDef& def);
  Task<Status> CommitSystem(const storage::Batch& batch);
  Task<Status> LoadNextTableId();
  Task<Status> LoadTables(const std::vector<storage::PartitionInfo>& partitions);
  Task<Status> DropUnknownPartitions(const std::vector<storage::PartitionInfo>& partitions,
                                     const std::unordered_set<storage::PartitionId>& known);
  void SetAsideRecord(std::string key, std::string_view label, std::string_view why);
  Task<Result<std::shared_ptr<Table>>> LoadTable(std::string_view record,
                                                 const std::vector<storage::PartitionInfo>& partitions);
  Task<Result<PartitionSet::List>> OpenPartitions(storage::KeyspaceId keyspace,
                                                  const std::vector<storage::PartitionInfo>& partitions);
  // They are to be dropped until KeepPartitions, and are entered in `made`, even if they could not be made.
  Task<Result<std::shared_ptr<storage::OpenPartition>>> MakePartition(storage::KeyspaceId keyspace,
                                                                      std::vector<storage::PartitionId>& made);
  Task<Status> MakeIndexPartitions(model::TableDef& def, std::vector<storage::PartitionId>& made,
                                   IndexPartitions& of_indexes);
  void KeepPartitions(const std::vector<storage::PartitionId>& made) noexcept;
  void PutNextId(storage::Batch& batch) const;
  Task<Status> RemoveTable(std::shared_ptr<Table> table);
  Task<Status> DropPartitions();
  Task<Status> BuryTable(std::shared_ptr<Table> table);
  Task<Status> LoadDeletedTables(const std::vector<storage::PartitionInfo>& partitions);
  Task<void> UndoAndDrop(const storage::Batch& undo, const std::vector<storage::PartitionId>& made);
  // Before a change is stored: telling of it takes no memory any more.
  void MakeRoomToTell();
  // The end of every change: the latch goes, then the listeners hear of it.
  Task<void> ReleaseAndTell(LatchTable::Guard guard);

  storage::Engine& engine_;
  const Clock& clock_;
  const int64_t control_plane_delay_millis_;
  const ThrottleRules throttling_;

  LatchTable change_latch_{1};  // one change at a time
  uint64_t next_table_id_ = 1;  // of tables and keyspaces; guarded by change_latch_
  // Of tables and indexes that are gone but whose partitions could not be dropped yet. Guarded by change_latch_.
  std::vector<storage::PartitionId> partitions_to_drop_;

  std::vector<TableChange> to_tell_;  // guarded by change_latch_
  std::vector<CatalogListener*> listeners_;
  std::atomic<bool> has_policies_{false};

  TableList list_;
};

}  // namespace armature::table
