#include "storage/faulty/faulty_engine.h"

#include <array>
#include <atomic>
#include <deque>
#include <new>
#include <utility>

#include "base/mutex.h"
#include "storage/job_thread.h"
#include "storage/memory/memory_engine.h"

namespace armature::storage {
namespace {

class FaultyEngineImpl final : public FaultyEngine {
 public:
  FaultyEngineImpl(const FaultyOptions& options, Metrics& metrics)
      : commits_(metrics.GetCounter("armature_engine_commits_total", "Batches committed to the storage engine.")),
        syncs_(metrics.GetCounter("armature_engine_syncs_total", "Times the write-ahead log was synced.")),
        is_auto_sync_(options.is_auto_sync),
        is_delayed_(options.is_delayed) {}
  ~FaultyEngineImpl() override { static_cast<void>(FaultyEngineImpl::Close()); }

  Capabilities capabilities() const override { return {.multi_partition_atomic = true, .persistent = false}; }

  void Get(GetOp& op) override { Read(op, Point::kGet, &Engine::Get); }
  void MultiGet(MultiGetOp& op) override { Read(op, Point::kMultiGet, &Engine::MultiGet); }
  void Scan(ScanOp& op) override { Read(op, Point::kScan, &Engine::Scan); }

  void Commit(CommitOp& op) override {
    Dispatch([this, &op] {
      const CommitManyOp::Part part{op.partition, op.epoch, op.batch};
      op.status = Apply({&part, 1}, op.sequence);
      op.done.Finish();
    });
  }
  void CommitMany(CommitManyOp& op) override {
    Dispatch([this, &op] {
      op.status = Apply(op.parts, op.sequence);
      op.done.Finish();
    });
  }

  void WhenDurable(DurableOp& op) override {
    bool is_parked = false, must_sync = false;
    {
      MutexLock lock(mutex_);
      op.status = is_closed_ ? Status::Unavailable("the store is closed") : Status();
      if (op.sequence > durable_sequence_ && !is_closed_) {
        parked_.push_back(&op);
        is_parked = true;
        must_sync = is_auto_sync_;
      }
    }
    if (!is_parked) op.done.Finish();
    if (must_sync) worker_.Post([this] { static_cast<void>(Sync()); });
  }

  Sequence DurableUpTo() const override {
    MutexLock lock(mutex_);
    return durable_sequence_;
  }

  Task<Result<std::vector<PartitionInfo>>> ListPartitions() override { return durable_->ListPartitions(); }
  Task<Status> CreatePartition(PartitionInfo info) override {
    return ChangeBoth([info](Engine& engine) { return engine.CreatePartition(info); });
  }
  Task<Status> DropPartition(PartitionId id) override {
    return ChangeBoth([id](Engine& engine) { return engine.DropPartition(id); });
  }
  Task<Status> SplitPartition(PartitionId id, std::string at, PartitionId new_id) override {
    return ChangeBoth([=](Engine& engine) { return engine.SplitPartition(id, at, new_id); });
  }
  Task<Status> FencePartition(PartitionId id, Epoch epoch) override {
    return ChangeBoth([=](Engine& engine) { return engine.FencePartition(id, epoch); });
  }

  std::shared_ptr<const Snapshot> TakeSnapshot() override { return durable_->TakeSnapshot(); }
  Task<Status> Checkpoint(std::string) override {
    co_return Status::InvalidArgument("the faulty engine keeps nothing on disk");
  }

  EngineStats stats() const override {
    MutexLock lock(mutex_);
    EngineStats stats = durable_->stats();
    stats.commits = commits_.value();
    stats.syncs = syncs_.value();
    stats.commits_made_durable = commits_.value() - unsynced_.size();
    return stats;
  }

  Status Close() override {
    Status synced = Sync();
    worker_.Stop();
    std::deque<DurableOp*> parked;
    {
      MutexLock lock(mutex_);
      is_closed_ = true;
      parked.swap(parked_);
    }
    Settle(parked, synced.ok() ? Status::Unavailable("the store is closed") : synced);
    return synced;
  }

  // --- controls

  Status Sync() override {
    std::deque<DurableOp*> ready;
    Status status;
    {
      MutexLock lock(mutex_);
      syncs_.Add();
      if (TakeFault(Point::kSync, status)) {
        ready.swap(parked_);
      } else {
        MakeDurable();
        TakeReady(ready);
      }
    }
    Settle(ready, status);
    return status;
  }

  void Crash() override {
    std::deque<DurableOp*> lost;
    {
      MutexLock lock(mutex_);
      unsynced_.clear();
      RebuildLatest();
      // Numbers are not given out twice: an old wait may not be satisfied by a new commit.
      durable_sequence_ = sequence_;
      lost.swap(parked_);
    }
    Settle(lost, Status::Unavailable("the store crashed"));
  }

  void FailNext(Point point, size_t count, Status status) override {
    MutexLock lock(faults_mutex_);
    faults_[static_cast<size_t>(point)] = {count, std::move(status), false};
  }
  void ThrowNext(Point point) override {
    MutexLock lock(faults_mutex_);
    faults_[static_cast<size_t>(point)] = {1, Status(), true};
  }
  void SetAutoSync(bool is_auto_sync) override {
    MutexLock lock(mutex_);
    is_auto_sync_ = is_auto_sync;
  }
  void SetDelayed(bool is_delayed) override { is_delayed_.store(is_delayed); }
  size_t unsynced_commits() const override {
    MutexLock lock(mutex_);
    return unsynced_.size();
  }

 private:
  struct Fault {
    size_t count = 0;
    Status status;
    bool throws = false;  // instead of giving the status
  };
  struct Unsynced {
    std::vector<CommitManyOp::Part> parts;
    std::vector<std::unique_ptr<Batch>> batches;  // what `parts` points to
  };

  template <class Body>
  void Dispatch(Body body) {
    if (is_delayed_.load()) worker_.Post(body);
    else body();
  }

  bool TakeFault(Point point, Status& status) {
    MutexLock lock(faults_mutex_);
    Fault& fault = faults_[static_cast<size_t>(point)];
    if (fault.count == 0) return false;
    --fault.count;
    if (fault.throws) throw std::bad_alloc();
    status = fault.status;
    return true;
  }

  // The inner engine finishes `op`.
  template <class Op>
  void Read(Op& op, Point point, void (Engine::*method)(Op&)) {
    Dispatch([this, &op, point, method] {
      if (TakeFault(point, op.status)) return op.done.Finish();
      if (op.at.snapshot || op.at.view == View::kDurable) return (*durable_.*method)(op);
      std::shared_ptr<Engine> latest;
      {
        MutexLock lock(mutex_);
        latest = latest_;
      }
      (*latest.*method)(op);
    });
  }

  Status Apply(std::span<const CommitManyOp::Part> parts, Sequence& sequence) {
    Status status;
    if (TakeFault(Point::kCommit, status)) return status;
    MutexLock lock(mutex_);
    if (is_closed_) return Status::Unavailable("the store is closed");
    CommitManyOp op;
    op.parts = parts;
    latest_->CommitMany(op);
    if (!op.status.ok()) return op.status;
    commits_.Add();
    sequence = ++sequence_;
    Unsynced& entry = unsynced_.emplace_back();
    for (const auto& part : parts) {
      entry.batches.push_back(std::make_unique<Batch>(*part.batch));
      entry.parts.push_back({part.partition, part.epoch, entry.batches.back().get()});
    }
    return {};
  }

  void MakeDurable() ARMATURE_WITH_LOCK(mutex_) {
    for (const Unsynced& entry : unsynced_) {
      CommitManyOp op;
      op.parts = entry.parts;
      durable_->CommitMany(op);
    }
    unsynced_.clear();
    durable_sequence_ = sequence_;
  }

  void TakeReady(std::deque<DurableOp*>& ready) ARMATURE_WITH_LOCK(mutex_) {
    std::deque<DurableOp*> waiting;
    for (DurableOp* op : parked_) (op->sequence <= durable_sequence_ ? ready : waiting).push_back(op);
    parked_.swap(waiting);
  }

  static void Settle(const std::deque<DurableOp*>& ops, const Status& status) {
    for (DurableOp* op : ops) {
      op->status = status;
      op->done.Finish();
    }
  }

  void RebuildLatest() ARMATURE_WITH_LOCK(mutex_) {
    latest_ = OpenMemoryEngine(inner_metrics_);
    auto partitions = RunBlocking(durable_->ListPartitions());
    for (const PartitionInfo& info : *partitions) {
      static_cast<void>(info.id == kSystemPartition ? RunBlocking(latest_->FencePartition(info.id, info.epoch))
                                                    : RunBlocking(latest_->CreatePartition(info)));
    }
    ScanOp all;
    durable_->Scan(all);
    Batch batch;
    for (const auto& row : all.rows) batch.Put(row.key, row.value);
    CommitOp op;
    for (const PartitionInfo& info : *partitions)
      if (info.id == kSystemPartition) op.epoch = info.epoch;
    op.batch = &batch;
    latest_->Commit(op);
  }

  // A change of partitions is durable when it returns, and so is all that came before it.
  template <class Change>
  Task<Status> ChangeBoth(Change change) {
    return worker_.Await([this, change]() -> Status {
      Status status;
      if (TakeFault(Point::kPartition, status)) return status;
      if (status = Sync(); !status.ok()) return status;
      MutexLock lock(mutex_);
      if (is_closed_) return Status::Unavailable("the store is closed");
      MakeDurable();
      status = RunBlocking(change(*latest_));
      if (status.ok()) status = RunBlocking(change(*durable_));
      return status;
    });
  }

  Metrics inner_metrics_;
  Counter& commits_;
  Counter& syncs_;

  mutable Mutex mutex_;
  const std::unique_ptr<Engine> durable_ = OpenMemoryEngine(inner_metrics_);
  std::shared_ptr<Engine> latest_ ARMATURE_GUARDED_BY(mutex_) = OpenMemoryEngine(inner_metrics_);
  std::deque<Unsynced> unsynced_ ARMATURE_GUARDED_BY(mutex_);
  std::deque<DurableOp*> parked_ ARMATURE_GUARDED_BY(mutex_);
  Sequence sequence_ ARMATURE_GUARDED_BY(mutex_) = 0;
  Sequence durable_sequence_ ARMATURE_GUARDED_BY(mutex_) = 0;
  bool is_auto_sync_ ARMATURE_GUARDED_BY(mutex_);
  bool is_closed_ ARMATURE_GUARDED_BY(mutex_) = false;
  std::atomic<bool> is_delayed_;

  Mutex faults_mutex_;
  std::array<Fault, 6> faults_ ARMATURE_GUARDED_BY(faults_mutex_);

  JobThread worker_;
};

}  // namespace

std::unique_ptr<FaultyEngine> OpenFaultyEngine(const FaultyOptions& options, Metrics& metrics) {
  return std::make_unique<FaultyEngineImpl>(options, metrics);
}

}  // namespace armature::storage
