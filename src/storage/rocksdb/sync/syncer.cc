#include "storage/rocksdb/sync/syncer.h"

#include <algorithm>
#include <climits>
#include <ctime>
#include <utility>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "storage/rocksdb/files/status_mapping.h"

namespace armature::storage {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// While a group gathers: it is closed when nobody has come for kGap (about two turns of a busy reactor, whose writers
// come together), and in any case after three times the time of a sync, because waiting must not cost more than the
// syncs it saves. However fast the disk, a sync also costs two changes of thread.
constexpr microseconds kGap{100};
constexpr microseconds kLongestGather{2000};
constexpr microseconds kThreadChanges{40};
// How long a lone writer is waited for awake: about twice the time of a sync, within these. Where syncs take long, so
// do the writer and the threads on its way.
constexpr microseconds kShortestAwake{150};
constexpr microseconds kLongestAwake{400};
constexpr milliseconds kFirstRetry{20};
constexpr milliseconds kLastRetry{500};

void FutexWait(std::atomic<uint32_t>& word, uint32_t expected, nanoseconds timeout) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(timeout.count() / 1'000'000'000);
  time.tv_nsec = static_cast<long>(timeout.count() % 1'000'000'000);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &time, nullptr, 0);
}

void FutexWakeOne(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// In a loop that waits for another thread: leaves the core to its other half, or at least saves power.
void RestBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` does nothing on most
#endif
}

// A shortage, not a failure.
bool IsPassing(const Status& status) {
  return status.code() == StatusCode::kNoSpace || status.code() == StatusCode::kUnavailable;
}

}  // namespace

Syncer::Syncer(rocksdb::DB& db, StoreFileSystem& files, DurableViews& views, SyncedMarks& marks,
               const RocksDbOptions& options, Metrics& metrics, std::function<Status()> prepare)
    : db_(db),
      files_(files),
      views_(views),
      marks_(marks),
      syncs_(metrics.GetCounter("armature_engine_syncs_total", "Times the write-ahead log was synced.")),
      sync_micros_(metrics.GetHistogram("armature_engine_sync_seconds", "Duration of one sync of the log.")),
      prepare_(std::move(prepare)) {
  thread_ = std::thread([this, durability = options.durability, interval = options.interval_millis] {
    pthread_setname_np(pthread_self(), "syncer");
    if (durability == Durability::kFsync) RunGroups();
    else RunInterval(durability == Durability::kInterval ? milliseconds(interval) : milliseconds::max());
  });
}

void Syncer::Park(DurableOp& op) {
  DurableOp* head = parked_.load(std::memory_order_relaxed);
  do op.next = head;
  while (!parked_.compare_exchange_weak(head, &op, std::memory_order_release, std::memory_order_relaxed));
  // `op` may be finished and gone from here on.
  const uint32_t count = parked_count_.fetch_add(1, std::memory_order_seq_cst) + 1;
  const uint32_t wanted = wanted_.load(std::memory_order_seq_cst);
  if (wanted != 0 && count >= wanted && wanted_.exchange(0, std::memory_order_seq_cst) != 0) Wake();
}

void Syncer::Wake() {
  signal_.fetch_add(1, std::memory_order_seq_cst);
  FutexWakeOne(signal_);
}

void Syncer::ReportShortage() {
  if (!is_short_.exchange(true, std::memory_order_seq_cst)) Wake();
}

Status Syncer::Stop() {
  if (thread_.joinable()) {
    is_stopping_.store(true, std::memory_order_seq_cst);
    Wake();
    thread_.join();
  }
  return last_;
}

void Syncer::WaitForParked(uint32_t count, Clock::time_point deadline) {
  const uint32_t signal = signal_.load(std::memory_order_seq_cst);
  wanted_.store(count, std::memory_order_seq_cst);
  const bool must_look = parked_count_.load(std::memory_order_seq_cst) >= count ||
                         is_stopping_.load(std::memory_order_seq_cst) ||
                         (is_short_.load(std::memory_order_seq_cst) && retry_pause_ == milliseconds::zero());
  const auto now = Clock::now();
  if (!must_look && now < deadline)
    FutexWait(signal_, signal, std::min<nanoseconds>(deadline - now, std::chrono::hours(1)));
  wanted_.store(0, std::memory_order_seq_cst);
}

DurableOp* Syncer::TakeParked() {
  DurableOp* newest = parked_.exchange(nullptr, std::memory_order_acquire);
  DurableOp* oldest = nullptr;
  uint32_t count = 0;
  while (newest) {
    DurableOp* next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
    ++count;
  }
  parked_count_.fetch_sub(count, std::memory_order_seq_cst);
  return oldest;
}

void Syncer::Settle(DurableOp* group, const Status& status) {
  while (group) {
    DurableOp* next = group->next;
    group->status = status;
    group->done.Finish();
    group = next;
  }
}

// A lone writer that writes again as soon as it is answered would pay for putting this thread to sleep and waking it
// each time, on an idle machine as much as for the write itself. While it keeps coming back soon, stay awake for it.
void Syncer::StayAwake() {
  const auto start = Clock::now();
  const auto awake = std::clamp<Clock::duration>(2 * sync_time_, kShortestAwake, kLongestAwake);
  if (is_lone_writer_quick_) {
    while (parked_count_.load(std::memory_order_acquire) == 0 && Clock::now() - start < awake) {
      for (int i = 0; i < 32; ++i) RestBriefly();
    }
  }
  if (parked_count_.load(std::memory_order_seq_cst) == 0) {
    const auto due = marks_.due();
    WaitForParked(1, std::min(retry_at_, due));
    if (parked_count_.load(std::memory_order_relaxed) == 0 && Clock::now() >= due) marks_.Write();
  }
  is_lone_writer_quick_ = last_group_ == 1 && Clock::now() - start < awake;
}

void Syncer::RunGroups() {
  if (prepare_) SyncGroup();
  while (!is_stopping_.load(std::memory_order_seq_cst)) {
    StayAwake();
    LookForSpace();
    if (parked_count_.load(std::memory_order_seq_cst) == 0) continue;
    Gather();
    SyncGroup();
  }
  SyncGroup();
  Settle(TakeParked(), last_);
}

// Half of the writers is the best group: while it syncs, the other half is being served.
void Syncer::Gather() {
  const uint32_t enough = writers_ / 2;
  const auto start = Clock::now();
  const auto end = start + std::min<Clock::duration>(3 * (sync_time_ + kThreadChanges), kLongestGather);
  uint32_t parked = parked_count_.load(std::memory_order_relaxed);
  for (auto now = start; parked < enough && now < end && !is_stopping_.load(std::memory_order_relaxed);
       now = Clock::now()) {
    WaitForParked(enough, std::min(end, now + kGap));
    const uint32_t before = std::exchange(parked, parked_count_.load(std::memory_order_relaxed));
    if (parked == before) return;
  }
}

Status Syncer::SyncLog() {
  if (is_log_broken_) return last_;
  if (prepare_) {
    if (Status status = prepare_(); !status.ok()) {
      // A sync that has failed is not asked again: the second would say that all is well.
      is_log_broken_ = !IsPassing(status);
      if (is_log_broken_) files_.BreakLog(status);
      return status;
    }
    prepare_ = nullptr;
  }
  const auto start = Clock::now();
  Status status = files_.log_failure();
  if (status.ok()) status = FromRocksDb(db_.FlushWAL(/*sync=*/true));
  if (status.ok()) status = files_.log_failure();
  is_log_broken_ = !status.ok();
  if (status.ok() && files_.owes_log()) {
    status = files_.WriteRests();
    is_log_broken_ = !status.ok() && !IsPassing(status);
  }
  if (is_log_broken_ && files_.log_failure().ok())
    LogError("storage: the log cannot be synced, writes are refused until the server is started again: {}",
             status.ToString());
  const auto took = Clock::now() - start;
  syncs_.Add();
  sync_micros_.RecordMicros(static_cast<uint64_t>(duration_cast<microseconds>(took).count()));
  sync_time_ = sync_time_ == Clock::duration::zero() ? took : (7 * sync_time_ + took) / 8;
  return status;
}

void Syncer::SyncGroup() {
  DurableOp* group = TakeParked();
  uint32_t size = 0;
  for (const DurableOp* op = group; op; op = op->next) ++size;
  // Taken after the group, so that it covers the group; before the fsync, so that the fsync covers it.
  const rocksdb::Snapshot* snapshot = db_.GetSnapshot();
  const Mark sequence = snapshot->GetSequenceNumber();
  last_ = SyncLog();
  if (last_.ok()) {
    views_.Publish(snapshot);
    released_.fetch_add(size, std::memory_order_relaxed);
  } else {
    db_.ReleaseSnapshot(snapshot);
    if (files_.is_short()) ReportShortage();
  }
  // Everybody is in this group, parked since, or of the group before and on the way back.
  writers_ = size + std::max(last_group_, parked_count_.load(std::memory_order_relaxed));
  last_group_ = size;
  Settle(group, last_);
  if (last_.ok()) marks_.Confirm(sequence);
}

// Writes are refused in a shortage, so nobody else would come to find out that it is over.
void Syncer::LookForSpace() {
  if (!is_short_.load(std::memory_order_seq_cst)) return;
  if (retry_pause_ == milliseconds::zero())
    LogError("storage: {}, writes are refused until that is over", files_.shortage().message());
  else if (Clock::now() < retry_at_) return;
  SyncGroup();
  if (!files_.is_short()) {
    LogInfo("storage: the shortage is over, writes are accepted");
    is_short_.store(false, std::memory_order_seq_cst);
    retry_pause_ = milliseconds::zero();
    retry_at_ = Clock::time_point::max();
    return;
  }
  retry_pause_ = std::clamp(2 * retry_pause_, kFirstRetry, kLastRetry);
  retry_at_ = Clock::now() + retry_pause_;
}

// With kInterval and kNone nothing is parked: an acknowledgement does not wait for this thread.
void Syncer::RunInterval(milliseconds interval) {
  Mark synced = 0;
  auto sync = [&] {
    const Mark latest = db_.GetLatestSequenceNumber();
    if (latest == synced) return;
    last_ = SyncLog();
    if (!last_.ok()) return;
    synced = latest;
    marks_.Confirm(latest);
    marks_.Write();
  };
  const bool is_timed = interval != milliseconds::max();
  while (!is_stopping_.load(std::memory_order_seq_cst)) {
    if (prepare_) last_ = SyncLog();
    auto deadline = is_timed ? Clock::now() + interval : Clock::time_point::max();
    if (prepare_) deadline = std::min(deadline, Clock::now() + kLastRetry);
    WaitForParked(UINT_MAX, std::min(retry_at_, deadline));
    LookForSpace();
    if (is_timed) sync();
  }
  sync();
}

}  // namespace armature::storage
