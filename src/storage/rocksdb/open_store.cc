#include "storage/rocksdb/open_store.h"

#include "base/log.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/rows/partition_records.h"
#include "storage/rocksdb/setup/open_database.h"
#include "storage/rocksdb/setup/store_env.h"
#include "storage/rocksdb/survey/store_survey.h"

namespace armature::storage {

Status OpenStore::Open(Metrics& metrics, bool has_reader_beside) {
  rocksdb::Env* base = options_.env ? options_.env : rocksdb::Env::Default();
  const auto database_files = DatabaseFiles(options_);
  files_ = std::make_shared<StoreFileSystem>(database_files, options_.data_keys != nullptr);
  if (!waits_for_sync()) files_->TellAppendFailures();
  env_ = MakeStoreEnv(files_);
  cache_ = MakeBlockCache(options_);
  rocksdb::Options options = MakeRocksDbOptions(options_, env_.get(), cache_);
  options.create_if_missing = directory_->is_new();
  options.disable_auto_compactions = has_reader_beside;
  options.listeners.push_back(errors_);
  if (Status status = PrepareStore(*database_files, directory_->path(), directory_->is_new()); !status.ok())
    return status;
  ARMATURE_TRY(auto opened, OpenDatabase(options, *directory_, *files_, *base));
  db_ = std::move(opened.db);
  if (Status status = files_->log_failure(); !status.ok()) return status;
  if (Status status = LoadPartitions(*db_, partitions); !status.ok()) return status;
  // Recovery has flushed whatever the logs held, so all that is readable now is durable.
  views_ = std::make_shared<DurableViews>(*db_);
  views_->Publish(db_->GetSnapshot());
  marks_ = std::make_unique<SyncedMarks>(*files_, base->GetFileSystem(), SyncedFilePath(directory_->path()));
  std::function<Status()> finish_later;
  if (Status status = BeginMarks(base->GetFileSystem(), opened.is_empty, finish_later); !status.ok()) return status;
  syncer_ = std::make_unique<Syncer>(*db_, *files_, *views_, *marks_, options_, metrics, std::move(finish_later));
  files_->BePatient();
  figures_ = std::make_shared<EngineFigures>(*db_, cache_);
  EngineFigures::Register(figures_, metrics);
  return {};
}

Status OpenStore::BeginMarks(const std::shared_ptr<rocksdb::FileSystem>& base, bool is_empty,
                             std::function<Status()>& finish_later) {
  if (!directory_->is_new()) {
    // On a full disk an old store is opened without: nothing is then claimed of it.
    static_cast<void>(marks_->Begin());
    return {};
  }
  finish_later = [files = files_, base, marks = marks_.get(), path = directory_->path()]() -> Status {
    // First, so that no file slips through between the two.
    files->DeferSyncs(false);
    if (Status status = marks->Begin(); !status.ok()) return status;
    return DataDirectory::FinishCreation(*base, path);
  };
  // What a creation cut short has left is about to be shown to readers: it is made durable first.
  return is_empty ? Status() : std::exchange(finish_later, nullptr)();
}

void OpenStore::StartCompacting() {
  const Status status = FromRocksDb(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
  if (!status.ok()) LogError("storage: compactions cannot be started: {}", status.ToString());
}

bool OpenStore::Refuse() {
  {
    WriteLock lock(partitions.mutex());
    if (is_closed_.exchange(true)) return false;
  }
  if (files_) files_->GiveUp();
  return true;
}

Status OpenStore::Close() {
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

}  // namespace armature::storage
