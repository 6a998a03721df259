// ItemWrite: one change of one item, before and after it has gone down the write path.
//
// The caller fills in what is to be done; WritePath leaves what came of it: images for ReturnValues, what it has cost,
// why it failed. Used once, by one request; keeps alive what its images point to, and the
// partition whose latch it takes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expr/bound.h"
#include "model/api_error.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/index/index_changes.h"
#include "table/schema.h"
#include "table/table.h"
#include "table/throttle/admission.h"

namespace armature::table {

struct ItemWrite {
  enum class Kind {
    kPut,
    kUpdate,
    kDelete,
    kCheck,  // only the condition, in transactions
  };

  // in
  Kind kind = Kind::kPut;
  Table* table = nullptr;
  model::Item key;                                  // exactly the key attributes
  model::Item put_item;                             // of kPut: the whole new item
  size_t put_item_size = 0;                         // of kPut: ItemSize(put_item)
  const expr::BoundUpdate* update = nullptr;        // of kUpdate
  const expr::BoundCondition* condition = nullptr;  // null: none
  bool wants_old_image = false;                     // decode the old item even if nothing here needs it
  bool by_ttl = false;                              // done by the service because the item has expired: nobody pays

  // out
  bool condition_held = true;
  std::optional<model::ApiError> failure;  // in batches and transactions: why this one could not be done
  bool meets_transaction = false;          // in transactions that are refused for it: the item is part of another
  bool old_exists = false;
  model::Item old_item;  // if it was decoded; lives as long as this object
  size_t old_size = 0;
  bool new_exists = false;
  model::Item new_item;
  size_t new_size = 0;
  double table_units = 0;                  // what the table pays, of write units; of reads by ReadTogether read units
  std::vector<IndexCharge> index_charges;  // of indexes the write changed
  uint64_t collection_bytes = 0;           // of tables with local indexes: the item collection after the write

  // The definition the write ran under; what index_charges point into.
  std::shared_ptr<const TableSchema> schema;

 private:
  friend class WritePath;
  // What a try that its partition refused has left is as if it had not been.
  void ForgetTry();

  std::string storage_key_;
  std::shared_ptr<Partition> partition_;
  size_t stripe_ = 0;         // of the latch
  size_t partition_end_ = 0;  // of the storage key: where the partition key ends
  bool is_transacted_ = false;
  int64_t new_expiry_ = INT64_MAX;           // of the expiry row the write puts
  std::vector<const IndexSchema*> unbuilt_;  // indexes being built that lack the old item's row
  storage::GetOp read_;
  // What was paid when it was let in. They go before `schema` and what that keeps.
  Admission admission_;
  std::vector<Admission> index_admissions_;
};

}  // namespace armature::table
