// JournalWatch: wakes followers that wait for records of their table, without a thread for each.
//
// Owns one thread, which there is only from the first follower that waits on. It looks at most every 20 ms, so that
// busy writers do not pay for it. A follower must not rely on being woken alone: it also asks for a time (if no thread
// can be started, that is all it gets). Thread-safe. Used by triggers/ and workers/.
#pragma once

#include <map>
#include <memory>
#include <thread>

#include "base/mutex.h"
#include "base/tasks/task_pool.h"
#include "table/journal/journal.h"

namespace armature::table {

class JournalWatch {
 public:
  explicit JournalWatch(Journal& journal) : journal_(journal) {}
  ~JournalWatch();
  JournalWatch(const JournalWatch&) = delete;
  JournalWatch& operator=(const JournalWatch&) = delete;

  // Wakes the task, once, when the table has not `records_seen` records any more. Instead of what it waited for before.
  void Await(std::shared_ptr<Table> table, uint64_t records_seen, TaskPool& pool, const TaskPool::Handle& task);
  void Forget(const TaskPool::Handle& task);

 private:
  struct Waiting {
    std::shared_ptr<Table> table;
    uint64_t records_seen = 0;
    TaskPool* pool = nullptr;
  };

  void Run(const std::stop_token& stop);
  void WakeWhoHasRecords();

  Journal& journal_;
  Mutex mutex_;
  StoppableCondition changed_;
  std::map<TaskPool::Handle, Waiting> waiting_ ARMATURE_GUARDED_BY(mutex_);
  std::jthread thread_ ARMATURE_GUARDED_BY(mutex_);  // last: it uses all the above
};

}  // namespace armature::table
