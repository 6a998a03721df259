// TaskPool: a bounded number of threads for any number of things that have something to do now and then.
//
// A task is a step that is run again and again, never by two threads at once, and says after each run when it wants the
// next: now, at a time, or when it is woken. A task that waits costs no thread. Threads are started as work comes, up
// to the limit; who has rested longest is called last, and goes when it was not called for a while, but for the last
// that rests while there are tasks: it keeps their times. That a thread cannot be started costs time, never the
// process: what is due waits for those there are. A step may block; so many steps may block as there are threads. A
// step that throws is run again later. Thread-safe. Used by triggers/ and workers/, whose followers of the journal are
// such tasks, and by net/, which looks names up.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace armature {

class TaskPool {
 public:
  using Clock = std::chrono::steady_clock;

  // What a step wants next.
  struct Next {
    enum class Kind { kNow, kAt, kWhenWoken, kEnd };
    Kind kind = Kind::kEnd;
    Clock::time_point at;

    static Next Now() { return {Kind::kNow, {}}; }
    static Next At(Clock::time_point at) { return {Kind::kAt, at}; }
    static Next After(std::chrono::milliseconds pause) { return At(Clock::now() + pause); }
    static Next WhenWoken() { return {Kind::kWhenWoken, {}}; }
    static Next End() { return {Kind::kEnd, {}}; }
  };
  using Step = std::function<Next()>;

  class Task;
  using Handle = std::shared_ptr<Task>;

  // Starts a thread, or throws std::system_error as std::thread does. Tests give one that fails.
  using StartThread = std::function<std::thread(std::function<void()>)>;
  static std::thread RealThread(std::function<void()> body) { return std::thread(std::move(body)); }

  // `name` is what the log calls it; a thread goes when there was nothing for it to do for so long.
  TaskPool(std::string name, size_t max_threads, StartThread start_thread = RealThread,
           Clock::duration idle_thread_stays = std::chrono::seconds(10));
  // REQUIRES: every task has ended, or is cancelled. Waits for steps under way.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // A task whose first step is due now; or when it is woken.
  Handle Add(Step step);
  Handle AddParked(Step step);
  // Its next step is due now; one that is under way is followed by another.
  void Wake(const Handle& task);
  // No step begins any more. One that is under way goes on to its end.
  void Cancel(const Handle& task);
  bool HasEnded(const Handle& task) const;
  // REQUIRES: cancelled, or about to end; not called by a step.
  void AwaitEnd(const Handle& task);

  // How long the task's next step has been due without a thread to run it; zero: it is not waiting.
  Clock::duration WaitsFor(const Handle& task) const;

  // To be called now and then: starts threads that could not be started when they were wanted.
  void Tend();
  // Something is due and there is not one thread for it.
  bool is_starved() const;
  // Threads (or processes, which count as such) are wanted elsewhere and not to be had: half of the threads go, at once
  // if they rest, else after their step. One more is allowed with every second that Tend sees. Not heard twice a
  // second.
  void GiveWay();

  size_t max_threads() const { return max_threads_; }
  size_t threads() const;

 private:
  using Timers = std::multimap<Clock::time_point, Handle>;
  // A thread that rests; on its own stack.
  struct Sleeper {
    Condition called;
  };

  void Run();
  void RunStep(const Handle& task) ARMATURE_WITH_LOCK(mutex_);
  // All with mutex_ held.
  void Rest(MutexLock& lock, Clock::time_point until) ARMATURE_WITH_LOCK(mutex_);
  // `takers`: threads that will look at what is due without being called.
  void Enqueue(const Handle& task, size_t takers) ARMATURE_WITH_LOCK(mutex_);
  void CallOne() ARMATURE_WITH_LOCK(mutex_);
  void StartIfNeeded() ARMATURE_WITH_LOCK(mutex_);
  // The caller turns away: somebody who rests must know when the next task is due.
  void HandOverTheTime() ARMATURE_WITH_LOCK(mutex_);
  void PromoteDue(Clock::time_point now, size_t takers) ARMATURE_WITH_LOCK(mutex_);
  void Park(const Handle& task, const Next& next) ARMATURE_WITH_LOCK(mutex_);
  void End(Task& task) ARMATURE_WITH_LOCK(mutex_);
  void DropTimer(Task& task) ARMATURE_WITH_LOCK(mutex_);
  void JoinFinished() ARMATURE_WITH_LOCK(mutex_);

  const std::string name_;
  const size_t max_threads_;
  const StartThread start_thread_;
  const Clock::duration idle_thread_stays_;

  mutable Mutex mutex_;
  Condition ended_;
  std::deque<Handle> due_ ARMATURE_GUARDED_BY(mutex_);
  Timers timers_ ARMATURE_GUARDED_BY(mutex_);
  std::list<std::thread> threads_ ARMATURE_GUARDED_BY(mutex_);
  std::list<std::thread> finished_ ARMATURE_GUARDED_BY(mutex_);  // to be joined
  std::vector<Sleeper*> idle_ ARMATURE_GUARDED_BY(mutex_);       // who went to rest last is the last
  Sleeper* timekeeper_ ARMATURE_GUARDED_BY(mutex_) = nullptr;    // one of those, who rests only until the next timer
  size_t live_ ARMATURE_GUARDED_BY(mutex_) = 0;                  // tasks that have not ended
  bool is_stopping_ ARMATURE_GUARDED_BY(mutex_) = false;
  size_t allowed_ ARMATURE_GUARDED_BY(mutex_);  // threads; max_threads_ but for a while after GiveWay
  Clock::time_point allowed_changed_ ARMATURE_GUARDED_BY(mutex_);
  std::optional<Clock::time_point> last_failure_ ARMATURE_GUARDED_BY(mutex_);  // of starting a thread
};

}  // namespace armature
