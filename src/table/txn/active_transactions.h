// ActiveTransactions: the transactions of this process that are under way, for whoever meets one.
//
// Two things can be asked. Of a transaction's id, whose intent was found: whether somebody here still works on it, and
// to be told when that has ended. And, where requests that meet a transaction are refused
// (TransactionConflicts::kFail), whether an item is part of one. Thread-safe. Owned by the write path.
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/async.h"
#include "base/mutex.h"

namespace armature::table {

class ActiveTransactions {
 public:
  // One that has begun; ends with this object.
  class Running {
   public:
    Running() = default;
    Running(ActiveTransactions* all, std::string id, std::vector<std::string> items)
        : all_(all), id_(std::move(id)), items_(std::move(items)) {}
    Running(Running&& other) noexcept
        : all_(std::exchange(other.all_, nullptr)), id_(std::move(other.id_)), items_(std::move(other.items_)) {}
    Running& operator=(Running&& other) noexcept {
      std::swap(all_, other.all_);
      std::swap(id_, other.id_);
      std::swap(items_, other.items_);
      return *this;
    }
    ~Running() {
      if (all_) all_->End(id_, items_);
    }

   private:
    ActiveTransactions* all_ = nullptr;
    std::string id_;
    std::vector<std::string> items_;
  };

  // REQUIRES: the id is new.
  Running Begin(std::string id);
  // Takes the items, or none if one of them is taken: its number is in `taken` then.
  std::optional<Running> TakeItems(std::vector<std::string> items, size_t* taken);
  bool IsTaken(std::string_view item) const;
  // How an item is named here.
  static std::string ItemName(uint64_t table_id, std::string_view storage_key);

  // `co_await active.Ended(id)`: at once if nobody works on it.
  class EndAwaiter {
   public:
    EndAwaiter(ActiveTransactions& all, std::string_view id) : all_(all), id_(id) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> caller);
    void await_resume() const noexcept {}

   private:
    ActiveTransactions& all_;
    const std::string_view id_;
  };
  EndAwaiter Ended(std::string_view id) { return {*this, id}; }
  bool IsActive(std::string_view id) const;

 private:
  struct Waiter {
    Executor* executor = nullptr;
    std::coroutine_handle<> handle;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <class Value>
  using ByName = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  void End(const std::string& id, const std::vector<std::string>& items);

  mutable Mutex mutex_;
  ByName<std::vector<Waiter>> waiters_ ARMATURE_GUARDED_BY(mutex_);  // by id
  ByName<bool> items_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::table
