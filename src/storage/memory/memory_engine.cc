#include "storage/memory/memory_engine.h"

#include <limits>
#include <new>

#include "base/memory/memory_reserve.h"
#include "base/shared_mutex.h"
#include "storage/job_thread.h"
#include "storage/memory/version_map.h"
#include "storage/partition_table.h"
#include "storage/scan_buffer.h"

namespace armature::storage {
namespace {

constexpr Sequence kNewest = std::numeric_limits<Sequence>::max();
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
  Sequence sequence ARMATURE_GUARDED_BY(mutex) = 0;
};

class MemorySnapshot final : public Snapshot {
 public:
  explicit MemorySnapshot(std::shared_ptr<Store> store) : store_(std::move(store)) {
    WriteLock lock(store_->mutex);
    sequence_ = store_->sequence;
    store_->map.Pin(sequence_);
  }
  ~MemorySnapshot() override {
    WriteLock lock(store_->mutex);
    store_->map.Unpin(sequence_);
    store_->map.CollectSome(kCollectPerRelease);
  }
  Sequence sequence() const { return sequence_; }

 private:
  std::shared_ptr<Store> store_;
  Sequence sequence_ = 0;
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

  Capabilities capabilities() const override { return {.multi_partition_atomic = true, .persistent = false}; }

  void Get(GetOp& op) override {
    op.status = Status();
    {
      ReadLock lock(store_->mutex);
      const std::string* value = store_->map.Get(op.key, At(op.at));
      op.found = value != nullptr;
      if (value) op.value = *value;
    }
    op.done.Finish();
  }

  void MultiGet(MultiGetOp& op) override {
    op.status = Status();
    op.entries.resize(op.keys.size());
    {
      ReadLock lock(store_->mutex);
      for (size_t i = 0; i < op.keys.size(); ++i) {
        const std::string* value = store_->map.Get(op.keys[i], At(op.at));
        op.entries[i].found = value != nullptr;
        if (value) op.entries[i].value = *value;
      }
    }
    op.done.Finish();
  }

  void Scan(ScanOp& op) override {
    op.status = Status();
    ScanBuffer out(op);
    {
      ReadLock lock(store_->mutex);
      store_->map.Scan(op.begin, op.end, op.is_reverse, At(op.at),
                       [&](std::string_view key, std::string_view value) { return out.Add(key, value); });
    }
    out.Finish();
    op.done.Finish();
  }

  void Commit(CommitOp& op) override {
    const CommitManyOp::Part part{op.partition, op.epoch, op.batch};
    op.status = Apply({&part, 1}, op.sequence);
    op.done.Finish();
  }

  void CommitMany(CommitManyOp& op) override {
    op.status = Apply(op.parts, op.sequence);
    op.done.Finish();
  }

  void WhenDurable(DurableOp& op) override {
    op.status = Status();
    op.done.Finish();
  }

  Sequence DurableUpTo() const override {
    ReadLock lock(store_->mutex);
    return store_->sequence;
  }

  Task<Result<std::vector<PartitionInfo>>> ListPartitions() override {
    ReadLock lock(partitions_.mutex());
    co_return partitions_.List();
  }

  Task<Status> CreatePartition(PartitionInfo info) override {
    WriteLock lock(partitions_.mutex());
    if (is_closed_) co_return Closed();
    if (Status status = partitions_.CheckCreate(info); !status.ok()) co_return status;
    partitions_.Put(std::move(info));
    co_return Status::Ok();
  }

  // The lock is let go between portions, so that a large table does not hold everybody up while it goes.
  Task<Status> DropPartition(PartitionId id) override {
    return worker_.Await([this, id] {
      KeyRange range;
      {
        WriteLock lock(partitions_.mutex());
        if (is_closed_) return Closed();
        if (Status status = partitions_.CheckDrop(id); !status.ok()) return status;
        range = partitions_.Find(id)->range;
        partitions_.Erase(id);
      }
      for (bool has_more = true; has_more;) {
        WriteLock lock(store_->mutex);
        has_more = store_->map.DeleteSome(range.begin, range.end, ++store_->sequence, kDropPerHold);
      }
      return Status::Ok();
    });
  }

  Task<Status> SplitPartition(PartitionId id, std::string at, PartitionId new_id) override {
    WriteLock lock(partitions_.mutex());
    if (is_closed_) co_return Closed();
    auto halves = partitions_.PlanSplit(id, at, new_id);
    if (!halves) co_return halves.error();
    partitions_.Put(std::move(halves->low));
    partitions_.Put(std::move(halves->high));
    co_return Status::Ok();
  }

  Task<Status> FencePartition(PartitionId id, Epoch epoch) override {
    WriteLock lock(partitions_.mutex());
    if (is_closed_) co_return Closed();
    auto fenced = partitions_.PlanFence(id, epoch);
    if (!fenced) co_return fenced.error();
    partitions_.Put(std::move(*fenced));
    co_return Status::Ok();
  }

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
  static Sequence At(const ReadAt& at) {
    return at.snapshot ? static_cast<const MemorySnapshot*>(at.snapshot)->sequence() : kNewest;
  }

  // Throws where memory for the batches cannot be had: before anything is changed.
  static void ProbeMemory(std::span<const CommitManyOp::Part> parts) {
    constexpr size_t kPerCommit = 4096;
    size_t bytes = kPerCommit;
    for (const auto& part : parts) bytes += 2 * part.batch->bytes();
    void* volatile probe = ::operator new(bytes);  // volatile, or else the compiler leaves both out
    ::operator delete(probe);
  }

  Status Apply(std::span<const CommitManyOp::Part> parts, Sequence& sequence) {
    ReadLock owners(partitions_.mutex());
    if (is_closed_) return Closed();
    for (const auto& part : parts)
      if (Status status = partitions_.Check(part.partition, part.epoch); !status.ok()) return status;
    commits_.Add();
    ProbeMemory(parts);
    const Essential applied;  // as a whole
    WriteLock lock(store_->mutex);
    sequence = ++store_->sequence;
    for (const auto& part : parts) ApplyBatch(*part.batch, sequence, store_->map);
    store_->map.CollectSome(kCollectPerCommit);
    return {};
  }

  static void ApplyBatch(const Batch& batch, Sequence sequence, VersionMap& map) {
    batch.ForEach([&](Batch::Kind kind, std::string_view key, std::string_view value) {
      switch (kind) {
        case Batch::Kind::kPut: map.Put(key, value, sequence); break;
        case Batch::Kind::kDelete: map.Delete(key, sequence); break;
        case Batch::Kind::kDeleteRange:
          if (key < value) map.DeleteRange(key, value, sequence);
          break;
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

}  // namespace armature::storage
