#include "storage/rocksdb/sync/synced_marks.h"

#include <utility>

namespace armature::storage {
namespace {

constexpr std::chrono::milliseconds kQuiet{20};
constexpr std::chrono::milliseconds kBusy{100};

}  // namespace

SyncedMarks::SyncedMarks(StoreFileSystem& files, std::shared_ptr<rocksdb::FileSystem> base, std::string path)
    : files_(files), file_(std::move(base), std::move(path)) {
  // From a background thread of RocksDB, which has just waited for a sync.
  files_.synced().OnManifestSynced([this] { Write(); });
}

SyncedMarks::~SyncedMarks() { files_.synced().OnManifestSynced(nullptr); }

Status SyncedMarks::Begin() {
  MutexLock lock(mutex_);
  if (has_begun_) return {};
  if (Status status = file_.Create(); !status.ok()) return status;
  has_begun_ = true;
  return {};
}

void SyncedMarks::Confirm(Sequence sequence) {
  SyncedPoint point = files_.synced().point();
  point.sequence = sequence;
  const auto now = Clock::now();
  MutexLock lock(mutex_);
  if (point_.IsBehind(point)) {
    note_ = EncodeSyncedNote(point);
    version_.fetch_add(1, std::memory_order_release);
  }
  point_ = std::move(point);
  is_written_ = false;
  confirmed_at_ = now;
  if (now - written_at_ >= kBusy) WriteLocked();
}

SyncedMarks::Clock::time_point SyncedMarks::due() const {
  MutexLock lock(mutex_);
  return is_written_ ? Clock::time_point::max() : confirmed_at_ + kQuiet;
}

void SyncedMarks::Write() {
  MutexLock lock(mutex_);
  WriteLocked();
}

void SyncedMarks::WriteLocked() {
  is_written_ = true;
  if (!has_begun_) return;
  // Of the logs what was confirmed; the manifest's syncs are its own.
  const SyncedPoint newest = files_.synced().point();
  point_.manifest = newest.manifest;
  point_.manifest_bytes = newest.manifest_bytes;
  file_.Write(point_);
  written_at_ = Clock::now();
}

void SyncedMarks::Finish() {
  MutexLock lock(mutex_);
  WriteLocked();
  if (has_begun_) file_.Sync();
}

std::string_view SyncedMarks::TakeNote(std::string& buffer) {
  if (version_.load(std::memory_order_acquire) == taken_.load(std::memory_order_relaxed)) return {};
  MutexLock lock(mutex_);
  taken_.store(version_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  buffer = note_;
  return buffer;
}

}  // namespace armature::storage
