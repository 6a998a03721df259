#include "base/testing/executor_testing.h"

#include <utility>

namespace armature {

ThreadExecutor::ThreadExecutor() : thread_([this] { Run(); }) {}

ThreadExecutor::~ThreadExecutor() {
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void ThreadExecutor::Post(std::coroutine_handle<> handle) {
  MutexLock lock(mutex_);
  queue_.push_back(handle);
  changed_.notify_all();
}

void ThreadExecutor::Spawn(Task<void> task) {
  {
    MutexLock lock(mutex_);
    ++running_;
  }
  Detach(Drive(std::move(task)));
}

Task<void> ThreadExecutor::Drive(Task<void> task) {
  co_await SwitchTo{*this};
  co_await std::move(task);
  MutexLock lock(mutex_);
  --running_;
  changed_.notify_all();
}

void ThreadExecutor::WaitIdle() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [&]() ARMATURE_WITH_LOCK(mutex_) { return running_ == 0; });
}

void ThreadExecutor::Run() {
  SetCurrent(this);
  MutexLock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&]() ARMATURE_WITH_LOCK(mutex_) { return is_stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const auto next = queue_.front();
    queue_.pop_front();
    lock.unlock();
    next.resume();
    lock.lock();
  }
}

void StepExecutor::Post(std::coroutine_handle<> handle) {
  MutexLock lock(mutex_);
  queue_.push_back(handle);
  ready_.notify_one();
}

void StepExecutor::Start(Task<void> task) {
  Executor* const outer = Current();
  SetCurrent(this);
  Detach(std::move(task));
  SetCurrent(outer);
}

std::coroutine_handle<> StepExecutor::Take(bool waits) {
  MutexLock lock(mutex_);
  if (waits) ready_.wait(lock, [&]() ARMATURE_WITH_LOCK(mutex_) { return !queue_.empty(); });
  if (queue_.empty()) return {};
  const auto next = queue_.front();
  queue_.pop_front();
  return next;
}

void StepExecutor::ResumeOne(std::coroutine_handle<> handle) {
  Executor* const outer = Current();
  SetCurrent(this);
  handle.resume();
  SetCurrent(outer);
}

void StepExecutor::RunQueued() {
  while (const auto next = Take(/*waits=*/false)) ResumeOne(next);
}

}  // namespace armature
