// TableSchema: a table's definition together with where its rows lie.
//
// Immutable; made when a definition is published and shared by the requests that run under it. An index's partitions
// are shared by all schemas that have the index. Used by the read and write paths and by api/.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "model/table_def.h"
#include "model/value.h"
#include "table/keys/keyspace.h"
#include "table/partition/partition_set.h"

namespace armature::table {

struct IndexSchema {
  const model::IndexDef* def = nullptr;
  Keyspace keyspace;
  // Of KEYS_ONLY and INCLUDE: every attribute an entry has, sorted. Not used with ALL.
  std::vector<std::string> projected;
  // Of a global index: those that have its rows. A local one's are in the table's.
  std::shared_ptr<PartitionSet> partitions;

  bool is_global() const { return def->kind == model::IndexKind::kGlobal; }
  // What its partitions count its rows as (storage/counts.h). Slot 0 is the keyspace's own rows: the table's items, or
  // those of a global index. A local index is a guest of the table's partitions.
  uint32_t count_slot() const { return is_global() ? 0 : def->id; }
  bool projects_all() const { return def->projection.type == model::ProjectionType::kAll; }
  bool Projects(std::string_view attribute) const;
  // The entry of an item: the projected attributes. Values are shared with the item.
  model::Item Entry(model::Item item, Arena& arena) const;
};

// The partitions of global indexes.
using IndexPartitions = std::map<storage::KeyspaceId, std::shared_ptr<PartitionSet>>;

class TableSchema {
 public:
  // Indexes that `previous` (which may be null) has too keep their partitions; those of others are in `opened`.
  TableSchema(std::shared_ptr<const model::TableDef> table, const TableSchema* previous,
              const IndexPartitions& opened = {});

  const model::TableDef& def() const { return *def_; }
  const std::shared_ptr<const model::TableDef>& shared_def() const { return def_; }
  const Keyspace& items() const { return items_; }
  const std::vector<IndexSchema>& indexes() const { return indexes_; }
  const IndexSchema* FindIndex(std::string_view name) const;
  bool has_local_indexes() const { return has_local_indexes_; }
  // Whether some index is still being built over existing items.
  bool has_unbuilt_indexes() const { return has_unbuilt_indexes_; }
  // The attribute that says when an item expires; empty: the table has no expiry rows.
  std::string_view expiry_attribute() const {
    return def_->ttl.keeps_rows() ? def_->ttl.attribute : std::string_view();
  }
  // Whether every item has the expiry row it should; false while they are being made.
  bool has_all_expiry_rows() const { return def_->ttl.status == model::TtlStatus::kEnabled; }

 private:
  void AddIndex(const model::IndexDef& index, const TableSchema* previous, const IndexPartitions& opened);

  const std::shared_ptr<const model::TableDef> def_;
  const Keyspace items_;
  std::vector<IndexSchema> indexes_;
  bool has_local_indexes_ = false;
  bool has_unbuilt_indexes_ = false;
};

}  // namespace armature::table
