// Executors for tests: one with a thread, and one that the test itself steps.
#pragma once

#include <coroutine>
#include <deque>
#include <thread>

#include "base/async.h"
#include "base/mutex.h"

namespace armature {

// `co_await SwitchTo{executor}` goes on there, behind whatever is queued.
struct SwitchTo {
  Executor& executor;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) const { executor.Post(caller); }
  void await_resume() const noexcept {}
};

// An executor with a thread of its own, as a reactor is one.
class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor();
  // REQUIRES: WaitIdle has returned since the last Spawn.
  ~ThreadExecutor() override;

  void Post(std::coroutine_handle<> handle) override;
  // Runs the task on this executor, from its first step.
  void Spawn(Task<void> task);
  // Until every spawned task has ended.
  void WaitIdle();

 private:
  void Run();
  Task<void> Drive(Task<void> task);

  Mutex mutex_;
  Condition changed_;
  std::deque<std::coroutine_handle<>> queue_ ARMATURE_GUARDED_BY(mutex_);
  size_t running_ ARMATURE_GUARDED_BY(mutex_) = 0;
  bool is_stopping_ ARMATURE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// An executor that runs only when told to, on the test's own thread: interleavings are the test's choice.
class StepExecutor final : public Executor {
 public:
  void Post(std::coroutine_handle<> handle) override;
  // Runs the task up to its first suspension.
  void Start(Task<void> task);
  // Resumes what is queued until nothing is.
  void RunQueued();
  // Resumes what comes, waiting for other threads to post it, until `done` holds.
  template <class Predicate>
  void RunUntil(Predicate done) {
    while (!done()) ResumeOne(Take(/*waits=*/true));
  }

 private:
  std::coroutine_handle<> Take(bool waits);
  void ResumeOne(std::coroutine_handle<> handle);

  Mutex mutex_;
  Condition ready_;
  std::deque<std::coroutine_handle<>> queue_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature
