#include "storage/rocksdb/full_disk/read_only_store.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <unistd.h>

#include "base/shared_mutex.h"
#include "storage/partition_table.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/rows/partition_records.h"
#include "storage/rocksdb/rows/row_reads.h"
#include "storage/rocksdb/setup/store_env.h"
#include "storage/rocksdb/sync/rocksdb_snapshot.h"

namespace armature::storage {
namespace {

Status Refused() { return Status::NoSpace("the disk is full"); }

class UnchangingSnapshot final : public StoreSnapshot {
 public:
  const rocksdb::Snapshot* get() const override { return nullptr; }
};

class ReadOnlyStore final : public Engine {
 public:
  Status Open(const RocksDbOptions& options, const std::string& database_path) {
    env_ = rocksdb::NewCompositeEnv(DatabaseFiles(options));
    cache_ = MakeBlockCache(options);
    rocksdb::DB* db = nullptr;
    const auto opened =
        rocksdb::DB::OpenForReadOnly(MakeRocksDbOptions(options, env_.get(), cache_), database_path, &db);
    if (!opened.ok()) return FromRocksDb(opened);
    db_.reset(db);
    return LoadPartitions(*db_, partitions_);
  }

  Capabilities capabilities() const override {
    return {.multi_partition_atomic = true, .persistent = true, .snapshots = true};
  }

  void Get(GetOp& op) override { Read(RowGet(op)); }
  void MultiGet(MultiGetOp& op) override { Read(RowMultiGet(op)); }
  void Scan(ScanOp& op) override { Read(RowRangeScan(op)); }
  void Commit(CommitOp& op) override {
    op.status = Refused();
    op.done.Finish();
  }
  void CommitMany(CommitManyOp& op) override {
    op.status = Refused();
    op.done.Finish();
  }
  void WhenDurable(DurableOp& op) override {
    op.status = Status();
    op.done.Finish();
  }
  Mark DurableUpTo(const OpenPartition&) const override { return db_->GetLatestSequenceNumber(); }

  Task<Result<std::vector<PartitionInfo>>> ListPartitions() override {
    ReadLock lock(partitions_.mutex());
    co_return partitions_.List();
  }
  Task<Status> CreatePartition(PartitionInfo) override { co_return Refused(); }
  Task<Result<std::shared_ptr<OpenPartition>>> OpenPartitionAt(PartitionId id, Epoch epoch) override {
    ReadLock lock(partitions_.mutex());
    auto opened = partitions_.PlanOpen(id, epoch);
    if (!opened) co_return opened.error();
    // Another epoch would have to be stored.
    if (*opened != *partitions_.Find(id)) co_return Refused();
    co_return std::shared_ptr<OpenPartition>(partitions_.Handle(id));
  }
  Task<Status> SplitPartition(PartitionId, uint64_t, PartitionId, PartitionId) override { co_return Refused(); }
  Task<Status> DropPartition(PartitionId) override { co_return Refused(); }
  Task<Status> DropRowsOfHashes(KeyspaceId) override { co_return Refused(); }
  OpenPartition& system() override { return partitions_.system(); }

  std::shared_ptr<const Snapshot> TakeSnapshot() override { return std::make_shared<UnchangingSnapshot>(); }
  Task<Status> Checkpoint(std::string) override { co_return Refused(); }
  // Not how many files: as long as the disk is full, no key is given up.
  Task<Result<std::map<uint32_t, uint64_t>>> FilesByDataKey() override { co_return Refused(); }
  Task<Status> RewriteUnderNewestKey() override { co_return Refused(); }
  EngineStats stats() const override { return {}; }
  // Whoever has a partition finds it dead and looks for it in the store that is open for writing.
  Status Close() override {
    ReadLock lock(partitions_.mutex());
    for (const PartitionInfo& info : partitions_.List())
      if (info.id != kSystemPartition) partitions_.Handle(info.id)->Kill();
    return {};
  }

 private:
  // On the caller's thread, and waiting for the disk: this store is not there for long.
  template <class RowRead>
  void Read(RowRead read) const {
    auto& op = read.op();
    if (op.status = CheckAlive(op.partition); op.status.ok()) read.Run(*db_, RowReadOptions());
    op.done.Finish();
  }

  std::unique_ptr<rocksdb::Env> env_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::unique_ptr<rocksdb::DB> db_;
  PartitionTable partitions_;  // not changed once open
};

Status SyncFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_synced = file >= 0 && fsync(file) == 0;
  const int error = errno;
  if (file >= 0) close(file);
  if (is_synced) return {};
  return Status::IoError(fmt::format("cannot sync {}: {}", path, std::generic_category().message(error)));
}

// A killed server may have left records with the operating system that never were on disk; whoever reads them here may
// not lose them to a power failure later.
Status SyncLogs(const std::string& database_path) {
  std::error_code error;
  for (std::filesystem::directory_iterator entries(database_path, error);
       !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (entries->path().extension() != ".log") continue;
    if (Status status = SyncFile(entries->path()); !status.ok()) return status;
  }
  if (error) return Status::IoError(fmt::format("cannot read {}: {}", database_path, error.message()));
  return SyncFile(database_path);
}

}  // namespace

Result<std::shared_ptr<Engine>> OpenReadOnlyStore(const RocksDbOptions& options, const std::string& database_path) {
  if (Status status = SyncLogs(database_path); !status.ok()) return status;
  auto store = std::make_shared<ReadOnlyStore>();
  if (Status status = store->Open(options, database_path); !status.ok()) return status;
  return std::shared_ptr<Engine>(std::move(store));
}

}  // namespace armature::storage
