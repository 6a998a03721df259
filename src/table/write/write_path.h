// The one write path: read the old image, check the condition, make the new image, derive index rows and the change
// record, commit, wait until it is durable.
//
// Every change of an item goes through here, whoever asks for it: alone, in a batch, or in a transaction. It takes the
// latches; a write that finds its partition dead is done in the one that has taken its place. Its counts are part of
// the commit; sizes for capacity and the images for ReturnValues are by-products left in the ItemWrite. Guarantees: a
// write that returns success is durable; one that returns an error changed nothing (or, after a storage failure, may
// have, as the error says); what a failed condition reveals of an item is durable too; transactions are serializable
// against each other and against single writes. Thread-safe. Called by api/ and workers/; calls expr/ and storage/.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/hybrid_clock.h"
#include "base/memory/arena.h"
#include "model/api_error.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/partition/latches.h"
#include "table/partition/latest_images.h"
#include "table/table.h"
#include "table/write/item_write.h"
#include "table/write/pending_records.h"

namespace armature::table {

inline constexpr uint64_t kMaxCollectionBytes = uint64_t{10} << 30;

class WritePath {
 public:
  WritePath(storage::Engine& engine, const Clock& clock, uint64_t max_collection_bytes = kMaxCollectionBytes)
      : engine_(engine), clock_(clock), max_collection_bytes_(max_collection_bytes) {}

  // In all of these `arena` and everything a write points to must outlive the outcome.

  // One write.
  Task<model::ApiResult<void>> Execute(ItemWrite& write, Arena& arena);

  // Independent writes, each all or nothing by itself and durable when this returns. Those that could not be done carry
  // a `failure`; the result is an error only if none could. REQUIRES: no two writes of one item.
  Task<model::ApiResult<void>> ExecuteBatch(std::span<ItemWrite> writes, Arena& arena);

  // All or nothing, together with `system_changes` (records of the house; may be null). False: cancelled; the writes
  // say why in `condition_held` and `failure`. REQUIRES: no two writes of one item.
  Task<model::ApiResult<bool>> ExecuteTransaction(std::span<ItemWrite> writes, const storage::Batch* system_changes,
                                                  Arena& arena);

  // Writes the row an existing item has in an index that is being built; nothing if it has none or is gone. Durable
  // when a later commit is.
  Task<model::ApiResult<void>> BuildIndexRow(Table& table, uint32_t index_id, model::Item key, Arena& arena);

  // Writes the expiry row of an existing item; nothing if it has none or is gone. Durable when a later commit is.
  Task<model::ApiResult<void>> BuildExpiryRow(Table& table, model::Item key, Arena& arena);

  // Returns when every write of the table that began before has ended: none still runs under an older definition.
  Task<void> AwaitEarlierWrites(Table& table);

 private:
  class CollectionSizes;
  // What one commit to one partition is made of. Whatever its commit did not settle comes to nothing when it goes,
  // under the latches of its items: it is declared after them.
  struct Changes {
    explicit Changes(std::shared_ptr<Partition> of) : partition(std::move(of)), images(partition->images()) {}
    void Settle(storage::Mark mark, storage::Sequence sequence) {
      partition->NoteCommitted(mark);
      images.Keep();
      records.Settle(*partition, sequence);
    }
    const std::shared_ptr<Partition> partition;
    storage::Batch batch;
    PendingRecords records;
    PendingImages images;
  };
  // Those of one request, in the order in which it names the partitions: a run from a seed repeats itself.
  using AllChanges = std::vector<std::unique_ptr<Changes>>;
  static Changes& ChangesOf(const std::shared_ptr<Partition>& partition, AllChanges& all);
  class RowBatches;

  std::string_view LatchKey(const ItemWrite& write) const;
  std::string CollectionKey(const ItemWrite& write) const;
  void PrepareKey(ItemWrite& write) const;
  // Finds the partition that has the item now, and the item's latch in it.
  void Route(ItemWrite& write) const;
  Task<model::ApiResult<void>> ReadOldImage(ItemWrite& write, Arena& arena);
  model::ApiResult<void> MakeNewImage(ItemWrite& write, Arena& arena) const;
  model::ApiResult<void> CheckNewImage(ItemWrite& write, Arena& arena) const;
  // What the write makes of its item collection: to be put into `sizes` with its other changes.
  struct CollectionSize {
    std::string key;
    uint64_t bytes = 0;
  };
  Task<model::ApiResult<CollectionSize>> CountCollection(ItemWrite& write, CollectionSizes& sizes, Arena& arena);
  Task<model::ApiResult<void>> FindUnbuiltRows(ItemWrite& write);
  Task<model::ApiResult<bool>> HasRow(const ItemWrite& write, const IndexSchema& index, std::string_view row_key);
  void AppendChanges(ItemWrite& write, Arena& arena, Changes& changes, AllChanges& of_indexes);

  // Everything up to the commit, under the latch: the item's changes, and those of the partitions of global indexes.
  Task<model::ApiResult<void>> Prepare(ItemWrite& write, CollectionSizes& sizes, Arena& arena, Changes& changes,
                                       AllChanges& of_indexes);
  Task<std::vector<LatchTable::Guard>> LockAll(std::span<ItemWrite> writes);
  Task<void> PrepareAll(std::span<ItemWrite> writes, AllChanges& changes, Arena& arena);
  Task<Status> CommitAll(AllChanges& changes, const storage::Batch* system_changes);

  // A try ends with what became of it, or with kFenced: nothing is done, and it is worth another once LookAgain has
  // found the partitions that have taken the place of dead ones.
  Task<Result<storage::Mark>> TryOne(ItemWrite& write, Arena& arena);
  Task<Status> TryBatch(std::span<ItemWrite> writes, Arena& arena);
  Task<Result<bool>> TryTransaction(std::span<ItemWrite> writes, const storage::Batch* system_changes, Arena& arena);
  Task<Status> LookAgain(std::span<ItemWrite> writes);
  // Whether the partitions of the items are.
  static bool AreAlive(std::span<const ItemWrite> writes);
  Task<Status> LookForIndexes(const TableSchema& schema);

  Task<model::ApiResult<void>> AwaitDurable(const Table& table, const Partition& partition, storage::Mark mark);
  Task<model::ApiResult<void>> AwaitAllDurable(std::span<const ItemWrite> writes);
  void CountChange(ItemWrite& write) const;

  // Puts a row that `append` derives from an existing item, under the item's latch, into the partition it gives (null:
  // there is none to be put). False: none was put, or it is there already (looked up if `is_counted`: rows that are
  // counted are counted once).
  using AppendRow = std::function<std::shared_ptr<Partition>(const ItemWrite& write, storage::Batch& batch)>;
  Task<Result<bool>> TryBuildRow(ItemWrite& write, bool is_counted, const AppendRow& append, Arena& arena);
  Task<model::ApiResult<bool>> BuildRow(Table& table, model::Item key, bool is_counted, const AppendRow& append,
                                        Arena& arena);

  storage::Engine& engine_;
  HybridClock clock_;
  const uint64_t max_collection_bytes_;
};

}  // namespace armature::table
