// Table: a table as it is used at run time.
//
// The definition (immutable, replaced as a whole by the catalogue) and the partitions that have the items. Shared by
// every request on the table; lives until the last of them is done, even if the table is deleted meanwhile.
// Thread-safe. Made by the catalogue; used by the read and write paths and by api/.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "model/table_def.h"
#include "storage/engine.h"
#include "table/lanes/table_journal.h"
#include "table/partition/partition_set.h"
#include "table/schema.h"

namespace armature::table {

class Table {
 public:
  Table(std::shared_ptr<const model::TableDef> def, PartitionSet::List partitions, const IndexPartitions& of_indexes,
        const ThrottleRules& throttling = {});

  // A consistent definition for the length of one request.
  std::shared_ptr<const model::TableDef> def() const;
  std::shared_ptr<const TableSchema> schema() const;
  // What never changes in a table's life needs no reference count.
  const model::KeySchema& key_schema() const { return key_schema_; }
  uint64_t id() const { return id_; }
  PartitionSet& partitions() { return partitions_; }
  const PartitionSet& partitions() const { return partitions_; }
  // Exact, and of the newest commits.
  storage::RowCount CountItems() const { return partitions_.CountRows(0); }
  storage::RowCount CountRows(const IndexSchema& index) const;
  TableJournal& journal() { return journal_; }
  const TableJournal& journal() const { return journal_; }
  // Local indexes are made with the table and never change.
  bool has_local_indexes() const { return has_local_indexes_; }
  // What an item's latch is chosen by. Items of a table with local indexes share the size of their collection, so there
  // the collection is what is latched; `partition_end` says where in the storage key the partition key ends.
  std::string_view LatchKey(std::string_view item_key, size_t partition_end) const {
    return has_local_indexes_ ? item_key.substr(0, partition_end) : item_key;
  }

  // Whether data operations work at this moment: the table exists and is ACTIVE or UPDATING.
  bool AcceptsData(int64_t now_millis) const;

  // The write path tells of every expiry row (epoch seconds) once it is committed; the sweep takes the earliest since
  // it last asked and so knows where to look. INT64_MAX: none. What is before the sweep's floor is not worth telling.
  void NoteExpiry(int64_t seconds) {
    if (seconds < expiry_floor_.load(std::memory_order_relaxed)) return;
    int64_t seen = earliest_expiry_.load(std::memory_order_relaxed);
    while (seconds < seen && !earliest_expiry_.compare_exchange_weak(seen, seconds, std::memory_order_acq_rel)) {}
  }
  int64_t TakeEarliestExpiry(int64_t floor_seconds) {
    expiry_floor_.store(floor_seconds, std::memory_order_relaxed);
    return earliest_expiry_.exchange(INT64_MAX, std::memory_order_acq_rel);
  }

  // The catalogue's, one change at a time: a changed definition is made ready before it is stored, and published once
  // it is, which takes no memory any more.
  std::shared_ptr<const TableSchema> MakeSchema(std::shared_ptr<const model::TableDef> def,
                                                const IndexPartitions& of_new_indexes) const;
  void Publish(std::shared_ptr<const TableSchema> schema) noexcept;

 private:
  const uint64_t id_;
  const model::KeySchema key_schema_;
  PartitionSet partitions_;
  const ThrottleRules throttling_;
  const bool has_local_indexes_;
  TableJournal journal_;
  std::atomic<int64_t> earliest_expiry_{INT64_MAX};
  std::atomic<int64_t> expiry_floor_{0};

  // Data operations ask for these two on every request: kept apart from the definition, without a lock.
  std::atomic<int64_t> data_from_millis_{0};
  std::atomic<int64_t> data_until_millis_{INT64_MAX};

  mutable Mutex mutex_;
  std::shared_ptr<const TableSchema> schema_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::table
