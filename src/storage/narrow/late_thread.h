// LateThread: one thread that runs what it is given later, in no particular order.
//
// It picks at random, from a seed, among all that waits. Answers that are given here come late and from a foreign
// thread, as a remote store's do; partitions that are served here are served independently of each other. Thread-safe.
// Stop runs what is left and joins; what comes later runs at once on its caller's thread, so nobody calls Post with a
// lock held that a job needs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/async.h"
#include "base/mutex.h"
#include "base/random.h"

namespace armature::storage {

class LateThread {
 public:
  LateThread(uint64_t seed, uint32_t slowest_micros) : random_(seed), slowest_micros_(slowest_micros) {}
  ~LateThread() { Stop(); }
  LateThread(const LateThread&) = delete;
  LateThread& operator=(const LateThread&) = delete;

  void Post(std::function<void()> job) { PostAt(std::move(job), {}); }
  // Not before a random while, of `slowest_micros` at most, is over.
  void PostSlowly(std::function<void()> job);
  void Stop();

  // Uniform in [0, bound). REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound);

  // Runs `job` on the thread and goes on, on the caller's executor, with what it returned.
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
  using Time = std::chrono::steady_clock::time_point;
  struct Waiting {
    std::function<void()> job;
    Time due;  // the clock's zero: at once
  };

  void PostAt(std::function<void()> job, Time due);
  void Run();
  // Takes one that is due, or says when the first will be.
  bool Take(std::function<void()>& job, Time& first_due) ARMATURE_WITH_LOCK(mutex_);

  Mutex mutex_;
  Condition wake_;
  std::vector<Waiting> waiting_ ARMATURE_GUARDED_BY(mutex_);
  SeededRandom random_ ARMATURE_GUARDED_BY(mutex_);
  bool is_stopping_ ARMATURE_GUARDED_BY(mutex_) = false;
  std::thread thread_ ARMATURE_GUARDED_BY(mutex_);
  const uint32_t slowest_micros_;
};

}  // namespace armature::storage
