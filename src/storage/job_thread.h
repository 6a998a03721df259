// JobThread: one thread that runs jobs in order, for engine work that may block.
//
// Thread-safe. The thread starts with the first job, so that an idle engine pays for none. Owned by
// an engine; used for rare operations (partitions, checkpoints) and for writes that would have
// stalled a reactor. Stop runs what is queued and joins; a job handed over later runs at once on
// the caller's thread, where it finds its engine closed. So does one when no thread can be had.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/async.h"

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
  bool HasThread();
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;  // guarded by mutex_
  bool is_stopping_ = false;                // guarded by mutex_
  std::thread thread_;                      // started and joined under mutex_'s protocol
};

}  // namespace armature::storage
