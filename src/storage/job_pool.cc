#include "storage/job_pool.h"

#include <system_error>
#include <utility>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace armature::storage {
namespace {

// Of 40; with it a thread has a third of what another gets where both want all of a processor.
constexpr int kNiceness = 5;

}  // namespace

bool JobPool::TryPost(std::unique_ptr<Job>& job) {
  MutexLock lock(mutex_);
  if (is_stopping_ || queue_.size() >= max_queued_ || !HasThread()) return false;
  queue_.push_back(std::move(job));
  wake_.notify_one();
  return true;
}

bool JobPool::HasThread() {
  if (queue_.size() < resting_ || threads_.size() == max_threads_) return true;
  try {
    threads_.reserve(max_threads_);
    threads_.push_back(start_thread_([this] { Run(); }));
  } catch (const std::system_error&) { return !threads_.empty(); }
  return true;
}

void JobPool::Stop() {
  std::vector<std::thread> threads;
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
    threads.swap(threads_);
    wake_.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
}

void JobPool::Run() {
  pthread_setname_np(pthread_self(), name_.c_str());
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);  // Linux: of this thread; a wish
  for (;;) {
    std::unique_ptr<Job> job;
    {
      MutexLock lock(mutex_);
      ++resting_;
      wake_.wait(lock, [&]() ARMATURE_WITH_LOCK(mutex_) { return is_stopping_ || !queue_.empty(); });
      --resting_;
      if (queue_.empty()) return;
      job = std::move(queue_.front());
      queue_.pop_front();
    }
    job->Run();
  }
}

}  // namespace armature::storage
