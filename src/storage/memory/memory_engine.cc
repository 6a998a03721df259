#include "storage/memory/memory_engine.h"

#include <limits>
#include <new>

#include "base/bytes.h"
#include "base/memory/memory_reserve.h"
#include "base/shared_mutex.h"
#include "storage/job_thread.h"
#include "storage/memory/version_map.h"
#include "storage/partition_table.h"
#include "storage/scan_buffer.h"

namespace armature::storage {
namespace {

constexpr Mark kNewest = std::numeric_limits<Mark>::max();
// How much clean-up rides along with one commit or one released snapshot, and how many keys a dropped
// partition loses per hold of the lock.
constexpr size_t kCollectPerCommit = 32;
constexpr size_t kCollectPerRelease = 1024;
constexpr size_t kDropPerHold = 512;

Status Closed() { return Status::Unavailable("the store is closed"); }

// Shared with snapshots, which may outlive the engine.
struct Store {
  SharedMutex mutex;
  VersionMap map ARMATURE_GUARDED_BY(mutex);
  Mark mark ARMATURE_GUARDED_BY(mutex) = 0;
};

class MemorySnapshot final : public Snapshot {
 public:
  explicit MemorySnapshot(std::shared_ptr<Store> store) : store_(std::move(store)) {
    WriteLock lock(store_->mutex);
    mark_ = store_->mark;
    store_->map.Pin(mark_);
  }
  ~MemorySnapshot() override {
    WriteLock lock(store_->mutex);
    store_->map.Unpin(mark_);
    store_->map.CollectSome(kCollectPerRelease);
  }
  Mark mark() const { return mark_; }

 private:
  std::shared_ptr<Store> store_;
  Mark mark_ = 0;
};

class MemoryEngine final : public Engine {
 public:
  explicit MemoryEngine(Metrics& metrics)
      : commits_(metrics.GetCounter("armature_engine_commits_total", "Batches committed to the storage engine.")) {
    metrics.AddGauge("armature_engine_memory_bytes", "Memory the storage engine holds.", [store = store_] {
      ReadLock lock(store->mutex);
      return static_cast<double>(store->map.bytes());
    });
  }
  ~MemoryEngine() override { worker_.Stop(); }

  void CopyFrom(const MemoryEngine& original) {
    ReadLock known(original.partitions_.mutex());
    WriteLock partitions(partitions_.mutex());
    ReadLock from(original.store_->mutex);
    WriteLock to(store_->mutex);
    for (const PartitionInfo& info : original.partitions_.List()) {
      const auto partition = original.partitions_.Handle(info.id);
      if (info.id != kSystemPartition) partitions_.Put(info, partition->newest(), partition->counts());
    }
    partitions_.system().SetCounts(original.partitions_.system().counts());
    partitions_.system().SetNewest(original.partitions_.system().newest());
    store_->mark = original.store_->mark;
    CopyRows(original.store_->map, store_->map, store_->mark);
  }

  Capabilities capabilities() const override {
    return {.multi_partition_atomic = true, .persistent = false, .snapshots = true};
  }

  void Get(GetOp& op) override {
    op.status = CheckAlive(op.partition);
    if (op.status.ok()) op.status = CheckKey(*op.partition, op.key);
    if (op.status.ok()) op.found = Find(Of(op.partition), op.key, op.at, op.value);
    op.done.Finish();
  }

  void MultiGet(MultiGetOp& op) override {
    op.status = CheckAlive(op.partition);
    op.entries.resize(op.keys.size());
    for (size_t i = 0; i < op.keys.size() && op.status.ok(); ++i) {
      op.status = CheckKey(*op.partition, op.keys[i]);
      if (op.status.ok()) op.entries[i].found = Find(Of(op.partition), op.keys[i], op.at, op.entries[i].value);
    }
    op.done.Finish();
  }

  void Scan(ScanOp& op) override {
    ScanBuffer out(op);
    op.status = CheckAlive(op.partition);
    if (op.status.ok()) op.status = CheckScan(op);
    if (op.status.ok()) {
      const auto stored = Of(op.partition).StoredRange(op.begin, op.end);
      ReadLock lock(store_->mutex);
      if (!stored.is_empty)
        store_->map.Scan(stored.range.begin, stored.range.end, op.is_reverse, At(op.at),
                         [&](std::string_view key, std::string_view value) {
                           key.remove_prefix(stored.prefix_size);
                           return (stored.must_look && !op.partition->Has(key)) || out.Add(key, value);
                         });
    }
    out.Finish();
    op.done.Finish();
  }

  void Commit(CommitOp& op) override {
    CommitManyOp::Part part{op.partition, op.batch};
    op.status = Apply({&part, 1}, op.mark);
    op.sequence = part.sequence;
    op.done.Finish();
  }

  void CommitMany(CommitManyOp& op) override {
    op.status = Apply(op.parts, op.mark);
    op.done.Finish();
  }

  void WhenDurable(DurableOp& op) override {
    op.status = Status();
    op.done.Finish();
  }

  Mark DurableUpTo(const OpenPartition&) const override {
    ReadLock lock(store_->mutex);
    return store_->mark;
  }

  Task<Result<std::vector<PartitionInfo>>> ListPartitions() override {
    ReadLock lock(partitions_.mutex());
    co_return partitions_.List();
  }

  Task<Status> CreatePartition(PartitionInfo info) override {
    WriteLock lock(partitions_.mutex());
    if (is_closed_) co_return Closed();
    if (Status status = partitions_.CheckCreate(info); !status.ok()) co_return status;
    if (!partitions_.Find(info.id)) partitions_.Put(info, 0);
    co_return Status::Ok();
  }

  Task<Result<std::shared_ptr<OpenPartition>>> OpenPartitionAt(PartitionId id, Epoch epoch) override {
    WriteLock lock(partitions_.mutex());
    if (is_closed_) co_return Closed();
    auto opened = partitions_.PlanOpen(id, epoch);
    if (!opened) co_return opened.error();
    partitions_.Change(*opened);
    co_return std::shared_ptr<OpenPartition>(partitions_.Handle(id));
  }

  Task<Status> SplitPartition(PartitionId id, uint64_t at, PartitionId low, PartitionId high) override {
    WriteLock lock(partitions_.mutex());
    if (is_closed_) co_return Closed();
    auto split = partitions_.PlanSplit(id, at, low, high);
    if (!split) co_return split.error();
    const Essential whole;  // hashes that nobody has would be lost
    partitions_.Apply(*split);
    co_return Status::Ok();
  }

  // The lock is let go between portions, so that a large table does not hold everybody up while it goes.
  Task<Status> DropPartition(PartitionId id) override {
    return worker_.Await([this, id] {
      std::shared_ptr<EmbeddedPartition> gone;
      bool is_last = false;
      {
        WriteLock lock(partitions_.mutex());
        if (is_closed_) return Closed();
        if (Status status = partitions_.CheckDrop(id); !status.ok()) return status;
        gone = partitions_.Handle(id);
        is_last = partitions_.IsLastOf(id);
        partitions_.Erase(id);
      }
      for (const KeyRange& range : gone->RangesToDrop(is_last)) DeleteRange(range);
      return Status::Ok();
    });
  }

  Task<Status> DropRowsOfHashes(KeyspaceId keyspace) override {
    return worker_.Await([this, keyspace] {
      {
        ReadLock lock(partitions_.mutex());
        if (is_closed_) return Closed();
      }
      DeleteRange(RowsOfHashes(keyspace));
      return Status::Ok();
    });
  }

  OpenPartition& system() override { return partitions_.system(); }

  std::shared_ptr<const Snapshot> TakeSnapshot() override { return std::make_shared<MemorySnapshot>(store_); }

  Task<Status> Checkpoint(std::string) override {
    co_return Status::InvalidArgument("the memory engine keeps nothing on disk");
  }

  EngineStats stats() const override {
    ReadLock lock(store_->mutex);
    return {.commits = commits_.value(),
            .syncs = 0,
            .commits_made_durable = commits_.value(),
            .approximate_bytes_on_disk = 0,
            .memory_bytes = store_->map.bytes()};
  }

  Status Close() override {
    worker_.Stop();
    WriteLock lock(partitions_.mutex());
    is_closed_ = true;
    return {};
  }

 private:
  static Mark At(const ReadAt& at) {
    return at.snapshot ? static_cast<const MemorySnapshot*>(at.snapshot)->mark() : kNewest;
  }
  static const EmbeddedPartition& Of(const OpenPartition* partition) {
    return *static_cast<const EmbeddedPartition*>(partition);
  }

  bool Find(const EmbeddedPartition& partition, std::string_view key, const ReadAt& at, std::string& value) const {
    thread_local std::string stored;
    stored.clear();
    partition.AppendStored(key, stored);
    ReadLock lock(store_->mutex);
    const std::string* found = store_->map.Get(stored, At(at));
    if (found) value = *found;
    return found != nullptr;
  }

  void DeleteRange(const KeyRange& range) {
    for (bool has_more = true; has_more;) {
      WriteLock lock(store_->mutex);
      has_more = store_->map.DeleteSome(range.begin, range.end, ++store_->mark, kDropPerHold);
    }
  }

  // Throws where memory for the batches cannot be had: before anything is changed.
  static void ProbeMemory(std::span<const CommitManyOp::Part> parts) {
    constexpr size_t kPerCommit = 4096;
    size_t bytes = kPerCommit;
    for (const auto& part : parts) bytes += 2 * part.batch->bytes();
    void* volatile probe = ::operator new(bytes);  // volatile, or else the compiler leaves both out
    ::operator delete(probe);
  }

  Status Apply(std::span<CommitManyOp::Part> parts, Mark& mark) {
    ReadLock owners(partitions_.mutex());
    if (is_closed_) return Closed();
    for (const auto& part : parts) {
      if (Status status = CheckAlive(part.partition); !status.ok()) return status;
      if (Status status = CheckBatch(*part.partition, *part.batch); !status.ok()) return status;
    }
    commits_.Add();
    ProbeMemory(parts);
    const Essential applied;  // as a whole
    WriteLock lock(store_->mutex);
    mark = ++store_->mark;
    for (auto& part : parts) {
      auto& partition = static_cast<EmbeddedPartition&>(*part.partition);
      ApplyBatch(*part.batch, partition, mark, store_->map);
      part.sequence = partition.newest() + NumbersOf(partition, *part.batch);
      partition.AddCounts(part.batch->counts());
      partition.SetNewest(part.sequence);
    }
    store_->map.CollectSome(kCollectPerCommit);
    return {};
  }

  static void CopyRows(const VersionMap& from, VersionMap& to, Mark mark) {
    from.Scan("", "", false, kNewest, [&](std::string_view key, std::string_view value) {
      to.Put(key, value, mark);
      return true;
    });
  }

  static void ApplyBatch(const Batch& batch, const EmbeddedPartition& partition, Mark mark, VersionMap& map) {
    Sequence number = partition.newest();
    std::string stored;
    batch.ForEach([&](Batch::Kind kind, std::string_view key, std::string_view value) {
      stored.clear();
      partition.AppendStored(key, stored);
      switch (kind) {
        case Batch::Kind::kPut: map.Put(stored, value, mark); break;
        case Batch::Kind::kPutNumbered:
          AppendBigEndian(stored, ++number);
          map.Put(stored, value, mark);
          break;
        case Batch::Kind::kDelete: map.Delete(stored, mark); break;
      }
    });
  }

  std::shared_ptr<Store> store_ = std::make_shared<Store>();
  PartitionTable partitions_;
  bool is_closed_ ARMATURE_GUARDED_BY(partitions_.mutex()) = false;
  Counter& commits_;
  JobThread worker_;
};

}  // namespace

std::unique_ptr<Engine> OpenMemoryEngine(Metrics& metrics) { return std::make_unique<MemoryEngine>(metrics); }

std::unique_ptr<Engine> CopyMemoryEngine(const Engine& original, Metrics& metrics) {
  auto copy = std::make_unique<MemoryEngine>(metrics);
  copy->CopyFrom(static_cast<const MemoryEngine&>(original));
  return copy;
}

}  // namespace armature::storage
