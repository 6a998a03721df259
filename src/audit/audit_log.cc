#include "audit/audit_log.h"

#include <exception>
#include <utility>

#include "audit/event.h"
#include "base/log.h"

namespace armature::audit {

namespace {

// What is written at once. Smaller than any file may be.
constexpr size_t kChunkBytes = 256 * 1024;
constexpr std::chrono::seconds kSyncInterval(1);
constexpr std::chrono::seconds kRetryInterval(1);

// What of the queue each rank may fill.
size_t ShareOf(Rank rank, size_t all) {
  switch (rank) {
    case Rank::kData: return all / 2;
    case Rank::kDenial: return all / 4 * 3;
    case Rank::kManagement: return all;
  }
  return all;
}

}  // namespace

AuditLog::AuditLog(std::unique_ptr<LogFiles> files, const Clock& clock, RandomSource& random, Metrics& metrics,
                   size_t queue_bytes)
    : files_(std::move(files)),
      clock_(clock),
      random_(random),
      queue_bytes_(queue_bytes),
      written_events_(metrics.GetCounter("armature_audit_events_total", "Events written to the audit log")),
      written_bytes_(metrics.GetCounter("armature_audit_bytes_total", "Bytes written to the audit log")),
      dropped_(metrics.GetCounter("armature_audit_dropped_total", "Events lost because the audit log had no room")),
      failures_(metrics.GetCounter("armature_audit_write_failures_total", "Failed attempts to write the audit log")) {
  chunk_.reserve(kChunkBytes);
  metrics.AddGauge("armature_audit_waiting_bytes", "Events that wait to be written to the audit log", [this] {
    const MutexLock lock(mutex_);
    return static_cast<double>(held_bytes_);
  });
}

AuditLog::~AuditLog() { Stop(); }

bool AuditLog::Offer(Rank rank, std::string line) noexcept {
  bool was_idle = false;
  try {
    const MutexLock lock(mutex_);
    if (is_closed_ || held_bytes_ + line.size() > ShareOf(rank, queue_bytes_)) {
      ++lost_;
      dropped_.Add();
      return false;
    }
    was_idle = waiting_.empty();
    const size_t bytes = line.size();
    waiting_.push_back(std::move(line));
    held_bytes_ += bytes;
  } catch (...) {  // no memory for it
    NoteLost();
    return false;
  }
  if (was_idle) changed_.notify_one();
  return true;
}

void AuditLog::NoteLost() noexcept {
  dropped_.Add();
  const MutexLock lock(mutex_);
  ++lost_;
}

void AuditLog::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Loop(stop); });
}

void AuditLog::Stop() {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(is_closed_, true)) return;
  }
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  if (!Step()) LogError("the audit log lost its last events: {} could not be written", writing_.size());
  SyncIfDue(/*now=*/true);
}

void AuditLog::Loop(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      MutexLock lock(mutex_);
      const auto has_work = [this]() ARMATURE_WITH_LOCK(mutex_) { return !waiting_.empty() || lost_ > 0; };
      if (is_failing_) changed_.wait_for(lock, stop, kRetryInterval, [] { return false; });
      else if (is_dirty_) changed_.wait_until(lock, stop, synced_at_ + kSyncInterval, has_work);
      else changed_.wait(lock, stop, has_work);
    }
    Step();
    SyncIfDue(/*now=*/false);
  }
}

bool AuditLog::Step() {
  Status status;
  try {
    status = WriteWaiting();
  } catch (const std::exception& exception) { status = Status::IoError(exception.what()); }
  if (!status.ok()) {
    NoteFailure(status);
    return false;
  }
  if (std::exchange(is_failing_, false)) LogWarn("the audit log can be written again");
  return true;
}

void AuditLog::NoteFailure(const Status& status) {
  failures_.Add();
  // Once, and not each second: what is lost meanwhile is counted, and told in the log.
  if (!std::exchange(is_failing_, true)) LogError("the audit log cannot be written: {}", status.message());
}

Status AuditLog::WriteWaiting() {
  {
    const MutexLock lock(mutex_);
    if (writing_.empty()) {
      writing_.swap(waiting_);
    } else {
      while (!waiting_.empty()) {
        writing_.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
      }
    }
  }
  if (Status status = WriteLines(); !status.ok()) return status;
  return TellLost();
}

Status AuditLog::WriteLines() {
  while (!writing_.empty()) {
    chunk_.clear();
    size_t lines = 0;
    while (lines < writing_.size() && (lines == 0 || chunk_.size() + writing_[lines].size() <= kChunkBytes))
      chunk_ += writing_[lines++];
    if (Status status = files_->Append(chunk_); !status.ok()) return status;
    is_dirty_ = true;
    written_events_.Add(lines);
    written_bytes_.Add(chunk_.size());
    writing_.erase(writing_.begin(), writing_.begin() + static_cast<std::ptrdiff_t>(lines));
    const MutexLock lock(mutex_);
    held_bytes_ -= chunk_.size();
  }
  return Status::Ok();
}

Status AuditLog::TellLost() {
  uint64_t lost = 0;
  {
    const MutexLock lock(mutex_);
    lost = lost_;
  }
  if (lost == 0) return Status::Ok();
  if (Status status = files_->Append(LostEvent(lost, clock_.NowMillis(), random_)); !status.ok()) return status;
  is_dirty_ = true;
  const MutexLock lock(mutex_);
  lost_ -= lost;
  return Status::Ok();
}

void AuditLog::SyncIfDue(bool now) {
  const auto time = std::chrono::steady_clock::now();
  if (!is_dirty_ || (!now && time < synced_at_ + kSyncInterval)) return;
  if (Status status = files_->Sync(); !status.ok()) return NoteFailure(status);
  is_dirty_ = false;
  synced_at_ = time;
}

}  // namespace armature::audit
