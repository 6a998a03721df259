// TriggerThreads: the threads that run all mappings of a server, and what they wait by.
//
// Whatever the number of mappings, lanes and parallel queues: so many threads read the journal and so many call
// functions, and nobody holds one who only waits. Owned by Triggers, outlives its runners; used by LaneRunner.
#pragma once

#include <atomic>

#include "base/tasks/task_pool.h"
#include "table/journal/journal_watch.h"

namespace armature::triggers {

// Of all functions together, unless the server's owner says otherwise.
inline constexpr size_t kDefaultCalls = 64;

struct TriggerThreads {
  TriggerThreads(table::Journal& journal, size_t calls, const TaskPool::StartThread& start_thread)
      : reading("reading for triggers", kReadingThreads, start_thread),
        delivering("calling functions", calls, start_thread),
        watch(journal) {}

  // Starts what could not be started when it was wanted. Where threads are few, neither pool may have them all, nor
  // both together leave none for the processes of functions.
  void Tend() {
    if (reading.is_starved() || is_process_missing.exchange(false)) delivering.GiveWay();
    if (delivering.is_starved()) reading.GiveWay();
    reading.Tend();
    delivering.Tend();
  }

  // Reading waits for nobody but the disk.
  static constexpr size_t kReadingThreads = 2;

  std::atomic<bool> is_process_missing{false};  // a function could not be started lately
  TaskPool reading;
  TaskPool delivering;
  table::JournalWatch watch;  // last: it wakes tasks of the above
};

}  // namespace armature::triggers
