#include "workers/periodic.h"

#include <algorithm>

namespace armature::workers {

Periodic::Periodic(std::chrono::milliseconds interval, std::function<void()> step)
    : interval_(interval), step_(std::move(step)), due_(Clock::now() + interval) {}

Periodic::~Periodic() { Stop(); }

void Periodic::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Loop(stop); });
}

void Periodic::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Periodic::RunSoon(std::chrono::milliseconds delay) {
  MutexLock lock(mutex_);
  due_ = std::min(due_, Clock::now() + delay);
  wake_.notify_all();
}

void Periodic::Loop(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (const auto due = due_; Clock::now() < due) {
      wake_.wait_until(lock, stop, due, [&]() ARMATURE_WITH_LOCK(mutex_) { return due_ != due; });
      continue;
    }
    due_ = Clock::now() + interval_;
    lock.unlock();
    step_();
    lock.lock();
  }
}

}  // namespace armature::workers
