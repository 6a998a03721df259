#include "table/journal/journal_watch.h"

#include <system_error>
#include <utility>
#include <vector>

namespace armature::table {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks(20);
// Only a safety net: whoever writes records rings.
constexpr std::chrono::milliseconds kLongestSleep(500);

}  // namespace

JournalWatch::~JournalWatch() {
  thread_.request_stop();
  journal_.Wake();
}

void JournalWatch::Await(std::shared_ptr<Table> table, uint64_t records_seen, TaskPool& pool,
                         const TaskPool::Handle& task) {
  // Under the mutex, as the thread looks: a record that comes now is seen here or there.
  MutexLock lock(mutex_);
  if (table->journal().records() != records_seen) {
    waiting_.erase(task);
    return pool.Wake(task);
  }
  waiting_[task] = {std::move(table), records_seen, &pool};
  changed_.notify_one();
  if (thread_.joinable()) return;
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  } catch (const std::system_error&) {
    // The next who waits tries again; until then followers look by the clock.
  }
}

void JournalWatch::Forget(const TaskPool::Handle& task) {
  MutexLock lock(mutex_);
  waiting_.erase(task);
}

void JournalWatch::Run(const std::stop_token& stop) {
  uint64_t seen = 0;
  MutexLock lock(mutex_);
  // Nobody waits at the bell while nobody waits here: ringing it is then next to free. Told to stop, the wait still
  // says whether somebody waits.
  while (changed_.wait(lock, stop, [this]() ARMATURE_WITH_LOCK(mutex_) { return !waiting_.empty(); }) &&
         !stop.stop_requested()) {
    lock.unlock();
    seen = journal_.AwaitRecords(seen, kLongestSleep);
    WakeWhoHasRecords();
    lock.lock();
    changed_.wait_for(lock, stop, kBetweenLooks, [] { return false; });
  }
}

void JournalWatch::WakeWhoHasRecords() {
  std::vector<std::pair<TaskPool::Handle, TaskPool*>> ready;
  {
    MutexLock lock(mutex_);
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (it->second.table->journal().records() == it->second.records_seen) {
        ++it;
        continue;
      }
      ready.emplace_back(it->first, it->second.pool);
      it = waiting_.erase(it);
    }
  }
  for (const auto& [task, pool] : ready) pool->Wake(task);
}

}  // namespace armature::table
