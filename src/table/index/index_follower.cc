#include "table/index/index_follower.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/memory/arena.h"
#include "base/tasks/work_meter.h"
#include "model/codec/item_codec.h"
#include "storage/engine_calls.h"
#include "table/index/index_changes.h"
#include "table/index/index_note.h"
#include "table/keys/key_layout.h"

namespace armature::table {

namespace {

constexpr size_t kNotesPerPortion = 64;

}  // namespace

// The difference between what indexes have and should have, for each of their partitions.
class IndexFollower::Rows {
 public:
  explicit Rows(storage::Engine& engine) : engine_(engine) {}

  Task<Status> Delete(const IndexSchema& index, std::string_view row_key) {
    Of& of = Find(index, row_key);
    const auto stored = co_await storage::GetValue(engine_, of.partition->handle(), row_key, kLatest);
    if (!stored) co_return co_await Refused(of, stored.error());
    if (!*stored) co_return Status::Ok();
    const auto size = model::DecodeItemSize(**stored);
    if (!size) co_return size.error();
    of.batch.Delete(row_key);
    of.batch.Count(index.count_slot(), -1, -static_cast<int64_t>(*size));
    co_return Status::Ok();
  }

  // `units`: what nobody has paid yet, because the row is the service's own doing.
  Task<Status> Put(const IndexSchema& index, std::string_view row_key, std::string_view record, double units) {
    Of& of = Find(index, row_key);
    const auto stored = co_await storage::GetValue(engine_, of.partition->handle(), row_key, kLatest);
    if (!stored) co_return co_await Refused(of, stored.error());
    if (*stored && **stored == record) co_return Status::Ok();
    int64_t old_size = 0;
    if (*stored) {
      const auto size = model::DecodeItemSize(**stored);
      if (!size) co_return size.error();
      old_size = static_cast<int64_t>(*size);
    }
    const auto size = model::DecodeItemSize(record);
    if (!size) co_return size.error();
    of.batch.Put(row_key, record);
    of.batch.Count(index.count_slot(), *stored ? 0 : 1, static_cast<int64_t>(*size) - old_size);
    of.background_units += units;
    co_return Status::Ok();
  }

  // kFenced, of both: somebody has to compare once more.
  Task<Status> Commit() {
    for (const auto& of : all_) {
      if (of->batch.empty()) continue;
      const auto committed = co_await CommitPatiently(engine_, of->partition->handle(), of->batch);
      if (!committed) {
        if (Status status = co_await Refused(*of, committed.error()); !status.ok()) co_return status;
        continue;
      }
      of->mark = committed->mark;
      of->partition->NoteCommitted(committed->mark);
      of->partition->CountWrite();
      of->partition->meter().AddBackgroundWrite(of->background_units);
    }
    co_return Status::Ok();
  }

  // What was there already may not be durable either: somebody else may have put it.
  Task<Status> AwaitDurable() {
    for (const auto& of : all_) {
      const storage::Mark newest = of->partition->newest();
      if (newest <= engine_.DurableUpTo(of->partition->handle())) continue;
      Status status = co_await storage::AwaitDurable(engine_, of->partition->handle(), newest);
      if (!status.ok()) status = co_await Refused(*of, std::move(status));
      if (!status.ok()) co_return status;
    }
    co_return Status::Ok();
  }

 private:
  static constexpr storage::ReadAt kLatest{storage::View::kLatest};
  struct Of {
    std::shared_ptr<PartitionSet> partitions;
    std::shared_ptr<Partition> partition;
    storage::Batch batch;
    storage::Mark mark = 0;
    double background_units = 0;
  };

  Of& Find(const IndexSchema& index, std::string_view row_key) {
    auto partition = index.partitions->Find(HashOfItemKey(row_key));
    for (const auto& of : all_)
      if (of->partition == partition) return *of;
    all_.push_back(std::make_unique<Of>(Of{index.partitions, std::move(partition), {}, 0, 0}));
    return *all_.back();
  }

  // ok: the index is gone, and nobody wants its rows any more.
  Task<Status> Refused(Of& of, Status status) {
    if (status.code() == StatusCode::kNotFound) co_return Status::Ok();
    if (!IsOfDead(status)) co_return status;
    Status found = co_await of.partitions->LookAgain(engine_, of.partition);
    if (found.code() == StatusCode::kNotFound) co_return Status::Ok();
    co_return found.ok() ? Status::Fenced() : found;
  }

  storage::Engine& engine_;
  std::vector<std::unique_ptr<Of>> all_;
};

size_t IndexFollower::Lag(const Table& table) {
  size_t lag = 0;
  const auto partitions = table.partitions().list();
  for (const auto& partition : *partitions) lag += partition->notes().size();
  return lag;
}

Task<Status> IndexFollower::CatchUp(const Table& table) const {
  for (;;) {
    const auto partitions = table.partitions().list();
    std::shared_ptr<Partition> dead;
    for (const auto& partition : *partitions) {
      if (partition->notes().empty()) continue;
      const Status status = co_await CatchUpPartition(table, *partition);
      if (status.ok()) continue;
      if (!IsOfDead(status)) co_return status;
      dead = partition;
      break;
    }
    if (!dead) co_return Status::Ok();
    if (Status status = co_await table.partitions().LookAgain(engine_, dead); !status.ok()) co_return status;
  }
}

Task<Status> IndexFollower::CatchUpPartition(const Table& table, Partition& partition) const {
  const uint64_t newest = partition.notes().newest_version();
  const auto guard = co_await partition.follow_latch().LockStripe(0);
  for (;;) {
    const auto notes = partition.notes().Oldest(kNotesPerPortion, newest);
    if (notes.empty()) co_return Status::Ok();
    if (Status status = co_await FollowPortion(table, partition, notes); !status.ok()) co_return status;
    co_await YieldIfDue();
  }
}

// What a crash could take back no index may have.
Task<Status> IndexFollower::AwaitNewest(const Partition& partition) const {
  const storage::Mark newest = partition.newest();
  if (newest <= engine_.DurableUpTo(partition.handle())) co_return Status::Ok();
  co_return co_await storage::AwaitDurable(engine_, partition.handle(), newest);
}

Task<Status> IndexFollower::FollowPortion(const Table& table, Partition& partition,
                                          const std::vector<PendingRows::Row>& notes) const {
  if (Status status = co_await AwaitNewest(partition); !status.ok()) co_return status;
  for (;;) {
    const auto schema = table.schema();
    Rows rows(engine_);
    Status status;
    {
      const auto ordering = co_await partition.rows_latch().LockStripe(0);
      for (const auto& note : notes) {
        const std::string item_key = InSpace(Space::kItems, note.key);
        status = co_await Compare(*schema, partition, item_key, note.value, rows);
        if (!status.ok()) break;
      }
      // The table's own partition may be the dead one: its owner looks for that.
      if (!partition.handle().is_alive()) co_return Status::Fenced();
      Step("index-compared");
      if (status.ok()) status = co_await rows.Commit();
    }
    if (status.ok()) status = co_await rows.AwaitDurable();
    if (status.ok()) break;
    if (status.code() != StatusCode::kFenced) co_return status;
  }
  Step("index-rows");
  co_return co_await DeleteNotes(table, partition, notes);
}

Task<Status> IndexFollower::Compare(const TableSchema& schema, const Partition& partition, std::string_view item_key,
                                    std::string_view note, Rows& rows) const {
  IndexNote listed;
  if (!note.empty()) {
    auto decoded = IndexNote::Decode(note);
    if (!decoded) co_return decoded.error();
    listed = std::move(*decoded);
  }
  const auto stored = co_await storage::GetValue(engine_, partition.handle(), item_key);
  if (!stored) co_return stored.error();
  Arena arena;
  model::Item item;
  if (*stored) {
    auto decoded = model::DecodeItem(**stored, arena);
    if (!decoded) co_return decoded.error();
    item = decoded->item;
  }
  for (const IndexSchema& index : schema.indexes()) {
    if (!index.is_global()) continue;
    storage::Batch entry;
    IndexCharge charge;
    std::string wanted, record;
    if (*stored && AppendIndexEntry(index, item, arena, entry, charge)) {
      entry.ForEach([&](storage::Batch::Kind, std::string_view key, std::string_view value) {
        wanted = key;
        record = value;
      });
    }
    for (const IndexNote::Row& row : listed.rows) {
      if (row.index_id != index.def->id || row.key == wanted) continue;
      if (Status status = co_await rows.Delete(index, row.key); !status.ok()) co_return status;
    }
    if (wanted.empty()) continue;
    // A row that a note names was charged with its write. Of others an index that is being built has none yet.
    const bool is_charged =
        index.def->status != model::ResourceStatus::kCreating || listed.Names(index.def->id, wanted);
    const double units = is_charged ? 0 : charge.write_units;
    if (Status status = co_await rows.Put(index, wanted, record, units); !status.ok()) co_return status;
  }
  co_return Status::Ok();
}

// Those that were not replaced by a later write. Durable or not: followed up once more they change nothing.
Task<Status> IndexFollower::DeleteNotes(const Table& table, Partition& partition,
                                        const std::vector<PendingRows::Row>& notes) const {
  LatchTable& latches = partition.latches();
  std::vector<size_t> stripes;
  for (const auto& note : notes) {
    const auto decoded = IndexNote::Decode(note.value);
    if (!decoded) co_return decoded.error();
    const std::string item_key = InSpace(Space::kItems, note.key);
    stripes.push_back(latches.StripeOf(table.LatchKey(item_key, decoded->partition_end)));
  }
  LatchTable::InLockingOrder(stripes);
  std::vector<LatchTable::Guard> guards;
  for (const size_t stripe : stripes) {
    auto guard = co_await latches.LockStripe(stripe);
    guards.push_back(std::move(guard));
  }
  storage::Batch batch;
  for (const auto& note : notes) {
    const auto now = partition.notes().Find(note.key);
    if (now && now->version == note.version) batch.Delete(note.key);
  }
  if (batch.empty()) co_return Status::Ok();
  const auto committed = co_await CommitPatiently(engine_, partition.handle(), batch);
  if (!committed) co_return committed.error();
  partition.NoteCommitted(committed->mark);
  Partition::Pending none;
  partition.TakePending(batch, none);
  Step("index-note");
  co_return Status::Ok();
}

Task<Status> IndexFollower::FollowOne(const TableSchema& schema, Partition& partition, std::string_view item_key,
                                      Rows& rows) const {
  const auto ordering = co_await partition.rows_latch().LockStripe(0);
  const auto note = partition.notes().Find(InSpace(Space::kIndexNotes, item_key));
  const std::string_view listed = note ? std::string_view(note->value) : std::string_view();
  if (Status status = co_await Compare(schema, partition, item_key, listed, rows); !status.ok()) co_return status;
  if (!partition.handle().is_alive()) co_return Status::Fenced();
  co_return co_await rows.Commit();
}

Task<Status> IndexFollower::FollowItem(const Table& table, std::string_view item_key) const {
  for (;;) {
    const auto partition = table.partitions().Find(HashOfItemKey(item_key));
    Status status;
    {
      const auto guard = co_await partition->follow_latch().LockStripe(0);
      status = co_await AwaitNewest(*partition);
      const auto schema = table.schema();
      Rows rows(engine_);
      if (status.ok()) status = co_await FollowOne(*schema, *partition, item_key, rows);
      if (status.ok()) status = co_await rows.AwaitDurable();
    }
    if (status.ok() || !IsOfDead(status)) co_return status;
    if (partition->handle().is_alive()) continue;  // it was an index's, which was looked for
    if (Status found = co_await table.partitions().LookAgain(engine_, partition); !found.ok()) co_return found;
  }
}

}  // namespace armature::table
