#include "storage/job_thread.h"

#include <system_error>

namespace armature::storage {

void JobThread::Post(std::function<void()> job) {
  {
    MutexLock lock(mutex_);
    if (!is_stopping_ && HasThread()) {
      jobs_.push_back(std::move(job));
      wake_.notify_one();
      return;
    }
  }
  job();
}

bool JobThread::HasThread() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) { return false; }
  return true;
}

void JobThread::Stop() {
  std::thread thread;
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
    thread.swap(thread_);
    wake_.notify_one();
  }
  if (thread.joinable()) thread.join();
}

void JobThread::Run() {
  for (;;) {
    std::function<void()> job;
    {
      MutexLock lock(mutex_);
      wake_.wait(lock, [&]() ARMATURE_WITH_LOCK(mutex_) { return is_stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace armature::storage
