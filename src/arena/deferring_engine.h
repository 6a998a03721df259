// DeferringEngine: an engine whose every read and commit takes effect when a scheduler says so, on the scheduler's own
// thread: all interleavings that a slow store could make, each repeatable.
//
// Wraps a FaultyEngine, whose faults stay in force. Deferred, operations wait in line and RunOne picks among them;
// otherwise they run at once, and waiting for durability syncs. Down, every operation fails with kUnavailable: the
// process that asked is no more. One thread's.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "storage/faulty/faulty_engine.h"

namespace armature::arena {

class DeferringEngine final : public storage::Engine {
 public:
  explicit DeferringEngine(storage::FaultyEngine& inner) : inner_(inner) {}

  void SetDeferred(bool is_deferred) { is_deferred_ = is_deferred; }
  size_t waiting() const { return waiting_.size(); }
  // REQUIRES: number < waiting().
  void RunOne(size_t number);
  // Everything that waits fails, and so does what comes until GoUp.
  void GoDown();
  void GoUp() { is_down_ = false; }

  storage::Capabilities capabilities() const override { return inner_.capabilities(); }
  void Get(storage::GetOp& op) override { Defer<&storage::Engine::Get>(op); }
  void MultiGet(storage::MultiGetOp& op) override { Defer<&storage::Engine::MultiGet>(op); }
  void Scan(storage::ScanOp& op) override { Defer<&storage::Engine::Scan>(op); }
  void Commit(storage::CommitOp& op) override { Defer<&storage::Engine::Commit>(op); }
  void CommitMany(storage::CommitManyOp& op) override { Defer<&storage::Engine::CommitMany>(op); }
  void WhenDurable(storage::DurableOp& op) override;
  storage::Mark DurableUpTo(const storage::OpenPartition& partition) const override {
    return inner_.DurableUpTo(partition);
  }

  Task<Result<std::vector<storage::PartitionInfo>>> ListPartitions() override {
    return AtOnce(inner_.ListPartitions());
  }
  Task<Status> CreatePartition(storage::PartitionInfo info) override { return AtOnce(inner_.CreatePartition(info)); }
  Task<Status> DropPartition(storage::PartitionId id) override { return AtOnce(inner_.DropPartition(id)); }
  Task<Status> DropRowsOfHashes(storage::KeyspaceId keyspace) override {
    return AtOnce(inner_.DropRowsOfHashes(keyspace));
  }
  Task<Result<std::shared_ptr<storage::OpenPartition>>> OpenPartitionAt(storage::PartitionId id,
                                                                        storage::Epoch epoch) override {
    return AtOnce(inner_.OpenPartitionAt(id, epoch));
  }
  Task<Status> SplitPartition(storage::PartitionId id, uint64_t at, storage::PartitionId low,
                              storage::PartitionId high) override {
    return AtOnce(inner_.SplitPartition(id, at, low, high));
  }
  storage::OpenPartition& system() override { return inner_.system(); }
  std::shared_ptr<const storage::Snapshot> TakeSnapshot() override { return inner_.TakeSnapshot(); }
  Task<Status> Checkpoint(std::string directory) override { return inner_.Checkpoint(std::move(directory)); }
  storage::EngineStats stats() const override { return inner_.stats(); }
  Status Close() override { return inner_.Close(); }

 private:
  struct Waiting {
    std::function<void()> run, fail;
  };

  template <class Op>
  static void Fail(Op& op) {
    op.status = Status::Unavailable("the process is gone");
    op.done.Finish();
  }

  // What the inner engine does on a thread of its own is waited for, so that the order of things is the scheduler's.
  template <class T>
  Task<T> AtOnce(Task<T> task) {
    if (is_down_) co_return Status::Unavailable("the process is gone");
    std::optional<T> result;
    std::thread([&] { result.emplace(RunBlocking(std::move(task))); }).join();
    co_return std::move(*result);
  }

  template <auto Method, class Op>
  void Defer(Op& op) {
    if (is_down_) return Fail(op);
    if (!is_deferred_) return (inner_.*Method)(op);
    waiting_.push_back({[this, &op] { (inner_.*Method)(op); }, [&op] { Fail(op); }});
  }

  storage::FaultyEngine& inner_;
  std::vector<Waiting> waiting_;
  bool is_deferred_ = false;
  bool is_down_ = false;
};

}  // namespace armature::arena
