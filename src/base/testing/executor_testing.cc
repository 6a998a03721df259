#include "base/testing/executor_testing.h"

#include <utility>

namespace armature {

ThreadExecutor::ThreadExecutor() : thread_([this] { Run(); }) {}

ThreadExecutor::~ThreadExecutor() {
  {
    std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void ThreadExecutor::Post(std::coroutine_handle<> handle) {
  std::lock_guard lock(mutex_);
  queue_.push_back(handle);
  changed_.notify_all();
}

void ThreadExecutor::Spawn(Task<void> task) {
  {
    std::lock_guard lock(mutex_);
    ++running_;
  }
  Detach(Drive(std::move(task)));
}

Task<void> ThreadExecutor::Drive(Task<void> task) {
  co_await SwitchTo{*this};
  co_await std::move(task);
  std::lock_guard lock(mutex_);
  --running_;
  changed_.notify_all();
}

void ThreadExecutor::WaitIdle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return running_ == 0; });
}

void ThreadExecutor::Run() {
  SetCurrent(this);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const auto next = queue_.front();
    queue_.pop_front();
    lock.unlock();
    next.resume();
    lock.lock();
  }
}

void StepExecutor::Post(std::coroutine_handle<> handle) {
  std::lock_guard lock(mutex_);
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
  std::unique_lock lock(mutex_);
  if (waits) ready_.wait(lock, [&] { return !queue_.empty(); });
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
