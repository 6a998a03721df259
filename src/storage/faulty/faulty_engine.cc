#include "storage/faulty/faulty_engine.h"

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <new>
#include <utility>

#include "base/mutex.h"
#include "storage/embedded_partition.h"
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

  Capabilities capabilities() const override {
    return {.multi_partition_atomic = true, .persistent = false, .snapshots = true};
  }

  void Get(GetOp& op) override { Read(op, Point::kGet, &Engine::Get); }
  void MultiGet(MultiGetOp& op) override { Read(op, Point::kMultiGet, &Engine::MultiGet); }
  void Scan(ScanOp& op) override { Read(op, Point::kScan, &Engine::Scan); }

  void Commit(CommitOp& op) override {
    Dispatch([this, &op] {
      CommitManyOp::Part part{op.partition, op.batch};
      op.status = Apply({&part, 1}, op.mark);
      op.sequence = part.sequence;
      op.done.Finish();
    });
  }
  void CommitMany(CommitManyOp& op) override {
    Dispatch([this, &op] {
      op.status = Apply(op.parts, op.mark);
      op.done.Finish();
    });
  }

  void WhenDurable(DurableOp& op) override {
    bool is_parked = false, must_sync = false;
    {
      MutexLock lock(mutex_);
      op.status = is_closed_ ? Status::Unavailable("the store is closed") : Status();
      if (op.mark > durable_mark_ && !is_closed_) {
        parked_.push_back(&op);
        is_parked = true;
        must_sync = is_auto_sync_;
      }
    }
    if (!is_parked) op.done.Finish();
    if (must_sync) worker_.Post([this] { static_cast<void>(Sync()); });
  }

  Mark DurableUpTo(const OpenPartition&) const override {
    MutexLock lock(mutex_);
    return durable_mark_;
  }

  Task<Result<std::vector<PartitionInfo>>> ListPartitions() override { return durable_->ListPartitions(); }
  Task<Status> CreatePartition(PartitionInfo info) override {
    return ChangeBoth([info](Engine& engine) { return engine.CreatePartition(info); });
  }
  Task<Result<std::shared_ptr<OpenPartition>>> OpenPartitionAt(PartitionId id, Epoch epoch) override {
    PartitionInfo opened;
    const auto open = [id, epoch, &opened](Engine& engine) -> Task<Status> {
      auto handle = co_await engine.OpenPartitionAt(id, epoch);
      if (!handle) co_return handle.error();
      opened = (*handle)->info();
      co_return Status::Ok();
    };
    if (Status status = co_await ChangeBoth(open); !status.ok()) co_return status;
    MutexLock lock(mutex_);
    co_return Opened(opened);
  }
  Task<Status> SplitPartition(PartitionId id, uint64_t at, PartitionId low, PartitionId high) override {
    Status status = co_await ChangeBoth([=](Engine& engine) { return engine.SplitPartition(id, at, low, high); });
    if (status.ok()) Kill(id);
    co_return status;
  }
  Task<Status> DropPartition(PartitionId id) override {
    Status status = co_await ChangeBoth([id](Engine& engine) { return engine.DropPartition(id); });
    if (status.ok()) Forget(id);
    co_return status;
  }
  Task<Status> DropRowsOfHashes(KeyspaceId keyspace) override {
    return ChangeBoth([keyspace](Engine& engine) { return engine.DropRowsOfHashes(keyspace); });
  }
  OpenPartition& system() override { return system_; }

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
      SetBack(system_);
      for (const auto& [id, handle] : handles_) SetBack(*handle);
      // Numbers are not given out twice: an old wait may not be satisfied by a new commit.
      durable_mark_ = mark_;
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
    std::vector<std::unique_ptr<Batch>> batches;  // what `parts` points to, with
    std::vector<std::shared_ptr<OpenPartition>> partitions;
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
      if (op.status = CheckAlive(op.partition); !op.status.ok()) return op.done.Finish();
      const bool is_durable = op.at.snapshot || op.at.view == View::kDurable;
      std::shared_ptr<Engine> engine;
      {
        MutexLock lock(mutex_);
        engine = is_durable ? durable_ : latest_;
      }
      const auto inner = Inner(*engine, *op.partition);  // stays until the read is done
      if (!inner) {
        op.status = inner.error();
        return op.done.Finish();
      }
      op.partition = inner->get();
      (*engine.*method)(op);
    });
  }

  // The same partition in one of the two.
  static Result<std::shared_ptr<OpenPartition>> Inner(Engine& engine, const OpenPartition& partition) {
    if (partition.is_system()) return std::shared_ptr<OpenPartition>(std::shared_ptr<void>(), &engine.system());
    auto inner = RunBlocking(engine.OpenPartitionAt(partition.id(), partition.info().epoch));
    // A split has come as far as the inner engine: the handle is about to die.
    if (inner && (*inner)->info().is_ended != partition.info().is_ended)
      return Status::Fenced("the partition was split");
    return inner;
  }

  // In one of the two; the numbers given are left in `parts`.
  static Status ApplyTo(Engine& engine, std::span<CommitManyOp::Part> parts) {
    std::vector<CommitManyOp::Part> inner(parts.begin(), parts.end());
    std::vector<std::shared_ptr<OpenPartition>> handles;
    for (auto& part : inner) {
      auto handle = Inner(engine, *part.partition);
      if (!handle) return handle.error();
      part.partition = handle->get();
      handles.push_back(std::move(*handle));
    }
    CommitManyOp op;
    op.parts = inner;
    engine.CommitMany(op);
    for (size_t i = 0; i < parts.size(); ++i) parts[i].sequence = inner[i].sequence;
    return op.status;
  }

  Status Apply(std::span<CommitManyOp::Part> parts, Mark& mark) {
    Status status;
    if (TakeFault(Point::kCommit, status)) return status;
    MutexLock lock(mutex_);
    if (is_closed_) return Status::Unavailable("the store is closed");
    for (const auto& part : parts)
      if (status = CheckAlive(part.partition); !status.ok()) return status;
    if (status = ApplyTo(*latest_, parts); !status.ok()) return status;
    for (const auto& part : parts) {
      part.partition->AddCounts(part.batch->counts());
      part.partition->SetNewest(part.sequence);
    }
    commits_.Add();
    mark = ++mark_;
    Unsynced& entry = unsynced_.emplace_back();
    for (const auto& part : parts) {
      entry.batches.push_back(std::make_unique<Batch>(*part.batch));
      entry.partitions.push_back(HandleOf(*part.partition));
      entry.parts.push_back({entry.partitions.back().get(), entry.batches.back().get()});
    }
    return {};
  }

  void MakeDurable() ARMATURE_WITH_LOCK(mutex_) {
    for (Unsynced& entry : unsynced_) static_cast<void>(ApplyTo(*durable_, entry.parts));
    unsynced_.clear();
    durable_mark_ = mark_;
  }

  // The handle that is given out, made when it is first asked for.
  Result<std::shared_ptr<OpenPartition>> Opened(const PartitionInfo& info) ARMATURE_WITH_LOCK(mutex_) {
    // As it is now: others may have committed to it since it was opened.
    ARMATURE_TRY(const auto inner, RunBlocking(latest_->OpenPartitionAt(info.id, info.epoch)));
    auto& handle = handles_[info.id];
    if (handle && handle->info() == info) return handle;
    if (handle) handle->Kill();
    return handle = std::make_shared<OpenPartition>(info, inner->newest(), inner->counts());
  }
  // What a crash has taken is not counted.
  void SetBack(OpenPartition& handle) ARMATURE_WITH_LOCK(mutex_) {
    const auto inner = Inner(*latest_, handle);
    if (!inner) return;  // it is dead
    handle.SetCounts((*inner)->counts());
    handle.SetNewest((*inner)->newest());
  }
  std::shared_ptr<OpenPartition> HandleOf(OpenPartition& partition) ARMATURE_WITH_LOCK(mutex_) {
    if (partition.is_system()) return {std::shared_ptr<OpenPartition>(), &system_};
    return handles_.at(partition.id());
  }
  void Kill(PartitionId id) {
    MutexLock lock(mutex_);
    if (const auto handle = handles_.find(id); handle != handles_.end()) handle->second->Kill();
  }
  void Forget(PartitionId id) {
    MutexLock lock(mutex_);
    if (const auto handle = handles_.find(id); handle != handles_.end()) {
      handle->second->Drop();
      handles_.erase(handle);
    }
  }

  void TakeReady(std::deque<DurableOp*>& ready) ARMATURE_WITH_LOCK(mutex_) {
    std::deque<DurableOp*> waiting;
    for (DurableOp* op : parked_) (op->mark <= durable_mark_ ? ready : waiting).push_back(op);
    parked_.swap(waiting);
  }

  static void Settle(const std::deque<DurableOp*>& ops, const Status& status) {
    for (DurableOp* op : ops) {
      op->status = status;
      op->done.Finish();
    }
  }

  void RebuildLatest() ARMATURE_WITH_LOCK(mutex_) { latest_ = CopyMemoryEngine(*durable_, inner_metrics_); }

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
  const std::shared_ptr<Engine> durable_ = OpenMemoryEngine(inner_metrics_);
  std::shared_ptr<Engine> latest_ ARMATURE_GUARDED_BY(mutex_) = OpenMemoryEngine(inner_metrics_);
  std::deque<Unsynced> unsynced_ ARMATURE_GUARDED_BY(mutex_);
  std::deque<DurableOp*> parked_ ARMATURE_GUARDED_BY(mutex_);
  std::map<PartitionId, std::shared_ptr<OpenPartition>> handles_ ARMATURE_GUARDED_BY(mutex_);
  Mark mark_ ARMATURE_GUARDED_BY(mutex_) = 0;
  Mark durable_mark_ ARMATURE_GUARDED_BY(mutex_) = 0;
  OpenPartition system_{PartitionInfo{}, 0};
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
