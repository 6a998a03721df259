#include "storage/rocksdb/rocksdb_engine.h"

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "base/mutex.h"
#include "base/shared_mutex.h"
#include "storage/engine_calls.h"
#include "storage/job_thread.h"
#include "storage/partition_table.h"
#include "storage/rocksdb/commit_group.h"
#include "storage/rocksdb/engine_figures.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/files/store_file_system.h"
#include "storage/rocksdb/full_disk/full_disk_engine.h"
#include "storage/rocksdb/full_disk/read_only_store.h"
#include "storage/rocksdb/rows/partition_records.h"
#include "storage/rocksdb/rows/row_ranges.h"
#include "storage/rocksdb/rows/row_reads.h"
#include "storage/rocksdb/setup/background_errors.h"
#include "storage/rocksdb/setup/copy_store.h"
#include "storage/rocksdb/setup/data_directory.h"
#include "storage/rocksdb/setup/open_database.h"
#include "storage/rocksdb/setup/store_env.h"
#include "storage/rocksdb/survey/store_survey.h"
#include "storage/rocksdb/sync/durable_views.h"
#include "storage/rocksdb/sync/rocksdb_snapshot.h"
#include "storage/rocksdb/sync/synced_marks.h"
#include "storage/rocksdb/sync/syncer.h"
#include "storage/rocksdb/write_batches.h"

namespace armature::storage {
namespace {

using Parts = std::span<const CommitManyOp::Part>;

Status Closed() { return Status::Unavailable("the store is closed"); }

class RocksDbEngine final : public Engine, public WritableStore, private CommitGroup::Writer {
 public:
  RocksDbEngine(const RocksDbOptions& options, std::shared_ptr<const DataDirectory> directory, Metrics& metrics)
      : options_(options),
        directory_(std::move(directory)),
        commits_(metrics.GetCounter("armature_engine_commits_total", "Batches committed to the storage engine.")) {}
  ~RocksDbEngine() override { static_cast<void>(RocksDbEngine::Close()); }

  // With a reader beside it compactions rest until StartCompacting.
  Status Open(Metrics& metrics, bool has_reader_beside);

  Engine& engine() override { return *this; }
  void StartCompacting() override;

  Capabilities capabilities() const override { return {.multi_partition_atomic = true, .persistent = true}; }

  void Get(GetOp& op) override;
  void MultiGet(MultiGetOp& op) override;
  void Scan(ScanOp& op) override;
  void Commit(CommitOp& op) override;
  void CommitMany(CommitManyOp& op) override;
  void WhenDurable(DurableOp& op) override;
  Sequence DurableUpTo() const override;

  Task<Result<std::vector<PartitionInfo>>> ListPartitions() override;
  Task<Status> CreatePartition(PartitionInfo info) override;
  Task<Status> DropPartition(PartitionId id) override;
  Task<Status> SplitPartition(PartitionId id, std::string at, PartitionId new_id) override;
  Task<Status> FencePartition(PartitionId id, Epoch epoch) override;

  std::shared_ptr<const Snapshot> TakeSnapshot() override;
  Task<Status> Checkpoint(std::string directory) override;
  EngineStats stats() const override;
  Status Close() override;

 private:
  bool waits_for_sync() const { return options_.durability == Durability::kFsync; }

  template <class Op>
  bool RefuseClosed(Op& op) const;
  // Read options for `at`; `pin` keeps the view for as long as they are used.
  rocksdb::ReadOptions ReadOptionsFor(const ReadAt& at, DurableViews::Pin& pin) const;

  // Finishes the members, or leaves them to the slow writer when RocksDB would have made the caller wait.
  void WriteGroup(std::span<const CommitGroup::Member> members) override;
  Status WriteSlowly(Parts parts, Sequence& sequence);
  // How far the log is synced, in front of the first commit after each sync.
  void AddSyncedNote(rocksdb::WriteBatch& batch) {
    thread_local std::string buffer;
    if (const std::string_view note = marks_->TakeNote(buffer); !note.empty()) batch.PutLogData(ToSlice(note));
  }
  Status CheckOwners(Parts parts) const ARMATURE_WITH_READ_LOCK(partitions_.mutex());
  // Not ok while the disk is full, or descriptors or memory are missing, or once RocksDB or the log has given up. Asked
  // before a write, so that little is kept in memory for the log.
  Status CheckSpace() const {
    if (MemoryReserve::is_spent()) return Status::Unavailable("memory is exhausted");
    return CheckLog();
  }
  // The same but for memory. Asked after a write where nobody waits for a sync: such a write is acknowledged only if
  // the log is with the operating system.
  Status CheckLog() const {
    if (files_->is_short()) {
      syncer_->ReportShortage();
      return files_->shortage();
    }
    Status broken = files_->log_failure();
    return broken.ok() ? errors_->status() : broken;
  }

  // On the admin thread: `plan(table, batch)` says what to write and is followed by `apply(table)`.
  template <class Plan, class Apply>
  Task<Status> ChangePartitions(Plan plan, Apply apply);
  Status WriteChange(rocksdb::WriteBatch& batch) ARMATURE_WITH_LOCK(slow_mutex_, partitions_.mutex());
  void DeleteFiles(const KeyRange& range);
  Task<Status> BecomeDurable();

  const RocksDbOptions options_;
  std::shared_ptr<const DataDirectory> directory_;  // empty once closed
  Counter& commits_;
  std::unique_ptr<rocksdb::Env> env_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::shared_ptr<StoreFileSystem> files_;
  const std::shared_ptr<BackgroundErrors> errors_ = std::make_shared<BackgroundErrors>();
  std::unique_ptr<rocksdb::DB> db_;
  std::shared_ptr<DurableViews> views_;
  std::shared_ptr<std::atomic<int>> snapshots_ = std::make_shared<std::atomic<int>>(0);
  std::unique_ptr<SyncedMarks> marks_;
  std::unique_ptr<Syncer> syncer_;
  std::shared_ptr<EngineFigures> figures_;

  PartitionTable partitions_;
  std::atomic<bool> is_closed_{false};  // set under partitions_.mutex()
  // Held by the slow writer while RocksDB makes it wait, and by every change of the partitions: it stands in
  // for the partitions' lock, which reactors need and which is therefore never held for long.
  Mutex slow_mutex_;
  JobThread slow_writer_;
  JobThread admin_;
};

Status RocksDbEngine::Open(Metrics& metrics, bool has_reader_beside) {
  rocksdb::Env* base = options_.env ? options_.env : rocksdb::Env::Default();
  files_ = std::make_shared<StoreFileSystem>(base->GetFileSystem());
  if (!waits_for_sync()) files_->TellAppendFailures();
  env_ = MakeStoreEnv(files_);
  cache_ = MakeBlockCache(options_);
  rocksdb::Options options = MakeRocksDbOptions(options_, env_.get(), cache_);
  options.create_if_missing = directory_->is_new();
  options.disable_auto_compactions = has_reader_beside;
  options.listeners.push_back(errors_);
  if (Status status = PrepareStore(*base->GetFileSystem(), directory_->path(), directory_->is_new()); !status.ok())
    return status;
  ARMATURE_TRY(auto opened, OpenDatabase(options, *directory_, *files_, *base));
  db_ = std::move(opened.db);
  if (Status status = files_->log_failure(); !status.ok()) return status;
  if (Status status = LoadPartitions(*db_, partitions_); !status.ok()) return status;
  // Recovery has flushed whatever the logs held, so all that is readable now is durable.
  views_ = std::make_shared<DurableViews>(*db_);
  views_->Publish(db_->GetSnapshot());
  marks_ = std::make_unique<SyncedMarks>(*files_, base->GetFileSystem(), SyncedFilePath(directory_->path()));
  std::function<Status()> finish_creation;
  if (directory_->is_new()) {
    finish_creation = [files = files_, base = base->GetFileSystem(), marks = marks_.get(),
                       path = directory_->path()]() -> Status {
      // First, so that no file slips through between the two.
      files->DeferSyncs(false);
      if (Status status = marks->Begin(); !status.ok()) return status;
      return DataDirectory::FinishCreation(*base, path);
    };
  } else {
    // On a full disk an old store is opened without: nothing is then claimed of it.
    static_cast<void>(marks_->Begin());
  }
  // What a creation cut short has left is about to be shown to readers: it is made durable first.
  if (finish_creation && !opened.is_empty) {
    if (Status status = std::exchange(finish_creation, nullptr)(); !status.ok()) return status;
  }
  syncer_ = std::make_unique<Syncer>(*db_, *files_, *views_, *marks_, options_, metrics, std::move(finish_creation));
  files_->BePatient();
  figures_ = std::make_shared<EngineFigures>(*db_, cache_);
  EngineFigures::Register(figures_, metrics);
  return {};
}

// --- reads

rocksdb::ReadOptions RocksDbEngine::ReadOptionsFor(const ReadAt& at, DurableViews::Pin& pin) const {
  rocksdb::ReadOptions options;
  if (at.snapshot) {
    options.snapshot = static_cast<const RocksDbSnapshot*>(at.snapshot)->get();
  } else if (at.view == View::kDurable && waits_for_sync()) {
    pin = views_->Acquire();
    options.snapshot = pin.snapshot();
  }
  return options;
}

// Whether the store is closed; `op` is finished then.
template <class Op>
bool RocksDbEngine::RefuseClosed(Op& op) const {
  if (!is_closed_.load(std::memory_order_relaxed)) return false;
  op.status = Closed();
  op.done.Finish();
  return true;
}

void RocksDbEngine::Get(GetOp& op) {
  if (RefuseClosed(op)) return;
  {
    DurableViews::Pin pin;
    ReadRow(*db_, ReadOptionsFor(op.at, pin), op);
  }
  op.done.Finish();
}

void RocksDbEngine::MultiGet(MultiGetOp& op) {
  if (RefuseClosed(op)) return;
  {
    DurableViews::Pin pin;
    ReadRows(*db_, ReadOptionsFor(op.at, pin), op);
  }
  op.done.Finish();
}

void RocksDbEngine::Scan(ScanOp& op) {
  if (RefuseClosed(op)) return;
  {
    DurableViews::Pin pin;
    ScanRows(*db_, ReadOptionsFor(op.at, pin), op);
  }
  op.done.Finish();
}

// --- commits

Status RocksDbEngine::CheckOwners(Parts parts) const {
  if (is_closed_.load(std::memory_order_relaxed)) return Closed();
  for (const auto& part : parts)
    if (Status status = partitions_.Check(part.partition, part.epoch); !status.ok()) return status;
  return {};
}

void RocksDbEngine::WriteGroup(std::span<const CommitGroup::Member> members) {
  rocksdb::WriteBatch& batch = EmptyBatch();
  AddSyncedNote(batch);
  rocksdb::WriteOptions options;
  options.no_slowdown = true;
  rocksdb::Status written;
  Status full;
  Sequence sequence = 0;
  {
    ReadLock owners(partitions_.mutex());
    full = CheckSpace();
    for (const auto& member : members) {
      *member.status = full.ok() ? CheckOwners(member.parts()) : full;
      if (member.status->ok()) Translate(member.parts(), batch);
    }
    if (!is_closed_.load(std::memory_order_relaxed)) {
      if (batch.Count() != 0) written = db_->Write(options, &batch);
      if (written.ok() && !waits_for_sync()) full = CheckLog();
      // Not a commit's own number but one not before it: whoever waits for it waits for the commit too.
      sequence = db_->GetLatestSequenceNumber();
    }
  }
  for (const auto& member : members) {
    if (!member.status->ok()) {
      member.done->Finish();
    } else if (written.IsIncomplete()) {
      slow_writer_.Post([this, member] { member.Finish(WriteSlowly(member.parts(), *member.sequence)); });
    } else if (!written.ok() || !full.ok()) {
      member.Finish(written.ok() ? full : FromRocksDb(written));
    } else {
      commits_.Add();
      *member.sequence = sequence;
      member.done->Finish();
    }
  }
}

Status RocksDbEngine::WriteSlowly(Parts parts, Sequence& sequence) {
  rocksdb::WriteBatch& batch = EmptyBatch();
  Translate(parts, batch);
  MutexLock slow(slow_mutex_);
  {
    ReadLock owners(partitions_.mutex());
    if (Status status = CheckOwners(parts); !status.ok()) return status;
  }
  // While RocksDB has stopped writes for a flush or a compaction, wait here and not in its Write: on a full disk
  // the flush waits for space, and the writer must be told instead of waiting with it.
  uint64_t is_stopped = 0;
  while (!is_closed_ && db_->GetIntProperty(rocksdb::DB::Properties::kIsWriteStopped, &is_stopped) && is_stopped != 0) {
    if (Status full = CheckSpace(); !full.ok()) return full;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (Status full = CheckSpace(); !full.ok()) return full;
  const auto status = db_->Write(rocksdb::WriteOptions(), &batch);
  if (!status.ok()) return FromRocksDb(status);
  if (Status full = waits_for_sync() ? Status() : CheckLog(); !full.ok()) return full;
  commits_.Add();
  sequence = db_->GetLatestSequenceNumber();
  return {};
}

void RocksDbEngine::Commit(CommitOp& op) { CommitGroup::Join(*this, CommitGroup::Member(op)); }

void RocksDbEngine::CommitMany(CommitManyOp& op) { CommitGroup::Join(*this, CommitGroup::Member(op)); }

void RocksDbEngine::WhenDurable(DurableOp& op) {
  op.status = Status();
  if (!waits_for_sync() || op.sequence <= views_->sequence()) return op.done.Finish();
  {
    ReadLock owners(partitions_.mutex());
    if (!is_closed_.load(std::memory_order_relaxed)) return syncer_->Park(op);
  }
  op.status = Closed();
  op.done.Finish();
}

Sequence RocksDbEngine::DurableUpTo() const {
  if (waits_for_sync() || is_closed_.load(std::memory_order_relaxed)) return views_->sequence();
  return db_->GetLatestSequenceNumber();
}

// --- partitions

Task<Result<std::vector<PartitionInfo>>> RocksDbEngine::ListPartitions() {
  ReadLock lock(partitions_.mutex());
  co_return partitions_.List();
}

Status RocksDbEngine::WriteChange(rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions options;
  options.no_slowdown = true;
  for (;;) {
    if (Status full = CheckSpace(); !full.ok()) return full;
    const auto status = db_->Write(options, &batch);
    if (!status.IsIncomplete()) return FromRocksDb(status);
    // slow_mutex_ keeps other changes out meanwhile; commits may pass.
    partitions_.mutex().unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    partitions_.mutex().lock();
  }
}

template <class Plan, class Apply>
Task<Status> RocksDbEngine::ChangePartitions(Plan plan, Apply apply) {
  Status status = co_await admin_.Await([this, &plan, &apply]() -> Status {
    MutexLock slow(slow_mutex_);
    WriteLock lock(partitions_.mutex());
    if (is_closed_.load(std::memory_order_relaxed)) return Closed();
    rocksdb::WriteBatch batch;
    // By std::invoke: clang 14 takes the lambda for the table in what its attributes say when it sees the call.
    if (Status planned = std::invoke(plan, partitions_, batch); !planned.ok()) return planned;
    if (Status written = WriteChange(batch); !written.ok()) return written;
    std::invoke(apply, partitions_);
    return {};
  });
  if (status.ok()) status = co_await BecomeDurable();
  co_return status;
}

// Everything committed so far, in the sense of "survives power loss" whatever the durability of items.
Task<Status> RocksDbEngine::BecomeDurable() {
  if (waits_for_sync()) co_return co_await AwaitDurable(*this, db_->GetLatestSequenceNumber());
  co_return co_await admin_.Await([this] {
    if (is_closed_.load(std::memory_order_relaxed)) return Closed();
    if (Status broken = files_->log_failure(); !broken.ok()) return broken;
    const Status status = FromRocksDb(db_->FlushWAL(/*sync=*/true));
    return status.ok() ? files_->log_failure() : status;
  });
}

Task<Status> RocksDbEngine::CreatePartition(PartitionInfo info) {
  return ChangePartitions(
      [info](const PartitionTable& table, rocksdb::WriteBatch& batch) ARMATURE_WITH_LOCK(table.mutex()) {
        Status status = table.CheckCreate(info);
        if (status.ok()) batch.Put(PartitionRecordKey(info.id), EncodePartition(info));
        return status;
      },
      [info](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) { table.Put(info); });
}

Task<Status> RocksDbEngine::SplitPartition(PartitionId id, std::string at, PartitionId new_id) {
  auto halves = std::make_shared<PartitionTable::Halves>();
  return ChangePartitions(
      [=, at = std::move(at)](const PartitionTable& table, rocksdb::WriteBatch& batch)
          ARMATURE_WITH_LOCK(table.mutex()) -> Status {
            ARMATURE_TRY(*halves, table.PlanSplit(id, at, new_id));
            batch.Put(PartitionRecordKey(id), EncodePartition(halves->low));
            batch.Put(PartitionRecordKey(new_id), EncodePartition(halves->high));
            return {};
          },
      [=](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) {
        table.Put(halves->low);
        table.Put(halves->high);
      });
}

Task<Status> RocksDbEngine::FencePartition(PartitionId id, Epoch epoch) {
  auto fenced = std::make_shared<PartitionInfo>();
  return ChangePartitions(
      [=](const PartitionTable& table, rocksdb::WriteBatch& batch) ARMATURE_WITH_LOCK(table.mutex()) -> Status {
        ARMATURE_TRY(*fenced, table.PlanFence(id, epoch));
        batch.Put(PartitionRecordKey(id), EncodePartition(*fenced));
        return {};
      },
      [=](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) { table.Put(*fenced); });
}

// The lambdas capture references only: g++ 12 destroys a temporary twice when it is an argument within co_await.
Task<Status> RocksDbEngine::DropPartition(PartitionId id) {
  KeyRange range;
  Status status = co_await ChangePartitions(
      [this, id, &range](const PartitionTable& table, rocksdb::WriteBatch& batch)
          ARMATURE_WITH_LOCK(table.mutex()) -> Status {
            if (Status refused = table.CheckDrop(id); !refused.ok()) return refused;
            ARMATURE_TRY(range, UserRange(*db_, table.Find(id)->range));
            batch.Delete(PartitionRecordKey(id));
            if (range.begin < range.end) batch.DeleteRange(range.begin, range.end);
            return {};
          },
      [id](PartitionTable& table) ARMATURE_WITH_LOCK(table.mutex()) { table.Erase(id); });
  if (!status.ok()) co_return status;
  co_return co_await admin_.Await([this, &range] {
    DeleteFiles(range);
    return Status::Ok();
  });
}

// Only a snapshot taken before the range deletion, which is durable and published, could still look into these files.
void RocksDbEngine::DeleteFiles(const KeyRange& range) {
  if (is_closed_.load(std::memory_order_relaxed) || snapshots_->load(std::memory_order_relaxed) != 0) return;
  DeleteFilesWithin(*db_, range);
}

// --- the rest

std::shared_ptr<const Snapshot> RocksDbEngine::TakeSnapshot() {
  const Essential inside;
  if (!waits_for_sync()) views_->Publish(db_->GetSnapshot());
  return std::make_shared<RocksDbSnapshot>(views_, snapshots_);
}

Task<Status> RocksDbEngine::Checkpoint(std::string directory) {
  if (Status status = co_await BecomeDurable(); !status.ok()) co_return status;
  co_return co_await admin_.Await([this, &directory]() -> Status {
    if (is_closed_.load(std::memory_order_relaxed)) return Closed();
    return CopyStore(*db_, directory);
  });
}

EngineStats RocksDbEngine::stats() const {
  EngineStats stats;
  stats.commits = commits_.value();
  stats.syncs = syncer_->syncs();
  stats.commits_made_durable = waits_for_sync() ? syncer_->released() : stats.commits;
  stats.approximate_bytes_on_disk = figures_->total_bytes();
  stats.memory_bytes = figures_->memory_bytes();
  return stats;
}

void RocksDbEngine::StartCompacting() {
  const Status status = FromRocksDb(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
  if (!status.ok()) LogError("storage: compactions cannot be started: {}", status.ToString());
}

Status RocksDbEngine::Close() {
  {
    WriteLock lock(partitions_.mutex());
    if (is_closed_.exchange(true)) return {};
  }
  if (files_) files_->GiveUp();
  slow_writer_.Stop();
  admin_.Stop();
  if (figures_) figures_->Forget();
  Status status;
  if (syncer_) status = syncer_->Stop();
  if (views_) views_->Close();
  if (db_) {
    const Status closed = FromRocksDb(db_->Close());
    if (status.ok()) status = closed;
    db_.reset();
  }
  if (marks_) marks_->Finish();
  directory_.reset();
  return status;
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
  auto engine = std::make_unique<RocksDbEngine>(options, directory, metrics);
  const Status status = engine->Open(metrics, /*has_reader_beside=*/false);
  if (status.ok()) return std::unique_ptr<Engine>(std::move(engine));
  engine.reset();
  if (status.code() != StatusCode::kNoSpace || directory->is_new()) return status;
  return OpenOnFullDisk(options, directory, metrics);
}

}  // namespace armature::storage
