// CoroutineLock: one coroutine at a time, the others in the order they came.
//
// Held across suspensions, which no mutex may be: whoever changes something, stores it and waits for the disk holds it
// all the while. Waiting suspends the coroutine, not the thread; it goes on where it was running. Thread-safe, takes no
// memory.
#pragma once

#include <coroutine>
#include <utility>

#include "base/async.h"
#include "base/mutex.h"

namespace armature {

class CoroutineLock {
 public:
  CoroutineLock() = default;
  CoroutineLock(const CoroutineLock&) = delete;
  CoroutineLock& operator=(const CoroutineLock&) = delete;

  class Guard {
   public:
    explicit Guard(CoroutineLock& lock) : lock_(&lock) {}
    Guard(Guard&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}
    Guard& operator=(Guard&&) = delete;
    ~Guard() {
      if (lock_) lock_->Unlock();
    }

   private:
    CoroutineLock* lock_;
  };

  class Awaiter {
   public:
    explicit Awaiter(CoroutineLock& lock) : lock_(lock) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> caller) {
      waiter_ = caller;
      executor_ = Executor::Current();
      MutexLock holding(lock_.mutex_);
      if (!std::exchange(lock_.is_held_, true)) return false;
      (lock_.last_ ? lock_.last_->next_ : lock_.first_) = this;
      lock_.last_ = this;
      return true;
    }
    Guard await_resume() { return Guard(lock_); }

   private:
    friend class CoroutineLock;
    CoroutineLock& lock_;
    std::coroutine_handle<> waiter_;
    Executor* executor_ = nullptr;
    Awaiter* next_ = nullptr;
  };

  // `const auto guard = co_await lock.Lock();`
  Awaiter Lock() { return Awaiter(*this); }

 private:
  void Unlock() {
    Awaiter* next = nullptr;
    {
      MutexLock holding(mutex_);
      next = first_;
      if (next) first_ = next->next_;
      else is_held_ = false;
      if (!first_) last_ = nullptr;
    }
    if (!next) return;
    // Posted, not resumed: who lets go does not have to wait for who comes after. Without an executor (plain tests)
    // there is nothing to post to.
    const auto waiter = next->waiter_;
    if (Executor* const executor = next->executor_) executor->Post(waiter);
    else waiter.resume();
  }

  Mutex mutex_;
  bool is_held_ ARMATURE_GUARDED_BY(mutex_) = false;
  Awaiter* first_ ARMATURE_GUARDED_BY(mutex_) = nullptr;
  Awaiter* last_ ARMATURE_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace armature
