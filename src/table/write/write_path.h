// The one write path: read the old image, check the condition, make the new image, derive index rows and the change
// record, commit, wait until it is durable.
//
// Every change of an item goes through here, whoever asks for it: alone, in a batch, or in a transaction. It takes the
// latches; a write that finds its partition dead is done in the one that has taken its place. Its counts are part of
// the commit; what it costs (write_charges.cc) and the images for ReturnValues are by-products left in the ItemWrite.
// Guarantees: a write that returns success is durable; one that returns an error changed nothing (or, after a storage
// failure, may have, as the error says); what a failed condition reveals of an item is durable too; transactions are
// serializable against each other and against single writes. Thread-safe. Called by api/ and workers/; calls expr/ and
// storage/.
//
// Where the engine commits to several partitions at once, so does this. Where it does not (docs/adr/0024), the rows of
// global indexes follow by notes (index/index_follower.h), the writes of a batch are committed partition by partition,
// and a transaction announces its changes by intents, which one record makes done (intent_writes.cc).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/hybrid_clock.h"
#include "base/memory/arena.h"
#include "model/api_error.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/index/index_follower.h"
#include "table/index/index_note.h"
#include "table/partition/latches.h"
#include "table/partition/latest_images.h"
#include "table/table.h"
#include "table/txn/active_transactions.h"
#include "table/write/item_write.h"
#include "table/write/pending_records.h"
#include "table/write/write_listener.h"
#include "table/write/write_options.h"

namespace armature::table {

class WritePath {
 public:
  WritePath(storage::Engine& engine, const Clock& clock, WriteOptions options = {})
      : engine_(engine),
        is_atomic_(engine.capabilities().multi_partition_atomic),
        clock_(clock),
        options_(std::move(options)) {}

  // From then on it hears of every write. REQUIRES: nobody writes yet, and it outlives the last write.
  void SetListener(WriteListener* listener) { listener_ = listener; }

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

  // Reads what there is of the items, all as of one moment: their old images are what is found. False: one of them is
  // part of a transaction (TransactionConflicts::kFail). REQUIRES: kCheck, wants_old_image; no two of one item.
  Task<model::ApiResult<bool>> ReadTogether(std::span<ItemWrite> reads, Arena& arena);

  // Finishes what others have left half done in these tables, which are all there are: transactions and the following
  // of indexes. At start, before anybody asks, and now and then. Nothing to do where the engine is atomic.
  Task<Status> KeepHouse(std::span<const std::shared_ptr<Table>> tables);
  const IndexFollower& follower() const { return follower_; }

  // Writes the row an existing item has in an index that is being built; nothing if it has none or is gone. Durable
  // when the newest commit of the row's partition is.
  Task<model::ApiResult<void>> BuildIndexRow(Table& table, uint32_t index_id, model::Item key, Arena& arena);

  // Writes the expiry row of an existing item; nothing if it has none or is gone. Durable when the newest commit of
  // its partition is.
  Task<model::ApiResult<void>> BuildExpiryRow(Table& table, model::Item key, Arena& arena);

  // Returns when every write of the table that began before has ended: none still runs under an older definition.
  Task<void> AwaitEarlierWrites(Table& table);

 private:
  Task<model::ApiResult<void>> DoOne(ItemWrite& write, Arena& arena);
  Task<model::ApiResult<void>> DoBatch(std::span<ItemWrite> writes, Arena& arena);
  Task<model::ApiResult<bool>> DoTransaction(std::span<ItemWrite> writes, const storage::Batch* system_changes,
                                             Arena& arena);
  // What is done, and then told.
  template <class T>
  Task<T> Telling(Task<T> doing, std::span<ItemWrite> writes);
  class CollectionSizes;
  // What one commit to one partition is made of. Whatever its commit did not settle comes to nothing when it goes,
  // under the latches of its items: it is declared after them.
  struct Changes {
    explicit Changes(std::shared_ptr<Partition> of) : partition(std::move(of)), images(partition->images()) {}
    void Settle(storage::Mark mark, storage::Sequence sequence) {
      partition->NoteCommitted(mark);
      images.Keep();
      records.Settle(*partition, sequence);
      if (pending) partition->TakePending(batch, *pending);
    }
    const std::shared_ptr<Partition> partition;
    storage::Batch batch;
    PendingRecords records;
    PendingImages images;
    std::unique_ptr<Partition::Pending> pending;  // what indexes have to follow; null: nothing
  };
  // Those of one request, in the order in which it names the partitions: a run from a seed repeats itself.
  using AllChanges = std::vector<std::unique_ptr<Changes>>;
  static Changes& ChangesOf(const std::shared_ptr<Partition>& partition, AllChanges& all);
  class RowBatches;
  class NotedRows;
  using Writes = std::span<ItemWrite* const>;

  // An item that has an intent of a transaction.
  struct Met {
    Table* table = nullptr;
    std::string item_key;
    std::string transaction_id;
  };
  // What became of a try. Not ok, or something met: nothing is done, or, with a number of the partition of the (first)
  // write, perhaps (AfterTry).
  struct Tried {
    Status status;
    storage::Mark mark = 0;
    storage::Sequence sequence = 0;
    bool is_cancelled = false;  // of a transaction
    // Of a transaction: it is done, or may be, and what is left of it is for others. It must not be tried again.
    bool is_left_open = false;
    std::vector<Met> met;

    bool is_settled() const { return status.ok() && met.empty(); }
  };

  std::string CollectionKey(const ItemWrite& write) const;
  void PrepareKey(ItemWrite& write) const;
  // Finds the partition that has the item now, and the item's latch in it.
  void Route(ItemWrite& write) const;
  Task<model::ApiResult<void>> ReadOldImage(ItemWrite& write, Arena& arena);
  model::ApiResult<void> MakeNewImage(ItemWrite& write, Arena& arena) const;
  void SizeWhatIsRefused(ItemWrite& write, Arena& arena) const;
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

  // Asks for the table's capacity: once for each write of a request, before anything of it is done. The error is what
  // is told if there is none left.
  std::optional<model::ApiError> Admit(ItemWrite& write, Use use = Use::kWrite, double table_factor = 1.0) const {
    if (!write.table->partitions().throttle().limits(use)) [[likely]]
      return std::nullopt;
    return AskTable(write, use, table_factor);
  }
  std::optional<model::ApiError> AskTable(ItemWrite& write, Use use, double table_factor) const;
  // The same for the global indexes that the item is in, before or after, whether the write changes their rows or not.
  model::ApiResult<void> AdmitIndexes(const ItemWrite& write) const;
  // For their rows, once it is known what they cost.
  static void PayIndexes(ItemWrite& write);

  // Everything up to the commit, under the latch: the item's changes, and those of the partitions of global indexes.
  Task<model::ApiResult<void>> Prepare(ItemWrite& write, CollectionSizes& sizes, Arena& arena, Changes& changes,
                                       AllChanges& of_indexes);
  void AppendNote(ItemWrite& write, const IndexNote& note, Changes& changes) const;
  Task<std::vector<LatchTable::Guard>> LockAll(Writes writes);
  Task<void> PrepareAll(Writes writes, AllChanges& changes, Arena& arena);
  Task<Status> CommitAll(AllChanges& changes, const storage::Batch* system_changes);
  Task<Status> CommitOne(Changes& changes, Tried& tried);

  Task<Tried> TryOne(ItemWrite& write, Arena& arena);
  Task<Tried> TryBatch(Writes writes, Arena& arena);
  Task<Tried> TryTransaction(Writes writes, const storage::Batch* system_changes, Arena& arena);
  // The end of every try that is not settled. True: it was done after all. False: nothing of it was, and it is worth
  // another now that the partitions that have taken the place of dead ones are found, and what was in the way is not
  // any more. REQUIRES: a try that has a number is of one partition.
  Task<model::ApiResult<bool>> AfterTry(Writes writes, const Tried& tried, int& busy_tries);
  Task<Status> LookAgain(Writes writes);
  // Whether the partitions of the items are.
  static bool AreAlive(Writes writes);
  static bool AreOfOnePartition(Writes writes);
  std::vector<std::vector<ItemWrite*>> ByPartition(Writes writes) const;
  Task<Status> LookForIndexes(const TableSchema& schema);
  // Too many notes: their writers help.
  Task<model::ApiResult<void>> AwaitIndexes(Writes writes);

  // Under the latches: whether transactions have announced changes of the items.
  bool MeetsIntents(Writes writes, Tried& tried) const;
  bool MeetsIntent(const ItemWrite& write, Tried& tried) const;
  // For requests that do not wait for transactions.
  bool MustRefuse(const ItemWrite& write) const;

  Task<Status> AwaitDurable(const Partition& partition, storage::Mark mark);
  Task<Status> AwaitAllDurable(Writes writes);
  void CountChange(ItemWrite& write) const;
  // Once for each write of a request that is answered. `is_done`: its changes were made, if it has any.
  static void Charge(ItemWrite& write, double table_factor = 1.0, bool is_done = true);
  static void ChargeTransaction(std::span<ItemWrite> writes, bool is_done);
  static void ChargeReads(std::span<ItemWrite> reads);

  // --- transactions by intents (intent_writes.cc)

  struct TransactedItem {
    Table* table = nullptr;
    std::string key;
  };
  class Transaction;
  // Of a transaction's record, once its writer has tried to make it.
  enum class Recorded {
    kNo,       // it is not there and never will be
    kYes,      // it is there for good
    kUnknown,  // that could not be found out
  };
  Task<Tried> TryIntents(Writes writes, const storage::Batch* system_changes, Arena& arena);
  // Whether there is a record of the transaction, which is durable then.
  Task<Result<bool>> FindRecord(std::string_view transaction_id);
  // Whoever works on the transaction has ended, or the item's intent is dealt with.
  Task<Status> ResolveMet(const Met& met);
  // The end of one that is recorded: patient with a store that is busy, because nobody is told that it is done before
  // readers see it.
  Task<Status> FinishItems(std::string_view transaction_id, std::span<const TransactedItem> items);
  // When this returns ok there is no intent of the transaction at these items any more: carried out, and durable, or
  // taken away.
  Task<Status> ResolveItems(std::string_view transaction_id, std::span<const TransactedItem> items, bool is_done);
  Task<Status> ResolveInPartition(Table& table, Partition& partition, std::string_view transaction_id, bool is_done);
  Task<Status> FinishRecorded(std::span<const std::shared_ptr<Table>> tables);
  void Step(std::string_view step) const {
    if (options_.at_step) options_.at_step(step);
  }

  // Puts a row that `append` derives from an existing item, under the item's latch, into the partition it gives (null:
  // there is none to be put). False: none was put, or, where that is to be looked up, it is there already: rows that
  // are counted are counted once.
  using AppendRow = std::function<std::shared_ptr<Partition>(const ItemWrite& write, storage::Batch& batch)>;
  Task<Tried> TryBuildRow(ItemWrite& write, bool must_look, const AppendRow& append, bool& is_put, Arena& arena);
  Task<model::ApiResult<bool>> BuildRow(Table& table, model::Item key, bool must_look, const AppendRow& append,
                                        Arena& arena);

  storage::Engine& engine_;
  const bool is_atomic_;  // commits to several partitions at once
  HybridClock clock_;
  const WriteOptions options_;
  WriteListener* listener_ = nullptr;  // null: nobody listens
  const IndexFollower follower_{engine_, &options_.at_step};
  ActiveTransactions active_;
};

}  // namespace armature::table
