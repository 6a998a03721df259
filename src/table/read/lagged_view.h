// LaggedView: the store as it was some time ago, for `--eventual-lag`.
//
// Embedded, every read is current, which hides mistakes that show on AWS; this serves reads that are allowed to be
// stale from a snapshot that old. Holds a handful of snapshots: Sample, called by a worker a few times per lag, takes
// one and lets go of those no reader will be given any more. Thread-safe. Used by the read path; without the option
// there is none.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/engine.h"

namespace armature::table {

class LaggedView {
 public:
  // Takes the first snapshot: until the lag has passed, what is there now is what is shown.
  LaggedView(storage::Engine& engine, const Clock& clock, int64_t lag_millis);

  void Sample();
  // How often Sample should run.
  std::chrono::milliseconds interval() const;

  // The newest snapshot that is at least the lag old, or the oldest there is.
  std::shared_ptr<const storage::Snapshot> Current() const;

  // Lets go of everything, for the engine to close. REQUIRES: nobody reads any more.
  void Release();

 private:
  struct Taken {
    int64_t at_millis = 0;
    std::shared_ptr<const storage::Snapshot> snapshot;
  };

  storage::Engine& engine_;
  const Clock& clock_;
  const int64_t lag_millis_;
  mutable Mutex mutex_;
  std::deque<Taken> taken_ ARMATURE_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace armature::table
