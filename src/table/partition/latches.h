// Latches: who may change an item right now.
//
// A writer holds its item's latch from reading the old image to the end of the commit, and not while it waits for the
// disk to sync; only a transaction by intents does (write/intent_writes.cc), until its record is durable. A latch is a
// stripe of a fixed table chosen by the key's hash: different keys may share one, which costs a wait, never a wrong
// answer. Waiting suspends the coroutine (first come, first served), not the thread. A writer of several items takes
// its stripes in ascending order, so that no two writers wait for each other. Thread-safe. Used by the write path for
// items and, with a stripe or a few, by whoever else must come one at a time: the catalogue, the journal, followers of
// indexes, workers.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/async.h"
#include "table/partition/lazy_array.h"

namespace armature::table {

class LatchTable {
 public:
  static constexpr size_t kDefaultStripes = 1024;

  // Takes memory when it is first used.
  explicit LatchTable(size_t stripe_count = kDefaultStripes);
  LatchTable(const LatchTable&) = delete;
  LatchTable& operator=(const LatchTable&) = delete;
  ~LatchTable();

  // Holds one stripe; released on destruction.
  class Guard {
   public:
    Guard() = default;
    Guard(LatchTable* table, size_t stripe) : table_(table), stripe_(stripe) {}
    Guard(Guard&& other) noexcept : table_(std::exchange(other.table_, nullptr)), stripe_(other.stripe_) {}
    Guard& operator=(Guard&& other) noexcept {
      if (this != &other) {
        Release();
        table_ = std::exchange(other.table_, nullptr);
        stripe_ = other.stripe_;
      }
      return *this;
    }
    ~Guard() { Release(); }
    void Release() {
      if (table_) std::exchange(table_, nullptr)->Unlock(stripe_);
    }

   private:
    LatchTable* table_ = nullptr;
    size_t stripe_ = 0;
  };

  // `co_await latches.Lock(key)` gives a Guard.
  class LockAwaiter {
   public:
    LockAwaiter(LatchTable& table, size_t stripe) : table_(table), stripe_(stripe) {}
    bool await_ready() { return table_.TryLock(stripe_); }
    bool await_suspend(std::coroutine_handle<> caller);
    Guard await_resume() { return {&table_, stripe_}; }

   private:
    friend class LatchTable;
    LatchTable& table_;
    size_t stripe_;
    std::coroutine_handle<> waiter_;
    Executor* executor_ = nullptr;
    LockAwaiter* next_ = nullptr;
  };

  LockAwaiter Lock(std::string_view key) { return {*this, StripeOf(key)}; }
  LockAwaiter LockStripe(size_t stripe) { return {*this, stripe}; }

  size_t stripe_count() const { return stripes_.size(); }
  size_t StripeOf(std::string_view key) const;
  // Makes stripes ascending and unique: the order in which to LockStripe several.
  static void InLockingOrder(std::vector<size_t>& stripes);
  // For tests: whether somebody waits for it.
  bool IsAwaited(size_t stripe);

 private:
  struct Stripe;

  bool TryLock(size_t stripe);
  void Unlock(size_t stripe);

  LazyArray<Stripe> stripes_;
};

}  // namespace armature::table
