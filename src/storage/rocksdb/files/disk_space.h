// DiskSpace: what the files of one store share: who waits for space or a descriptor, whether syncs count yet, and
// how far they have got.
//
// Thread-safe. Owned by StoreFileSystem and its files.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/io_status.h>

#include "base/mutex.h"
#include "storage/rocksdb/files/log_file.h"
#include "storage/rocksdb/files/shortage.h"
#include "storage/rocksdb/files/synced_files.h"

namespace armature::storage {

class DiskSpace {
 public:
  // Somebody has met a shortage that is not over. Cheap.
  bool is_short() const { return waiting_.load(std::memory_order_seq_cst) != 0; }
  // The one that was met last.
  Shortage last_shortage() const { return shortage_.load(std::memory_order_relaxed); }
  bool owes_log() const;

  void Owe(std::shared_ptr<Log> log, Shortage shortage);
  // A log that is deleted needs no space: what it held is in a table file.
  void Forget(const std::string& path);
  rocksdb::IOStatus WriteRests();

  // A log could not be written or synced, and not for a shortage: nothing is appended to any of them any more. Says so
  // in a line, the first time.
  void BreakLog(const rocksdb::IOStatus& failure);
  bool is_log_broken() const { return is_log_broken_.load(std::memory_order_acquire); }
  Status log_failure() const;
  // Where each commit is appended as it is made (kInterval, kNone), RocksDB must not show it to readers if that failed.
  void TellAppendFailures() { tells_append_failures_.store(true, std::memory_order_relaxed); }
  bool tells_append_failures() const { return tells_append_failures_.load(std::memory_order_relaxed); }

  // The store is open: whoever meets a shortage waits from now on.
  void BePatient();
  // The store is being closed: nobody waits any more. What they are told then is not NoSpace. RocksDB would begin to
  // wait for space by itself, and if it learns of the shortage while it is being closed, the closing waits with it.
  void GiveUp();
  bool is_patient() const;
  rocksdb::IOStatus Told(rocksdb::IOStatus status) const;
  // Tries until it is done, fails for another reason than a shortage, or there is no point in waiting.
  template <class Attempt>
  rocksdb::IOStatus Persist(Attempt attempt) {
    rocksdb::IOStatus status = attempt();
    Shortage shortage = ShortageOf(status);
    if (shortage == Shortage::kNone) return status;
    shortage_.store(shortage, std::memory_order_relaxed);
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    while (shortage != Shortage::kNone && WaitALittle()) shortage = ShortageOf(status = attempt());
    waiting_.fetch_sub(1, std::memory_order_seq_cst);
    return Told(std::move(status));
  }

  void DeferSyncs(bool is_deferring) { is_deferring_.store(is_deferring, std::memory_order_seq_cst); }
  bool is_deferring() const { return is_deferring_.load(std::memory_order_seq_cst); }

  SyncedFiles& synced() { return synced_; }

 private:
  enum class Patience { kNotYet, kPatient, kGivenUp };

  // False when there is no point in trying again.
  bool WaitALittle();

  std::atomic<bool> is_deferring_{false};
  std::atomic<int> waiting_{0};  // logs that owe and files that wait
  std::atomic<Shortage> shortage_{Shortage::kNone};
  std::atomic<bool> is_log_broken_{false};
  std::atomic<bool> tells_append_failures_{false};
  mutable Mutex mutex_;
  Condition changed_;
  Patience patience_ ARMATURE_GUARDED_BY(mutex_) = Patience::kNotYet;
  Status log_failure_ ARMATURE_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Log>> owing_ ARMATURE_GUARDED_BY(mutex_);
  SyncedFiles synced_;
};

}  // namespace armature::storage
