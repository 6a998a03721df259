// OpenStore: a store that is open for writing: its RocksDB, and what we have around it.
//
// Owns the directory, the files, the durable views, the syncer and the marks of how far it has got, and puts them
// together and takes them apart in the one order that loses nothing. Beside them stands what all parts of the engine
// ask before they touch it: who owns a partition, whether the store is closed, whether a write can be taken. Open and
// Close by one thread; all else from any. Used by RocksDbEngine and its parts.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include "base/memory/memory_reserve.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "storage/partition_table.h"
#include "storage/rocksdb/engine_figures.h"
#include "storage/rocksdb/files/store_file_system.h"
#include "storage/rocksdb/setup/background_errors.h"
#include "storage/rocksdb/setup/data_directory.h"
#include "storage/rocksdb/setup/rocksdb_options.h"
#include "storage/rocksdb/sync/durable_views.h"
#include "storage/rocksdb/sync/synced_marks.h"
#include "storage/rocksdb/sync/syncer.h"

namespace armature::storage {

class OpenStore {
 public:
  OpenStore(const RocksDbOptions& options, std::shared_ptr<const DataDirectory> directory)
      : options_(options), directory_(std::move(directory)) {}
  OpenStore(const OpenStore&) = delete;
  OpenStore& operator=(const OpenStore&) = delete;

  // With a reader beside it compactions rest until StartCompacting.
  Status Open(Metrics& metrics, bool has_reader_beside);
  void StartCompacting();

  // From here on is_closed; files no longer wait for space. False if that was so before.
  bool Refuse();
  // REQUIRES: Refuse, and nobody uses the store any more. What was opened so far is closed.
  Status Close();

  static Status Closed() { return Status::Unavailable("the store is closed"); }
  bool is_closed() const { return is_closed_.load(std::memory_order_relaxed); }
  // Whether a commit is acknowledged only once it is synced.
  bool waits_for_sync() const { return options_.durability == Durability::kFsync; }

  const std::string& path() const { return options_.directory; }
  bool is_encrypted() const { return options_.data_keys != nullptr; }
  // As they lie on the disk.
  rocksdb::FileSystem& base_files() const {
    return *(options_.env ? options_.env : rocksdb::Env::Default())->GetFileSystem();
  }
  rocksdb::DB& db() const { return *db_; }
  StoreFileSystem& files() const { return *files_; }
  DurableViews& views() const { return *views_; }
  const std::shared_ptr<DurableViews>& shared_views() const { return views_; }
  SyncedMarks& marks() const { return *marks_; }
  Syncer& syncer() const { return *syncer_; }
  const EngineFigures& figures() const { return *figures_; }

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

  PartitionTable partitions;
  // Held by whoever lets RocksDB make it wait, and by every change of the partitions: it stands in for the partitions'
  // lock, which reactors need and which is therefore never held for long.
  Mutex slow_mutex;

 private:
  // Makes a new store complete, or takes up the marks of an old one. `finish_later`: what is left to the syncer's
  // thread.
  Status BeginMarks(const std::shared_ptr<rocksdb::FileSystem>& base, bool is_empty,
                    std::function<Status()>& finish_later);

  const RocksDbOptions options_;
  std::shared_ptr<const DataDirectory> directory_;  // empty once closed
  std::unique_ptr<rocksdb::Env> env_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::shared_ptr<StoreFileSystem> files_;
  const std::shared_ptr<BackgroundErrors> errors_ = std::make_shared<BackgroundErrors>();
  std::unique_ptr<rocksdb::DB> db_;
  std::shared_ptr<DurableViews> views_;
  std::unique_ptr<SyncedMarks> marks_;
  std::unique_ptr<Syncer> syncer_;
  std::shared_ptr<EngineFigures> figures_;
  std::atomic<bool> is_closed_{false};  // set under partitions.mutex()
};

}  // namespace armature::storage
