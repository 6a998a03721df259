// JobThread: one thread that runs jobs in order, for engine work that may block.
//
// Thread-safe. The thread starts with the first job, so that an idle engine pays for none. Owned by
// an engine; used for rare operations (partitions, checkpoints) and for writes that would have
// stalled a reactor. Stop runs what is queued and joins; a job handed over later runs at once on
// the caller's thread, where it finds its engine closed. So does one when no thread can be had.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/async.h"
#include "base/mutex.h"

namespace armature::storage {

class JobThread {
 public:
  JobThread() = default;
  ~JobThread() { Stop(); }
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  void Post(std::function<void()> job);
  void Stop();

  // Runs `job` on the worker and goes on, on the caller's executor, with what it returned.
  template <class Job>
  Task<std::invoke_result_t<Job>> Await(Job job) {
    std::optional<std::invoke_result_t<Job>> result;
    Completion done;
    Post([&] {
      result.emplace(job());
      done.Finish();
    });
    co_await done;
    co_return std::move(*result);
  }

 private:
  bool HasThread() ARMATURE_WITH_LOCK(mutex_);
  void Run();

  Mutex mutex_;
  Condition wake_;
  std::deque<std::function<void()>> jobs_ ARMATURE_GUARDED_BY(mutex_);
  bool is_stopping_ ARMATURE_GUARDED_BY(mutex_) = false;
  std::thread thread_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::storage
