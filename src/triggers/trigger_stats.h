// TriggerStats: what a mapping's metrics and its LastProcessingResult are made of.
//
// Shared by everything that works for the mapping and by the gauges that read it, which outlive it. Thread-safe.
#pragma once

#include <atomic>
#include <string>

#include "base/metrics.h"
#include "base/mutex.h"
#include "triggers/batch_delivery.h"

namespace armature::triggers {

class TriggerStats {
 public:
  TriggerStats(Metrics& metrics, const std::string& trigger) : counters(metrics, trigger) {}

  TriggerCounters counters;
  std::atomic<int64_t> lag_millis{0};   // age of the oldest record that is not dealt with
  std::atomic<int64_t> lag_records{0};  // changes of the table since the progress in the lane that is furthest behind

  std::string last_result() const {
    MutexLock lock(mutex_);
    return hindrance_.empty() ? last_result_ : hindrance_;
  }
  // Why the mapping does not run, shown instead of what came of its last call; empty: it runs.
  void SetHindrance(std::string_view hindrance) {
    MutexLock lock(mutex_);
    hindrance_ = hindrance;
  }
  // Whether a failure is worth a line in the log now: the first of each second is.
  bool ShouldLogFailure(int64_t now_millis) {
    const int64_t second = now_millis / 1000;
    return last_logged_second_.exchange(second) != second;
  }
  void SetLastResult(std::string_view result) {
    MutexLock lock(mutex_);
    last_result_ = result;
  }

 private:
  std::atomic<int64_t> last_logged_second_{0};
  mutable Mutex mutex_;
  std::string last_result_ ARMATURE_GUARDED_BY(mutex_) = "No records processed";
  std::string hindrance_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::triggers
