// Index changes: what a write means for a table's indexes, and for its expiry rows.
//
// Given an item before and after, appends the rows to delete and put to the batches that are committed together with
// the item, counts them there, and works out what each index is charged (docs/dynamodb.md 9.2). An index whose entry
// does not change is neither written nor charged. Pure but for the batch and the arena; called by the write path under
// the item's latch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/value.h"
#include "storage/batch.h"
#include "table/schema.h"

namespace armature::table {

// What one index pays for a write.
struct IndexCharge {
  const IndexSchema* index = nullptr;
  double write_units = 0;
  // What is paid for which row, and the partition of the index that has it; null: a local index's, with the item.
  struct Row {
    std::shared_ptr<Partition> partition;
    double units = 0;
  };
  Row deleted{};
  Row put{};
};

// An item before or after a write; null: there is none.
using Image = const model::Item*;

// Whether the index keys in an item that is written can be stored. A put checks every index, an update only those keys
// it changed, and words it differently.
model::ApiResult<void> CheckIndexKeys(const TableSchema& schema, Image old_item, model::Item new_item, bool is_update);

// The same, and that the item together with its entries in local indexes keeps to the limit of one item.
model::ApiResult<void> CheckIndexedItem(const TableSchema& schema, Image old_item, model::Item new_item,
                                        size_t new_size, bool is_update, Arena& arena);

// Values an update gives literally are checked before anything is read: a type AWS words as in a put. kEmpty looks for
// empty values only, which transactions refuse as a whole, kMistyped for those that cancel one.
enum class LiteralFaults { kAll, kEmpty, kMistyped };
model::ApiResult<void> CheckIndexKeyLiterals(const TableSchema& schema, const expr::BoundUpdate& update,
                                             LiteralFaults faults);

// Where the rows of indexes go: into the batch of whichever partition has them.
class IndexBatches {
 public:
  virtual ~IndexBatches() = default;
  // `partition` becomes the one of a global index that has the row.
  virtual storage::Batch& For(const IndexSchema& index, std::string_view row_key,
                              std::shared_ptr<Partition>& partition) = 0;
};

// `unbuilt` names indexes that do not have the old item's row yet, because they are still being built.
void AppendIndexChanges(const TableSchema& schema, Image old_item, Image new_item, Arena& arena, IndexBatches& batches,
                        std::vector<IndexCharge>& charges, std::span<const IndexSchema* const> unbuilt = {});

// The row of one item in one index, for building an index over existing items. False: the item has none.
bool AppendIndexEntry(const IndexSchema& index, model::Item item, Arena& arena, storage::Batch& batch,
                      IndexCharge& charge);

// Bytes of all the item's entries in local indexes: with the item they count against the size of its collection.
size_t LocalEntriesSize(const TableSchema& schema, model::Item item, Arena& arena);

// The expiry rows (keys/expiry.h) a write deletes and puts. Gives the expiry of the row it puts, if it does. REQUIRES:
// the schema has an expiry attribute.
std::optional<int64_t> AppendExpiryChanges(const TableSchema& schema, std::string_view item_key, Image old_item,
                                           Image new_item, storage::Batch& batch);

}  // namespace armature::table
