// One page of a Query or Scan: rows of a keyspace in order, until a limit.
//
// Reads at the view given, row by row into the sink; what a row is worth (projections, replies) is the sink's
// business. A long page, or a filter that takes long, lets others have the reactor in between. A page ends after
// `limit` rows, or once the rows read so far reach 1 MB (the row that does still counts), or at the end of the range.
// The time it takes grows with what is read, not with what lies before it; what it costs is worked out here and counted
// by the meters of the partitions (page_charge.h). Where capacity is limited a page that begins without any is refused,
// and one that comes to its end of it ends there, as at a limit. A range without a key in it is read, and paid for, as
// one without rows. One page, one request. Called by api/.
#pragma once

#include <cstdint>
#include <string>

#include "base/async.h"
#include "base/memory/arena.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/schema.h"
#include "table/table.h"

namespace armature::table {

inline constexpr size_t kMaxPageBytes = 1024 * 1024;

// Takes the rows of a page. An item lives until Row returns.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void Row(model::Item item) = 0;
};

struct PageRead {
  // in
  const Table* table = nullptr;
  const Keyspace* keyspace = nullptr;
  const PartitionSet* partitions = nullptr;  // those that have the keyspace's rows
  const IndexSchema* index = nullptr;        // whose rows they are, and who pays for them; null: the table's items
  // Set to read, for every entry of a local index, the whole item it stands for.
  const Keyspace* fetch_from = nullptr;
  storage::KeyRange range;
  bool is_reverse = false;
  size_t limit = SIZE_MAX;
  storage::ReadAt at;
  bool is_consistent = false;
  // Goes through the keyspace rather than through one collection, which has a price of its own. Then `schema` is the
  // definition it is read under.
  bool is_scan = false;
  const TableSchema* schema = nullptr;
  // Rows for which this does not hold are read and counted, but not handed on. It looks at the row of the keyspace,
  // also where an item is fetched for it. null: none
  const expr::ConditionNode* filter = nullptr;
  RowSink* sink = nullptr;

  // out
  size_t row_count = 0;
  size_t row_bytes = 0;    // of rows of the keyspace
  double table_units = 0;  // what the page has cost: the table, which pays for items fetched too,
  double index_units = 0;  // and the index
  bool has_more = false;   // stopped by a limit; then:
  model::Item last_key;    // the key attributes of the last row read
};

// `arena` holds last_key.
Task<model::ApiResult<void>> ReadPage(storage::Engine& engine, PageRead& page, Arena& arena);

}  // namespace armature::table
