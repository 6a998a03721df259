#include "storage/rocksdb/rocksdb_engine.h"

#include <new>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "base/shared_mutex.h"
#include "storage/embedded_partition.h"
#include "storage/job_pool.h"
#include "storage/rocksdb/commit_group.h"
#include "storage/rocksdb/commit_writer.h"
#include "storage/rocksdb/encrypted/store_encryption.h"
#include "storage/rocksdb/files/cache_only.h"
#include "storage/rocksdb/full_disk/full_disk_engine.h"
#include "storage/rocksdb/full_disk/read_only_store.h"
#include "storage/rocksdb/open_store.h"
#include "storage/rocksdb/partition_admin.h"
#include "storage/rocksdb/rows/row_reads.h"
#include "storage/rocksdb/setup/data_directory.h"
#include "storage/rocksdb/sync/rocksdb_snapshot.h"

namespace armature::storage {
namespace {

// Threads that wait for the disk so that reactors need not, and how many reads may wait for one of them. Reads beyond
// that are done where they are asked for, which asks for no more meanwhile.
constexpr size_t kColdReaders = 8;
constexpr size_t kMostColdReads = 1024;

// A read that was not in memory, at the view at which it was looked for there.
template <class RowRead>
class ColdRead final : public JobPool::Job {
 public:
  ColdRead(const OpenStore& store, RowRead&& read, const rocksdb::ReadOptions& options, DurableViews::Pin&& pin)
      : store_(store), read_(std::move(read)), options_(options), pin_(std::move(pin)) {}

  void Run() override {
    auto& op = read_.op();
    if (store_.is_closed()) {
      op.status = OpenStore::Closed();
    } else if (op.status = CheckAlive(op.partition); op.status.ok()) {
      const Fallible giving_up;
      try {
        read_.Run(store_.db(), options_);
      } catch (const std::bad_alloc&) { op.status = Status::Unavailable("memory is exhausted"); }
    }
    pin_ = DurableViews::Pin();
    op.done.Finish();
  }

 private:
  const OpenStore& store_;
  RowRead read_;
  const rocksdb::ReadOptions options_;
  DurableViews::Pin pin_;
};

class RocksDbEngine final : public Engine, public WritableStore {
 public:
  RocksDbEngine(const RocksDbOptions& options, std::shared_ptr<const DataDirectory> directory, Metrics& metrics)
      : store_(options, std::move(directory)),
        writer_(store_, metrics),
        admin_(store_, *this, *snapshots_),
        cold_reads_(metrics.GetCounter("armature_engine_cold_reads_total", "Reads that had to wait for the disk.")) {}
  ~RocksDbEngine() override { static_cast<void>(RocksDbEngine::Close()); }

  Status Open(Metrics& metrics, bool has_reader_beside) { return store_.Open(metrics, has_reader_beside); }

  Engine& engine() override { return *this; }
  void StartCompacting() override { store_.StartCompacting(); }

  Capabilities capabilities() const override {
    return {.multi_partition_atomic = true, .persistent = true, .snapshots = true};
  }

  void Get(GetOp& op) override { Read(RowGet(op)); }
  void MultiGet(MultiGetOp& op) override { Read(RowMultiGet(op)); }
  void Scan(ScanOp& op) override { Read(RowRangeScan(op)); }
  void Commit(CommitOp& op) override { CommitGroup::Join(writer_, CommitGroup::Member(op)); }
  void CommitMany(CommitManyOp& op) override { CommitGroup::Join(writer_, CommitGroup::Member(op)); }
  void WhenDurable(DurableOp& op) override;
  Mark DurableUpTo(const OpenPartition& partition) const override;

  Task<Result<std::vector<PartitionInfo>>> ListPartitions() override;
  Task<Status> CreatePartition(PartitionInfo info) override { return admin_.Create(info); }
  Task<Result<std::shared_ptr<OpenPartition>>> OpenPartitionAt(PartitionId id, Epoch epoch) override {
    return admin_.Open(id, epoch);
  }
  Task<Status> SplitPartition(PartitionId id, uint64_t at, PartitionId low, PartitionId high) override {
    return admin_.Split(id, at, low, high);
  }
  Task<Status> DropPartition(PartitionId id) override { return admin_.Drop(id); }
  Task<Status> DropRowsOfHashes(KeyspaceId keyspace) override { return admin_.DropRowsOfHashes(keyspace); }
  OpenPartition& system() override { return store_.partitions.system(); }

  std::shared_ptr<const Snapshot> TakeSnapshot() override;
  Task<Status> Checkpoint(std::string directory) override { return admin_.Checkpoint(std::move(directory)); }
  Task<Result<std::map<uint32_t, uint64_t>>> FilesByDataKey() override { return admin_.FilesByDataKey(); }
  Task<Status> RewriteUnderNewestKey() override { return admin_.RewriteUnderNewestKey(); }
  EngineStats stats() const override;
  Status Close() override;

 private:
  // One of row_reads.h, at the view the operation names, and its end: from memory at once, else by the pool.
  template <class RowRead>
  void Read(RowRead read);
  template <class RowRead>
  bool RunInMemory(RowRead& read, const rocksdb::ReadOptions& options) const {
    const CacheOnly only;
    return read.Run(store_.db(), options);
  }
  // Read options for `at`; `pin` keeps the view for as long as they are used.
  rocksdb::ReadOptions ReadOptionsFor(const ReadAt& at, DurableViews::Pin& pin) const;

  const std::shared_ptr<std::atomic<int>> snapshots_ = std::make_shared<std::atomic<int>>(0);
  OpenStore store_;
  CommitWriter writer_;
  PartitionAdmin admin_;
  Counter& cold_reads_;
  JobPool cold_readers_{"cold-read", kColdReaders, kMostColdReads};
};

rocksdb::ReadOptions RocksDbEngine::ReadOptionsFor(const ReadAt& at, DurableViews::Pin& pin) const {
  rocksdb::ReadOptions options = RowReadOptions();
  if (at.snapshot) {
    options.snapshot = static_cast<const StoreSnapshot*>(at.snapshot)->get();
  } else if (at.view == View::kDurable && store_.waits_for_sync()) {
    pin = store_.views().Acquire();
    options.snapshot = pin.snapshot();
  }
  return options;
}

template <class RowRead>
void RocksDbEngine::Read(RowRead read) {
  auto& op = read.op();
  if (store_.is_closed()) {
    op.status = OpenStore::Closed();
  } else if (op.status = CheckAlive(op.partition); op.status.ok()) {
    DurableViews::Pin pin;
    const rocksdb::ReadOptions options = ReadOptionsFor(op.at, pin);
    if (Executor::Current() == nullptr) {
      read.Run(store_.db(), options);  // nobody else needs this thread
    } else if (!RunInMemory(read, options)) {
      cold_reads_.Add();
      std::unique_ptr<JobPool::Job> job =
          std::make_unique<ColdRead<RowRead>>(store_, std::move(read), options, std::move(pin));
      if (!cold_readers_.TryPost(job)) job->Run();
      return;
    }
  }
  op.done.Finish();
}

void RocksDbEngine::WhenDurable(DurableOp& op) {
  op.status = Status();
  if (!store_.waits_for_sync() || op.mark <= store_.views().mark()) return op.done.Finish();
  {
    ReadLock owners(store_.partitions.mutex());
    if (!store_.is_closed()) return store_.syncer().Park(op);
  }
  op.status = OpenStore::Closed();
  op.done.Finish();
}

Mark RocksDbEngine::DurableUpTo(const OpenPartition&) const {
  if (store_.waits_for_sync() || store_.is_closed()) return store_.views().mark();
  return store_.db().GetLatestSequenceNumber();
}

Task<Result<std::vector<PartitionInfo>>> RocksDbEngine::ListPartitions() {
  ReadLock lock(store_.partitions.mutex());
  co_return store_.partitions.List();
}

std::shared_ptr<const Snapshot> RocksDbEngine::TakeSnapshot() {
  const Essential inside;
  if (!store_.waits_for_sync()) store_.views().Publish(store_.db().GetSnapshot());
  return std::make_shared<RocksDbSnapshot>(store_.shared_views(), snapshots_);
}

EngineStats RocksDbEngine::stats() const {
  EngineStats stats;
  stats.commits = writer_.commits();
  stats.syncs = store_.syncer().syncs();
  stats.commits_made_durable = store_.waits_for_sync() ? store_.syncer().released() : stats.commits;
  stats.approximate_bytes_on_disk = store_.figures().total_bytes();
  stats.memory_bytes = store_.figures().memory_bytes();
  return stats;
}

Status RocksDbEngine::Close() {
  if (!store_.Refuse()) return {};
  writer_.Stop();
  admin_.Stop();
  cold_readers_.Stop();
  return store_.Close();
}

// The store could not be opened for writing because the disk is full: it is read, and written when there is space.
Result<std::unique_ptr<Engine>> OpenOnFullDisk(const RocksDbOptions& options,
                                               const std::shared_ptr<const DataDirectory>& directory,
                                               Metrics& metrics) {
  ARMATURE_TRY(auto reader, OpenReadOnlyStore(options, directory->database_path()));
  LogError("storage: the disk is full: reads are served, writes are refused until there is space in {}",
           directory->path());
  return MakeFullDiskEngine(std::move(reader), directory->path(),
                            [options, directory, &metrics]() -> Result<std::shared_ptr<WritableStore>> {
                              auto engine = std::make_shared<RocksDbEngine>(options, directory, metrics);
                              if (Status status = engine->Open(metrics, true); !status.ok()) return status;
                              return std::shared_ptr<WritableStore>(std::move(engine));
                            });
}

}  // namespace

Result<std::unique_ptr<Engine>> OpenRocksDbEngine(const RocksDbOptions& options, Metrics& metrics) {
  rocksdb::Env* const env = options.env ? options.env : rocksdb::Env::Default();
  ARMATURE_TRY(auto opened, DataDirectory::Open(*env->GetFileSystem(), options.directory));
  const auto directory = std::make_shared<const DataDirectory>(std::move(opened));
  if (Status status = CheckEncryption(*env->GetFileSystem(), options.directory, options.data_keys != nullptr);
      !status.ok())
    return status;
  auto engine = std::make_unique<RocksDbEngine>(options, directory, metrics);
  const Status status = engine->Open(metrics, /*has_reader_beside=*/false);
  if (status.ok()) return std::unique_ptr<Engine>(std::move(engine));
  engine.reset();
  if (status.code() != StatusCode::kNoSpace || directory->is_new()) return status;
  return OpenOnFullDisk(options, directory, metrics);
}

}  // namespace armature::storage
