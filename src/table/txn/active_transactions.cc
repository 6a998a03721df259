#include "table/txn/active_transactions.h"

#include "base/bytes.h"

namespace armature::table {

std::string ActiveTransactions::ItemName(uint64_t table_id, std::string_view storage_key) {
  std::string name;
  AppendBigEndian(name, table_id);
  name.append(storage_key);
  return name;
}

ActiveTransactions::Running ActiveTransactions::Begin(std::string id) {
  Running running(this, id, {});
  MutexLock lock(mutex_);
  waiters_.try_emplace(std::move(id));
  return running;
}

std::optional<ActiveTransactions::Running> ActiveTransactions::TakeItems(std::vector<std::string> items,
                                                                         size_t* taken) {
  // Outlives the lock: should there be no memory for one, the others are given back.
  std::optional<Running> running;
  MutexLock lock(mutex_);
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items_.contains(items[i])) continue;
    *taken = i;
    return std::nullopt;
  }
  running.emplace(this, std::string(), items);
  for (const auto& item : items) items_.try_emplace(item, true);
  return running;
}

bool ActiveTransactions::IsTaken(std::string_view item) const {
  MutexLock lock(mutex_);
  return items_.contains(item);
}

bool ActiveTransactions::IsActive(std::string_view id) const {
  MutexLock lock(mutex_);
  return waiters_.contains(id);
}

bool ActiveTransactions::EndAwaiter::await_suspend(std::coroutine_handle<> caller) {
  MutexLock lock(all_.mutex_);
  const auto found = all_.waiters_.find(id_);
  if (found == all_.waiters_.end()) return false;
  found->second.push_back({Executor::Current(), caller});
  return true;
}

void ActiveTransactions::End(const std::string& id, const std::vector<std::string>& items) {
  std::vector<Waiter> waiters;
  {
    MutexLock lock(mutex_);
    for (const auto& item : items) items_.erase(item);
    if (const auto found = waiters_.find(id); found != waiters_.end()) {
      waiters.swap(found->second);
      waiters_.erase(found);
    }
  }
  for (const Waiter& waiter : waiters) {
    if (waiter.executor) waiter.executor->Post(waiter.handle);
    else waiter.handle.resume();
  }
}

}  // namespace armature::table
