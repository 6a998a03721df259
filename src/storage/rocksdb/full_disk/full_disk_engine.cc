#include "storage/rocksdb/full_disk/full_disk_engine.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <sys/statvfs.h>

#include "base/log.h"
#include "base/mutex.h"
#include "base/shared_mutex.h"
#include "storage/embedded_partition.h"
#include "storage/rocksdb/sync/rocksdb_snapshot.h"

namespace armature::storage {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{50};         // between looks at the free space
constexpr milliseconds kFirstPause{100};  // between tries although nothing has changed
constexpr milliseconds kLongestPause{8000};

uint64_t FreeBytes(const std::string& directory) {
  struct statvfs info {};
  return statvfs(directory.c_str(), &info) == 0 ? uint64_t{info.f_bavail} * info.f_frsize : 0;
}

// A snapshot and the engine that it is of: the reader's are still good when the writer has taken over.
class HeldSnapshot final : public StoreSnapshot {
 public:
  HeldSnapshot(std::shared_ptr<Engine> engine) : engine_(std::move(engine)), inner_(engine_->TakeSnapshot()) {}
  Engine& engine() const { return *engine_; }
  const rocksdb::Snapshot* get() const override { return static_cast<const StoreSnapshot&>(*inner_).get(); }

 private:
  const std::shared_ptr<Engine> engine_;  // goes last
  const std::shared_ptr<const Snapshot> inner_;
};

class FullDiskEngine final : public Engine {
 public:
  FullDiskEngine(std::shared_ptr<Engine> reader, std::string directory, OpenWritable open_writable)
      : directory_(std::move(directory)), open_writable_(std::move(open_writable)), current_(std::move(reader)) {
    thread_ = std::thread([this] { Run(); });
  }
  ~FullDiskEngine() override { static_cast<void>(FullDiskEngine::Close()); }

  Capabilities capabilities() const override { return Current()->capabilities(); }

  void Get(GetOp& op) override { Read(op, &Engine::Get); }
  void MultiGet(MultiGetOp& op) override { Read(op, &Engine::MultiGet); }
  void Scan(ScanOp& op) override { Read(op, &Engine::Scan); }
  // What finishes later is the writer's, which stays until this goes. A handle of the reader is dead by then, but for
  // that of the system partition.
  void Commit(CommitOp& op) override {
    const auto engine = Current();
    if (op.partition->is_system()) op.partition = &engine->system();
    engine->Commit(op);
  }
  void CommitMany(CommitManyOp& op) override {
    const auto engine = Current();
    for (auto& part : op.parts)
      if (part.partition->is_system()) part.partition = &engine->system();
    engine->CommitMany(op);
  }
  void WhenDurable(DurableOp& op) override { Current()->WhenDurable(op); }
  Mark DurableUpTo(const OpenPartition& partition) const override { return Current()->DurableUpTo(partition); }

  Task<Result<std::vector<PartitionInfo>>> ListPartitions() override {
    const auto engine = Current();
    co_return co_await engine->ListPartitions();
  }
  Task<Status> CreatePartition(PartitionInfo info) override {
    const auto engine = Current();
    co_return co_await engine->CreatePartition(info);
  }
  Task<Result<std::shared_ptr<OpenPartition>>> OpenPartitionAt(PartitionId id, Epoch epoch) override {
    const auto engine = Current();
    co_return co_await engine->OpenPartitionAt(id, epoch);
  }
  Task<Status> SplitPartition(PartitionId id, uint64_t at, PartitionId low, PartitionId high) override {
    const auto engine = Current();
    co_return co_await engine->SplitPartition(id, at, low, high);
  }
  Task<Status> DropPartition(PartitionId id) override {
    const auto engine = Current();
    co_return co_await engine->DropPartition(id);
  }
  Task<Status> DropRowsOfHashes(KeyspaceId keyspace) override {
    const auto engine = Current();
    co_return co_await engine->DropRowsOfHashes(keyspace);
  }
  OpenPartition& system() override { return system_; }
  std::shared_ptr<const Snapshot> TakeSnapshot() override { return std::make_shared<HeldSnapshot>(Current()); }
  Task<Status> Checkpoint(std::string directory) override {
    const auto engine = Current();
    co_return co_await engine->Checkpoint(std::move(directory));
  }
  Task<Result<std::map<uint32_t, uint64_t>>> FilesByDataKey() override {
    const auto engine = Current();
    co_return co_await engine->FilesByDataKey();
  }
  Task<Status> RewriteUnderNewestKey() override {
    const auto engine = Current();
    co_return co_await engine->RewriteUnderNewestKey();
  }
  EngineStats stats() const override { return Current()->stats(); }

  Status Close() override {
    {
      MutexLock lock(stop_mutex_);
      is_stopping_ = true;
      stop_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    open_writable_ = nullptr;  // and with it the lock of the directory
    return Current()->Close();
  }

 private:
  std::shared_ptr<Engine> Current() const {
    ReadLock lock(mutex_);
    return current_;
  }

  template <class Op>
  void Read(Op& op, void (Engine::*method)(Op&)) {
    const auto* held = static_cast<const HeldSnapshot*>(op.at.snapshot);
    const auto current = Current();
    Engine& engine = held ? held->engine() : *current;
    if (op.partition->is_system()) op.partition = &engine.system();
    // May finish later: on the writer, which stays until this goes.
    (engine.*method)(op);
  }

  // False when it is time to stop.
  bool Sleep(milliseconds pause) {
    MutexLock lock(stop_mutex_);
    return !stop_.wait_for(lock, pause, [this]() ARMATURE_WITH_LOCK(stop_mutex_) { return is_stopping_; });
  }

  void Run();
  // Until there is more space than at the last try, or it has not been tried for long.
  bool AwaitSpace(uint64_t free_before, milliseconds pause);

  EmbeddedPartition system_{PartitionInfo{}, 0};  // stands for that of either
  const std::string directory_;
  OpenWritable open_writable_;  // the thread's, until it is joined
  mutable SharedMutex mutex_;
  std::shared_ptr<Engine> current_ ARMATURE_GUARDED_BY(mutex_);

  Mutex stop_mutex_;
  Condition stop_;
  bool is_stopping_ ARMATURE_GUARDED_BY(stop_mutex_) = false;
  std::thread thread_;
};

bool FullDiskEngine::AwaitSpace(uint64_t free_before, milliseconds pause) {
  for (milliseconds waited{0}; waited < pause; waited += kLook) {
    if (!Sleep(kLook)) return false;
    if (FreeBytes(directory_) > free_before) return true;
  }
  return true;
}

void FullDiskEngine::Run() {
  pthread_setname_np(pthread_self(), "wait-for-space");
  milliseconds pause = kFirstPause;
  std::shared_ptr<WritableStore> writable;
  while (!writable) {
    const uint64_t free = FreeBytes(directory_);
    if (!AwaitSpace(free, pause)) return;
    pause = std::min(2 * pause, kLongestPause);
    auto opened = open_writable_();
    if (opened) writable = std::move(*opened);
    else if (opened.error().code() != StatusCode::kNoSpace)
      LogError("storage: still read-only, because the store cannot be opened for writing: {}",
               opened.error().ToString());
  }
  std::weak_ptr<Engine> reader;
  {
    auto next = std::shared_ptr<Engine>(writable, &writable->engine());
    WriteLock lock(mutex_);
    current_.swap(next);
    static_cast<void>(next->Close());
    reader = next;
  }
  LogInfo("storage: there is space again, writes are accepted");
  while (!reader.expired())
    if (!Sleep(kLook)) return;
  writable->StartCompacting();
}

}  // namespace

std::unique_ptr<Engine> MakeFullDiskEngine(std::shared_ptr<Engine> reader, std::string directory,
                                           OpenWritable open_writable) {
  return std::make_unique<FullDiskEngine>(std::move(reader), std::move(directory), std::move(open_writable));
}

}  // namespace armature::storage
