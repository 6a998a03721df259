// JournalBell: wakes threads that follow the journal when there is something to read.
//
// Ringing costs an increment while nobody sleeps. Thread-safe. Owned by Journal, rung by TableJournal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/mutex.h"

namespace armature::table {

class JournalBell {
 public:
  void Ring() {
    rings_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
    // Taken, so that a sleeper that has just looked is in its wait.
    MutexLock lock(mutex_);
    changed_.notify_all();
  }

  // Until it was rung since the call that returned `seen`, or the time is up. Never on a reactor.
  uint64_t Await(uint64_t seen, std::chrono::milliseconds at_most) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    {
      MutexLock lock(mutex_);
      changed_.wait_for(lock, at_most, [&] { return rings_.load(std::memory_order_seq_cst) != seen; });
    }
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    return rings_.load(std::memory_order_seq_cst);
  }

 private:
  std::atomic<uint64_t> rings_{0};
  std::atomic<int> sleepers_{0};
  Mutex mutex_;
  Condition changed_;
};

}  // namespace armature::table
