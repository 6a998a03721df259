// AuditLog: the way of a line to the disk, which no request waits for.
//
// Owns a queue bounded in bytes, one thread that writes it to the LogFiles, and the count of what was lost. Offer
// never blocks on a disk and never throws: what finds the queue full, or no memory, is lost and counted, and the log
// says how much as soon as it can. Data events may fill half of the queue and denials three quarters, so that neither
// a busy table nor somebody who knocks pushes out what administrators do. A disk that fails is tried again each
// second. Synced within a second of being written, at a rotation and at the end. Thread-safe but for Start and Stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>

#include "audit/log_files.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/random.h"

namespace armature::audit {

// Which lines go first when there is no room: the data plane's.
enum class Rank : uint8_t { kData, kDenial, kManagement };

// Where lines go.
class LineSink {
 public:
  virtual ~LineSink() = default;
  // A whole line, with its end. False: it is lost, and counted. Never blocks for long, never throws.
  virtual bool Offer(Rank rank, std::string line) noexcept = 0;
  // One that could not even be made.
  virtual void NoteLost() noexcept = 0;
};

class AuditLog final : public LineSink {
 public:
  static constexpr size_t kQueueBytes = size_t{32} << 20;

  AuditLog(std::unique_ptr<LogFiles> files, const Clock& clock, RandomSource& random, Metrics& metrics,
           size_t queue_bytes = kQueueBytes);
  ~AuditLog() override;

  bool Offer(Rank rank, std::string line) noexcept override;
  void NoteLost() noexcept override;

  void Start();
  // Writes what there is, and waits for it; what is offered later is lost.
  void Stop();

  // What the thread does: writes all that waits. False: the disk fails, and what could not be written is kept.
  bool Step();

 private:
  void Loop(const std::stop_token& stop);
  void SyncIfDue(bool now);
  Status WriteWaiting();
  Status WriteLines();
  Status TellLost();
  void NoteFailure(const Status& status);

  const std::unique_ptr<LogFiles> files_;
  const Clock& clock_;
  RandomSource& random_;
  const size_t queue_bytes_;
  Counter& written_events_;
  Counter& written_bytes_;
  Counter& dropped_;
  Counter& failures_;

  Mutex mutex_;
  StoppableCondition changed_;
  std::deque<std::string> waiting_ ARMATURE_GUARDED_BY(mutex_);
  size_t held_bytes_ ARMATURE_GUARDED_BY(mutex_) = 0;  // of lines that wait, and of those being written
  uint64_t lost_ ARMATURE_GUARDED_BY(mutex_) = 0;      // of which the log does not tell yet
  bool is_closed_ ARMATURE_GUARDED_BY(mutex_) = false;

  // The writer's own.
  std::deque<std::string> writing_;
  std::string chunk_;
  bool is_failing_ = false;
  bool is_dirty_ = false;
  std::chrono::steady_clock::time_point synced_at_{};
  std::jthread thread_;
};

}  // namespace armature::audit
