// Syncer: the one thread that makes commits durable.
//
// It loops: take what is parked and a snapshot, write and fsync the log, publish the snapshot as the durable
// view, release what was parked. The snapshot is older than the fsync, so the view can never show what is not
// on disk. Group commit: a lone writer never waits; when many writers come back after a release, the next
// fsync waits briefly for a good part of them, because one started for the first alone is wasted.
// When the disk is full or descriptors are missing, what is parked is told so, and the thread tries until the log can
// be completed; then writes are accepted again. When a sync fails, nothing more is made durable until the store is
// reopened: nobody can know what of the log reached the disk.
// Each sync is confirmed to the SyncedMarks, so that the next opening knows what must be there.
// Park and ReportShortage from any thread. Owned by RocksDbEngine; knows nothing of partitions.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include <rocksdb/db.h>

#include "base/metrics.h"
#include "storage/rocksdb/files/store_file_system.h"
#include "storage/rocksdb/setup/rocksdb_options.h"
#include "storage/rocksdb/sync/durable_views.h"
#include "storage/rocksdb/sync/synced_marks.h"

namespace armature::storage {

class Syncer {
 public:
  // `prepare`, if any, is done on the thread, at once, and before anything is called durable.
  Syncer(rocksdb::DB& db, StoreFileSystem& files, DurableViews& views, SyncedMarks& marks,
         const RocksDbOptions& options, Metrics& metrics, std::function<Status()> prepare);
  ~Syncer() { static_cast<void>(Stop()); }
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;

  // Finishes `op` once its commit, made before this call, is durable. For kFsync.
  void Park(DurableOp& op);
  // A write was refused because files.is_short().
  void ReportShortage();
  // Syncs once more, settles everything parked, joins. Ok if all that was committed is durable.
  Status Stop();

  uint64_t syncs() const { return syncs_.value(); }
  uint64_t released() const { return released_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  void RunGroups();
  void StayAwake();
  void RunInterval(std::chrono::milliseconds interval);
  void Gather();
  void SyncGroup();
  // Writes the log down to its end and syncs it.
  Status SyncLog();
  // Tries, when it is time, whether the shortage is over.
  void LookForSpace();
  void Settle(DurableOp* group, const Status& status);
  DurableOp* TakeParked();

  // Sleeps until `count` operations are parked, somebody calls Wake, or the deadline has come.
  void WaitForParked(uint32_t count, Clock::time_point deadline);
  void Wake();

  rocksdb::DB& db_;
  StoreFileSystem& files_;
  DurableViews& views_;
  SyncedMarks& marks_;
  Counter& syncs_;
  LatencyHistogram& sync_micros_;
  std::atomic<uint64_t> released_{0};

  std::atomic<DurableOp*> parked_{nullptr};  // newest first
  std::atomic<uint32_t> parked_count_{0};
  std::atomic<uint32_t> wanted_{0};  // how many parked operations wake the thread; 0 = it is awake
  std::atomic<uint32_t> signal_{0};  // the futex word
  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_short_{false};  // refusals were reported and the end of the shortage has not been seen since

  // The thread's own.
  std::function<Status()> prepare_;
  uint32_t writers_ = 1;                     // estimate of how many writers are active
  uint32_t last_group_ = 0;                  // size of the last group
  bool is_lone_writer_quick_ = false;        // the last group was one writer, back soon after the group before
  Clock::duration sync_time_{};              // moving average of one fsync
  std::chrono::milliseconds retry_pause_{};  // between looks for space; zero = none is missing
  Clock::time_point retry_at_ = Clock::time_point::max();
  Status last_;                 // of the last sync
  bool is_log_broken_ = false;  // `last_` is for good

  std::thread thread_;
};

}  // namespace armature::storage
