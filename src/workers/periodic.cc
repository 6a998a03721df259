#include "workers/periodic.h"

namespace armature::workers {

Periodic::Periodic(std::chrono::milliseconds interval, std::function<void()> step)
    : interval_(interval), step_(std::move(step)) {}

Periodic::~Periodic() { Stop(); }

void Periodic::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Loop(stop); });
}

void Periodic::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Periodic::Loop(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, interval_, [] { return false; });
    if (stop.stop_requested()) return;
    lock.unlock();
    step_();
    lock.lock();
  }
}

}  // namespace armature::workers
