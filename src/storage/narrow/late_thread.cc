#include "storage/narrow/late_thread.h"

#include <algorithm>

namespace armature::storage {

void LateThread::PostSlowly(std::function<void()> job) {
  if (slowest_micros_ == 0) return Post(std::move(job));
  PostAt(std::move(job), std::chrono::steady_clock::now() + std::chrono::microseconds(Below(slowest_micros_ + 1)));
}

void LateThread::PostAt(std::function<void()> job, Time due) {
  {
    MutexLock lock(mutex_);
    if (!is_stopping_) {
      if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
      waiting_.push_back({std::move(job), due});
      wake_.notify_one();
      return;
    }
  }
  job();
}

void LateThread::Stop() {
  std::thread thread;
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
    thread.swap(thread_);
    wake_.notify_one();
  }
  if (thread.joinable()) thread.join();
}

uint64_t LateThread::Below(uint64_t bound) {
  MutexLock lock(mutex_);
  return random_.Below(bound);
}

bool LateThread::Take(std::function<void()>& job, Time& first_due) {
  const auto is_due = [now = std::chrono::steady_clock::now()](const Waiting& waiting) { return waiting.due <= now; };
  const size_t due =
      is_stopping_ ? waiting_.size() : static_cast<size_t>(std::count_if(waiting_.begin(), waiting_.end(), is_due));
  if (due == 0) {
    for (const Waiting& waiting : waiting_) first_due = std::min(first_due, waiting.due);
    return false;
  }
  uint64_t number = random_.Below(due);
  auto taken = waiting_.begin();
  while ((!is_stopping_ && !is_due(*taken)) || number-- > 0) ++taken;
  job = std::move(taken->job);
  waiting_.erase(taken);
  return true;
}

void LateThread::Run() {
  for (;;) {
    std::function<void()> job;
    {
      MutexLock lock(mutex_);
      for (Time first_due = Time::max(); !Take(job, first_due); first_due = Time::max()) {
        if (is_stopping_) return;
        if (waiting_.empty()) wake_.wait(lock);
        else wake_.wait_until(lock, first_due);
      }
    }
    job();
  }
}

}  // namespace armature::storage
