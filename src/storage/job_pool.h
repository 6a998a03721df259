// JobPool: a few threads that run jobs in the order of their coming, for engine work that may block.
//
// Threads start as jobs come, so that an idle engine pays for none, and stay. The queue is bounded: a job for which
// there is no place, or no thread at all, stays with whoever brought it. Stop runs what is queued and joins; nothing is
// taken afterwards. Its threads give way to those that never wait: whoever waits for a disk anyway can wait a little
// longer for a processor, and must not keep one from a reactor. Thread-safe. Owned by an engine; where order does not
// matter (else: job_thread.h).
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace armature::storage {

class JobPool {
 public:
  class Job {
   public:
    virtual ~Job() = default;
    virtual void Run() = 0;  // does not throw
  };

  // Starts a thread, or throws std::system_error as std::thread does. Tests give one that fails.
  using StartThread = std::function<std::thread(std::function<void()>)>;
  static std::thread RealThread(std::function<void()> body) { return std::thread(std::move(body)); }

  // `name` is what its threads are called; 15 characters at most.
  JobPool(std::string name, size_t max_threads, size_t max_queued, StartThread start_thread = RealThread)
      : name_(std::move(name)),
        max_threads_(max_threads),
        max_queued_(max_queued),
        start_thread_(std::move(start_thread)) {}
  ~JobPool() { Stop(); }
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;

  // Takes the job, or leaves it where it is and returns false.
  bool TryPost(std::unique_ptr<Job>& job);
  void Stop();

 private:
  // One more where all that there are will be busy; whether there is any.
  bool HasThread() ARMATURE_WITH_LOCK(mutex_);
  void Run();

  const std::string name_;
  const size_t max_threads_;
  const size_t max_queued_;
  const StartThread start_thread_;

  Mutex mutex_;
  Condition wake_;
  std::deque<std::unique_ptr<Job>> queue_ ARMATURE_GUARDED_BY(mutex_);
  size_t resting_ ARMATURE_GUARDED_BY(mutex_) = 0;  // threads that wait for a job
  bool is_stopping_ ARMATURE_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::storage
