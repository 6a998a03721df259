#include "table/partition/latches.h"

#include <algorithm>

#include <xxhash.h>

#include "base/mutex.h"

namespace armature::table {

namespace {
void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// The lock of a stripe guards a few instructions, so spinning is cheaper than any sleep.
class ARMATURE_THREAD_ATTRIBUTE(capability("mutex")) SpinLock {
 public:
  void lock() ARMATURE_THREAD_ATTRIBUTE(acquire_capability()) {
    while (locked_.exchange(true, std::memory_order_acquire))
      while (locked_.load(std::memory_order_relaxed)) Pause();
  }
  void unlock() ARMATURE_THREAD_ATTRIBUTE(release_capability()) { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};
}  // namespace

// Two to a cache line: there are as many for every partition.
struct alignas(32) LatchTable::Stripe {
  SpinLock lock;
  bool is_held ARMATURE_GUARDED_BY(lock) = false;
  LockAwaiter* first ARMATURE_GUARDED_BY(lock) = nullptr;  // waiters in order
  LockAwaiter* last ARMATURE_GUARDED_BY(lock) = nullptr;
};

LatchTable::LatchTable(size_t stripe_count) : stripes_(stripe_count) {}
LatchTable::~LatchTable() = default;

size_t LatchTable::StripeOf(std::string_view key) const { return XXH3_64bits(key.data(), key.size()) % stripe_count(); }

void LatchTable::InLockingOrder(std::vector<size_t>& stripes) {
  std::sort(stripes.begin(), stripes.end());
  stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
}

bool LatchTable::TryLock(size_t index) {
  Stripe& stripe = stripes_[index];
  stripe.lock.lock();
  const bool taken = !stripe.is_held;
  if (taken) stripe.is_held = true;
  stripe.lock.unlock();
  return taken;
}

bool LatchTable::IsAwaited(size_t index) {
  Stripe& stripe = stripes_[index];
  stripe.lock.lock();
  const bool is_awaited = stripe.first != nullptr;
  stripe.lock.unlock();
  return is_awaited;
}

bool LatchTable::LockAwaiter::await_suspend(std::coroutine_handle<> caller) {
  waiter_ = caller;
  executor_ = Executor::Current();
  Stripe& stripe = table_.stripes_[stripe_];
  stripe.lock.lock();
  if (!stripe.is_held) {
    stripe.is_held = true;
    stripe.lock.unlock();
    return false;
  }
  if (stripe.last) stripe.last->next_ = this;
  else stripe.first = this;
  stripe.last = this;
  stripe.lock.unlock();
  return true;
}

void LatchTable::Unlock(size_t index) {
  Stripe& stripe = stripes_[index];
  stripe.lock.lock();
  LockAwaiter* next = stripe.first;
  if (next) {
    // The latch passes on without becoming free, so that nobody can overtake the first in line.
    stripe.first = next->next_;
    if (!stripe.first) stripe.last = nullptr;
  } else {
    stripe.is_held = false;
  }
  stripe.lock.unlock();
  if (!next) return;
  // Posting, not resuming: the releasing writer goes on first. Without an executor (plain tests) resume in place.
  const auto waiter = next->waiter_;
  if (Executor* executor = next->executor_) executor->Post(waiter);
  else waiter.resume();
}

}  // namespace armature::table
