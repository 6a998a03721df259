#include "storage/worker.h"

namespace armature::storage {

void Worker::Post(std::function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    if (!is_stopping_) {
      jobs_.push_back(std::move(job));
      if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
      wake_.notify_one();
      return;
    }
  }
  job();
}

void Worker::Stop() {
  {
    std::lock_guard lock(mutex_);
    is_stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Worker::Run() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return is_stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace armature::storage
