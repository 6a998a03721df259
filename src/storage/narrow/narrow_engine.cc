#include "storage/narrow/narrow_engine.h"

#include <string>
#include <utility>
#include <vector>

#include "storage/embedded_partition.h"
#include "storage/narrow/lanes.h"
#include "storage/narrow/late_thread.h"

namespace armature::storage {
namespace {

Status CheckRead(const GetOp& op) { return CheckKey(*op.partition, op.key); }
Status CheckRead(const MultiGetOp& op) {
  for (const std::string_view key : op.keys)
    if (Status status = CheckKey(*op.partition, key); !status.ok()) return status;
  return {};
}
Status CheckRead(const ScanOp& op) { return CheckScan(op); }

void ClearResult(GetOp& op) { op.found = false; }
void ClearResult(MultiGetOp& op) { op.entries.assign(op.keys.size(), {}); }
void ClearResult(ScanOp& op) {
  op.rows.clear();
  op.has_more = false;
}

class NarrowEngineImpl final : public NarrowEngine {
 public:
  NarrowEngineImpl(std::unique_ptr<Engine> inner, const NarrowOptions& options)
      : inner_(std::move(inner)),
        late_permille_(static_cast<uint64_t>(options.late_reads * 1000)),
        late_(options.seed, options.slowest_micros),
        // Another sequence of chances, so that faults come in the same order whatever the thread does.
        lanes_(*inner_, late_, options.faults, options.seed + 1) {}
  ~NarrowEngineImpl() override { static_cast<void>(NarrowEngineImpl::Close()); }

  Capabilities capabilities() const override {
    return {.multi_partition_atomic = false, .persistent = inner_->capabilities().persistent, .snapshots = false};
  }

  void Get(GetOp& op) override { Read(op); }
  void MultiGet(MultiGetOp& op) override { Read(op); }
  void Scan(ScanOp& op) override { Read(op); }

  void Commit(CommitOp& op) override { lanes_.Commit(op); }
  void CommitMany(CommitManyOp& op) override {
    op.status = Status::InvalidArgument("a commit is of one partition");
    late_.Post([&op] { op.done.Finish(); });
  }
  void WhenDurable(DurableOp& op) override { lanes_.WhenDurable(op); }
  Mark DurableUpTo(const OpenPartition& partition) const override { return lanes_.DurableUpTo(partition); }

  Task<Result<std::vector<PartitionInfo>>> ListPartitions() override {
    return late_.Await([this] { return RunBlocking(inner_->ListPartitions()); });
  }
  Task<Status> CreatePartition(PartitionInfo info) override {
    return late_.Await([this, info] { return RunBlocking(inner_->CreatePartition(info)); });
  }
  Task<Result<std::shared_ptr<OpenPartition>>> OpenPartitionAt(PartitionId id, Epoch epoch) override {
    return late_.Await([this, id, epoch] { return lanes_.Open(id, epoch); });
  }
  Task<Status> SplitPartition(PartitionId id, uint64_t at, PartitionId low, PartitionId high) override {
    return late_.Await([=, this] {
      return lanes_.Change(id, false, [&] { return RunBlocking(inner_->SplitPartition(id, at, low, high)); });
    });
  }
  Task<Status> DropPartition(PartitionId id) override {
    return late_.Await(
        [this, id] { return lanes_.Change(id, true, [&] { return RunBlocking(inner_->DropPartition(id)); }); });
  }
  Task<Status> DropRowsOfHashes(KeyspaceId keyspace) override {
    return late_.Await([this, keyspace] {
      lanes_.SettleKeyspace(keyspace);
      return RunBlocking(inner_->DropRowsOfHashes(keyspace));
    });
  }
  OpenPartition& system() override { return lanes_.system(); }

  std::shared_ptr<const Snapshot> TakeSnapshot() override { return nullptr; }
  // Of what is durable, as everywhere.
  Task<Status> Checkpoint(std::string directory) override {
    return late_.Await([this, directory] { return RunBlocking(inner_->Checkpoint(directory)); });
  }

  EngineStats stats() const override {
    EngineStats stats = inner_->stats();
    stats.commits += lanes_.queued();
    return stats;
  }

  Status Close() override {
    lanes_.Refuse();
    late_.Stop();
    lanes_.SettleAll();
    return inner_->Close();
  }

  // --- controls

  void FenceNext(PartitionId id) override { lanes_.PlanFault(id, {NarrowFaults::Kind::kFence}); }
  void UnknownNext(PartitionId id, bool is_done) override {
    lanes_.PlanFault(id, {NarrowFaults::Kind::kUnknown, is_done});
  }
  void DoubtNext(PartitionId id, bool is_done) override { lanes_.PlanFault(id, {NarrowFaults::Kind::kDoubt, is_done}); }
  void BusyNext(PartitionId id, size_t count) override { lanes_.PlanBusy(id, count); }
  void HoldBack(PartitionId id) override { lanes_.HoldBack(id); }
  void LetGo(PartitionId id) override { lanes_.LetGo(id); }
  void Crash() override { lanes_.Crash(); }
  size_t queued(PartitionId id) const override { return lanes_.queued(id); }

 private:
  // At once, or late: then what is read is of now or of later, as it would be with the way to a remote store before or
  // behind the reading.
  template <class Op>
  void Read(Op& op) {
    if (late_.Below(1000) >= late_permille_) {
      Perform(op);
      op.done.Finish();
    } else if (late_.Below(2) == 0) {
      Perform(op);
      late_.Post([&op] { op.done.Finish(); });
    } else {
      late_.Post([this, &op] {
        Perform(op);
        op.done.Finish();
      });
    }
  }

  template <class Op>
  void Perform(Op& op) {
    ClearResult(op);
    op.status = CheckAlive(op.partition);
    if (op.status.ok()) op.status = CheckRead(op);
    if (op.status.ok() && op.at.snapshot) op.status = Status::InvalidArgument("the store has no snapshots");
    if (!op.status.ok()) return;
    if (op.at.view == View::kLatest) lanes_.ReadLatest(op);
    else ReadOver(nullptr, *inner_, InnerOf(*op.partition), op);
  }

  const std::unique_ptr<Engine> inner_;
  const uint64_t late_permille_;
  LateThread late_;
  Lanes lanes_;
};

}  // namespace

std::unique_ptr<NarrowEngine> OpenNarrowEngine(std::unique_ptr<Engine> inner, const NarrowOptions& options) {
  return std::make_unique<NarrowEngineImpl>(std::move(inner), options);
}

}  // namespace armature::storage
