#include "base/async.h"

#include <array>
#include <new>

namespace armature {

namespace {
thread_local Executor* current_executor = nullptr;
}  // namespace

Executor* Executor::Current() { return current_executor; }
void Executor::SetCurrent(Executor* executor) { current_executor = executor; }

void BlockingExecutor::Post(std::coroutine_handle<> handle) {
  MutexLock lock(mutex_);
  queue_.push_back(handle);
  // Notified under the lock: the executor may be destroyed as soon as the waiter sees the entry.
  ready_.notify_one();
}

void BlockingExecutor::PostAfter(std::coroutine_handle<> handle, std::chrono::milliseconds pause) {
  MutexLock lock(mutex_);
  pausing_.emplace(std::chrono::steady_clock::now() + pause, handle);
}

void BlockingExecutor::RunOne() {
  std::coroutine_handle<> next;
  {
    MutexLock lock(mutex_);
    while (queue_.empty()) {
      if (pausing_.empty()) {
        ready_.wait(lock);
      } else if (const auto first = pausing_.begin(); first->first <= std::chrono::steady_clock::now()) {
        queue_.push_back(first->second);
        pausing_.erase(first);
      } else {
        const Time due = first->first;
        ready_.wait_until(lock, due);
      }
    }
    next = queue_.front();
    queue_.pop_front();
  }
  next.resume();
}

namespace async_detail {
namespace {

// Free lists of frames in steps of 128 bytes up to 4 KiB, at most 64 frames kept of each: enough for
// every connection of a busy reactor, bounded when a burst is over.
constexpr size_t kStep = 128;
constexpr size_t kClasses = 32;
constexpr size_t kKept = 64;

struct FreeFrameNode {
  FreeFrameNode* next;
};

struct FramePool {
  std::array<FreeFrameNode*, kClasses> heads{};
  std::array<size_t, kClasses> counts{};
  ~FramePool() {
    for (FreeFrameNode* node : heads)
      while (node) ::operator delete(std::exchange(node, node->next));
  }
};
thread_local FramePool pool;

size_t ClassOf(size_t bytes) { return (bytes + kStep - 1) / kStep - 1; }

}  // namespace

void* AllocateFrame(size_t bytes) {
  const size_t index = ClassOf(bytes);
  if (index < kClasses) {
    if (FreeFrameNode* node = pool.heads[index]) {
      pool.heads[index] = node->next;
      --pool.counts[index];
      return node;
    }
    bytes = (index + 1) * kStep;
  }
  return ::operator new(bytes);
}

void FreeFrame(void* frame, size_t bytes) noexcept {
  const size_t index = ClassOf(bytes);
  if (index >= kClasses || pool.counts[index] >= kKept) {
    ::operator delete(frame);
    return;
  }
  pool.heads[index] = new (frame) FreeFrameNode{pool.heads[index]};
  ++pool.counts[index];
}

}  // namespace async_detail
}  // namespace armature
