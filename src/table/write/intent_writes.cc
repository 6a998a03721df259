// Transactions where a commit is of one partition: intents, one record that makes them done, and carrying them out.
//
//   1  intents of all items, durable         nobody else writes the items; whoever finds one without a record takes
//                                            it away
//   2  the record, durable                   done: whoever finds an intent of it carries it out
//   3  the changes, each with the deletion of its intent
//   4  the record goes
//
// The latches are held up to step 3, so that within a process others wait for the transaction as they do for any write;
// who comes to an item by another handle, or after a crash, meets the intent.
#include <algorithm>
#include <optional>

#include "base/random.h"
#include "storage/engine_calls.h"
#include "table/keys/expiry.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"
#include "table/txn/intent.h"
#include "table/write/collection_sizes.h"
#include "table/write/write_path.h"

namespace armature::table {

namespace {

std::string NewTransactionId() {
  SystemRandom random;
  std::string id(kTransactionIdBytes, '\0');
  random.FillBytes(id);
  return id;
}

bool IsOf(const PendingRows::Row& intent, std::string_view transaction_id) {
  return TransactionOfIntent(intent.value) == transaction_id;
}

}  // namespace

// One that is being carried out by its request.
class WritePath::Transaction {
 public:
  Transaction(WritePath& path, Writes writes) : path_(path), writes_(writes), id_(NewTransactionId()) {
    for (const ItemWrite* write : writes) items_.push_back({write->table, write->storage_key_});
  }

  const std::string& id() const { return id_; }
  std::span<const TransactedItem> items() const { return items_; }

  // Everything up to step 1, under the latches. False: cancelled, or `tried` says why not.
  Task<bool> Prepare(Arena& arena, Tried& tried) {
    CollectionSizes sizes;
    for (ItemWrite* write : writes_) {
      AllChanges of_indexes;
      changes_.push_back(std::make_unique<Changes>(write->partition_));
      auto prepared = co_await path_.Prepare(*write, sizes, arena, *changes_.back(), of_indexes);
      if (!prepared) write->failure = std::move(prepared).error();
      tried.is_cancelled = tried.is_cancelled || write->failure || !write->condition_held;
    }
    if (!AreAlive(writes_)) tried.status = Status::Fenced();
    co_return tried.status.ok() && !tried.is_cancelled;
  }

  Task<Status> Announce() {
    for (size_t i = 0; i < writes_.size(); ++i) {
      const ItemWrite& write = *writes_[i];
      Intent intent{id_, static_cast<uint32_t>(i), static_cast<uint32_t>(write.partition_end_), {}};
      intent.changes.Append(changes_[i]->batch);
      PartOf(i).batch.Put(InSpace(Space::kIntents, write.storage_key_), intent.Encode());
    }
    for (Part& part : parts_) {
      if (Status status = co_await Commit(part); !status.ok()) co_return status;
      path_.Step("intent");
    }
    for (const Part& part : parts_) {
      Status status = co_await path_.AwaitDurable(*part.partition, part.mark);
      if (!status.ok()) co_return status;
    }
    co_return Status::Ok();
  }

  // If it is not there for good, `why` says why not.
  Task<Recorded> Record(const storage::Batch* system_changes, Status& why) {
    TransactionRecord record;
    for (const TransactedItem& item : items_) record.items.push_back({item.table->id(), item.key});
    storage::Batch batch;
    if (system_changes) batch.Append(*system_changes);
    batch.Put(TransactionKey(id_), record.Encode());
    const auto committed = co_await CommitPatiently(path_.engine_, path_.engine_.system(), batch);
    why = committed ? Status::Ok() : committed.error();
    if (!committed && why.code() != StatusCode::kUnknown) co_return Recorded::kNo;
    if (committed) why = co_await storage::AwaitDurable(path_.engine_, path_.engine_.system(), committed->mark);
    if (why.ok()) co_return Recorded::kYes;
    // It is there or it is not: what is there is made durable, what is not was lost.
    const auto found = co_await path_.FindRecord(id_);
    if (!found) co_return Recorded::kUnknown;
    why = *found ? Status::Ok() : Status::Fenced();
    co_return *found ? Recorded::kYes : Recorded::kNo;
  }

  // As far as the partitions are alive; what is left ResolveItems carries out.
  Task<void> CarryOut() {
    for (Part& part : parts_) {
      part.batch.Clear();
      for (const size_t i : part.writes) {
        part.batch.Append(changes_[i]->batch);
        part.batch.Delete(InSpace(Space::kIntents, writes_[i]->storage_key_));
      }
      const Status status = co_await Commit(part);
      if (!status.ok()) continue;
      for (const size_t i : part.writes) {
        changes_[i]->pending.reset();  // taken with the part
        changes_[i]->Settle(part.mark, part.sequence);
      }
      path_.Step("change");
    }
  }

 private:
  // What is of one partition.
  struct Part {
    std::shared_ptr<Partition> partition;
    std::vector<size_t> writes;
    storage::Batch batch;
    storage::Mark mark = 0;
    storage::Sequence sequence = 0;
  };

  Part& PartOf(size_t i) {
    const auto& partition = writes_[i]->partition_;
    auto part =
        std::find_if(parts_.begin(), parts_.end(), [&](const Part& known) { return known.partition == partition; });
    if (part == parts_.end()) part = parts_.insert(parts_.end(), Part{partition, {}, {}, 0, 0});
    part->writes.push_back(i);
    return *part;
  }

  Task<Status> Commit(Part& part) {
    Partition::Pending pending(part.batch);
    const auto committed = co_await CommitPatiently(path_.engine_, part.partition->handle(), part.batch);
    if (!committed) co_return committed.error();
    part.mark = committed->mark;
    part.sequence = committed->sequence;
    part.partition->NoteCommitted(part.mark);
    part.partition->TakePending(part.batch, pending);
    co_return Status::Ok();
  }

  WritePath& path_;
  const Writes writes_;
  const std::string id_;
  std::vector<TransactedItem> items_;
  AllChanges changes_;  // one for each write
  std::vector<Part> parts_;
};

Task<WritePath::Tried> WritePath::TryIntents(Writes writes, const storage::Batch* system_changes, Arena& arena) {
  Tried tried;
  Recorded recorded = Recorded::kNo;
  std::string id;
  std::vector<TransactedItem> items;
  std::optional<ActiveTransactions::Running> running;
  {
    const auto guards = co_await LockAll(writes);
    if (MeetsIntents(writes, tried)) co_return tried;
    Transaction transaction(*this, writes);
    if (!co_await transaction.Prepare(arena, tried)) co_return tried;
    id = transaction.id();
    items.assign(transaction.items().begin(), transaction.items().end());
    running = active_.Begin(id);
    tried.status = co_await transaction.Announce();
    if (tried.status.ok()) {
      Step("intents");
      recorded = co_await transaction.Record(system_changes, tried.status);
    }
    if (recorded == Recorded::kYes) {
      Step("record");
      co_await transaction.CarryOut();
      Step("changes");
    }
  }
  if (recorded == Recorded::kNo) {
    // What cannot be taken away now is by whoever meets it.
    (void)co_await ResolveItems(id, items, false);
    co_return tried;
  }
  // A record of which nothing is known stays with its intents, for who meets them.
  if (recorded == Recorded::kYes) {
    for (ItemWrite* write : writes) CountChange(*write);
    tried.status = co_await FinishItems(id, items);
  }
  tried.is_left_open = !tried.status.ok();
  if (tried.is_left_open) co_return tried;
  storage::Batch forget;
  forget.Delete(TransactionKey(id));
  (void)co_await WriteSystemRecords(engine_, forget);  // one that stays is found by KeepHouse
  Step("forgotten");
  co_return tried;
}

Task<Status> WritePath::FinishItems(std::string_view transaction_id, std::span<const TransactedItem> items) {
  for (int tries = 1;; ++tries) {
    Status status = co_await ResolveItems(transaction_id, items, /*is_done=*/true);
    if (status.code() != StatusCode::kBusy || tries == kBusyTries) co_return status;
    co_await PauseAfterBusy(tries);
  }
}

// --- what others have left

Task<Status> WritePath::ResolveMet(const Met& met) {
  if (active_.IsActive(met.transaction_id)) {
    co_await active_.Ended(met.transaction_id);
    co_return Status::Ok();
  }
  const auto is_done = co_await FindRecord(met.transaction_id);
  if (!is_done) co_return is_done.error();
  const TransactedItem item{met.table, met.item_key};
  co_return co_await ResolveItems(met.transaction_id, {&item, 1}, *is_done);
}

Task<Result<bool>> WritePath::FindRecord(std::string_view transaction_id) {
  const std::string key = TransactionKey(transaction_id);
  const storage::ReadAt latest{storage::View::kLatest};
  for (;;) {
    const auto record = co_await storage::GetValue(engine_, engine_.system(), key, latest);
    if (!record) co_return record.error();
    if (!*record) co_return false;
    // It may not be durable yet; its intents are carried out when it is.
    storage::Batch again;
    again.Put(key, **record);
    Status status = co_await WriteSystemRecordsDurably(engine_, again);
    if (status.ok()) co_return true;
    if (!IsOfDead(status)) co_return status;  // lost, or perhaps: look once more
  }
}

Task<Status> WritePath::ResolveItems(std::string_view transaction_id, std::span<const TransactedItem> items,
                                     bool is_done) {
  // What was carried out and is lost with its partition before it is durable has its intent again.
  for (bool is_settled = false; !is_settled;) {
    is_settled = true;
    for (const TransactedItem& item : items) {
      const auto partition = item.table->partitions().Find(HashOfItemKey(item.key));
      Status status;
      if (!partition->handle().is_alive()) status = Status::Fenced();
      const auto intent = partition->intents().Find(InSpace(Space::kIntents, item.key));
      if (status.ok() && intent && IsOf(*intent, transaction_id))
        status = co_await ResolveInPartition(*item.table, *partition, transaction_id, is_done);
      if (status.ok() && is_done) status = co_await AwaitDurable(*partition, partition->newest());
      if (IsOfDead(status)) {
        is_settled = false;
        status = co_await item.table->partitions().LookAgain(engine_, partition);
      }
      if (status.code() == StatusCode::kNotFound) continue;  // with the table
      if (!status.ok()) co_return status;
    }
  }
  co_return Status::Ok();
}

// All of the transaction's in the partition at once, in the order in which it names them: they may change the size of
// one collection.
Task<Status> WritePath::ResolveInPartition(Table& table, Partition& partition, std::string_view transaction_id,
                                           bool is_done) {
  struct Found {
    PendingRows::Row row;
    Intent intent;
  };
  std::vector<Found> found;
  for (auto& row : partition.intents().Oldest(SIZE_MAX)) {
    if (!IsOf(row, transaction_id)) continue;
    auto intent = Intent::Decode(row.value);
    if (!intent) co_return intent.error();
    found.push_back({std::move(row), std::move(*intent)});
  }
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.intent.action < b.intent.action; });
  LatchTable& latches = partition.latches();
  std::vector<size_t> stripes;
  for (const auto& [row, intent] : found) {
    const std::string item_key = InSpace(Space::kItems, row.key);
    stripes.push_back(latches.StripeOf(table.LatchKey(item_key, intent.partition_end)));
  }
  LatchTable::InLockingOrder(stripes);
  std::vector<LatchTable::Guard> guards;
  for (const size_t stripe : stripes) {
    auto guard = co_await latches.LockStripe(stripe);
    guards.push_back(std::move(guard));
  }
  storage::Batch batch;
  for (const auto& [row, intent] : found) {
    const auto now = partition.intents().Find(row.key);
    if (!now || now->version != row.version) continue;  // somebody else has come first
    if (is_done) batch.Append(intent.changes);
    batch.Delete(row.key);
  }
  if (batch.empty()) co_return Status::Ok();
  Partition::Pending pending(batch);
  const auto committed = co_await CommitPatiently(engine_, partition.handle(), batch);
  if (!committed) co_return committed.error();
  partition.NoteCommitted(committed->mark);
  partition.TakePending(batch, pending);
  uint64_t records = 0, record_bytes = 0;
  batch.ForEach([&](storage::Batch::Kind kind, std::string_view key, std::string_view value) {
    if (kind == storage::Batch::Kind::kPutNumbered) ++records, record_bytes += value.size();
    if (kind == storage::Batch::Kind::kPut && static_cast<Space>(key.front()) == Space::kExpiry)
      table.NoteExpiry(ExpiryOfRow(key));
  });
  if (records > 0) {
    partition.NoteRecord(committed->sequence);
    table.journal().Count(records, record_bytes);
  }
  co_return Status::Ok();
}

Task<Status> WritePath::FinishRecorded(std::span<const std::shared_ptr<Table>> tables) {
  storage::ScanOp scan;
  const storage::KeyRange range = TransactionRange();
  if (Status status = co_await ReadSystemRecords(engine_, range, scan); !status.ok()) co_return status;
  for (const auto& row : scan.rows) {
    const std::string id(row.key.substr(1));
    if (active_.IsActive(id)) continue;
    const auto record = TransactionRecord::Decode(row.value);
    if (!record) co_return record.error();
    const auto is_done = co_await FindRecord(id);
    if (!is_done) co_return is_done.error();
    if (!*is_done) continue;  // another has finished it
    std::vector<TransactedItem> items;
    for (const auto& item : record->items) {
      const auto has_it = [&](const auto& table) { return table->id() == item.table_id; };
      const auto table = std::find_if(tables.begin(), tables.end(), has_it);
      if (table != tables.end()) items.push_back({table->get(), item.key});
    }
    if (Status status = co_await ResolveItems(id, items, true); !status.ok()) co_return status;
    storage::Batch forget;
    forget.Delete(row.key);
    if (Status status = co_await WriteSystemRecords(engine_, forget); !status.ok()) co_return status;
  }
  co_return Status::Ok();
}

Task<Status> WritePath::KeepHouse(std::span<const std::shared_ptr<Table>> tables) {
  if (is_atomic_) co_return Status::Ok();
  Status worst = co_await FinishRecorded(tables);
  for (const auto& table : tables) {
    const auto partitions = table->partitions().list();
    for (const auto& partition : *partitions) {
      for (const auto& row : partition->intents().Oldest(SIZE_MAX)) {
        const Met met{table.get(), InSpace(Space::kItems, row.key), std::string(TransactionOfIntent(row.value))};
        if (active_.IsActive(met.transaction_id)) continue;
        Status status = co_await ResolveMet(met);
        if (!status.ok() && status.code() != StatusCode::kNotFound) worst = std::move(status);
      }
    }
    Status status = co_await follower_.CatchUp(*table);
    if (!status.ok() && status.code() != StatusCode::kNotFound) worst = std::move(status);
  }
  co_return worst;
}

}  // namespace armature::table
