#include "base/tasks/task_pool.h"

#include <algorithm>
#include <exception>

#include "base/log.h"
#include "base/log_limit.h"

namespace armature {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kAfterException(1000);
// A thread that could not be started is tried again this often, and told of in the log this often.
constexpr milliseconds kBetweenStarts(200);
constexpr seconds kBetweenComplaints(60);
constexpr seconds kBetweenChanges(1);  // of the number of threads that are allowed

}  // namespace

class TaskPool::Task {
 public:
  enum class State { kParked, kDue, kRunning, kEnded };

  explicit Task(Step s) : step(std::move(s)) {}

  Step step;  // run by one thread at a time, outside of the pool's mutex
  // Guarded by the pool's mutex.
  State state = State::kParked;
  bool is_woken = false;  // while it was running
  bool is_cancelled = false;
  Clock::time_point due_since;
  std::optional<Timers::iterator> timer;
};

TaskPool::TaskPool(std::string name, size_t max_threads, StartThread start_thread, Clock::duration idle_thread_stays)
    : name_(std::move(name)),
      max_threads_(std::max<size_t>(1, max_threads)),
      start_thread_(std::move(start_thread)),
      idle_thread_stays_(idle_thread_stays),
      allowed_(max_threads_) {}

TaskPool::~TaskPool() {
  MutexLock lock(mutex_);
  is_stopping_ = true;
  for (Sleeper* sleeper : idle_) sleeper->called.notify_one();
  ended_.wait(lock, [this]() ARMATURE_WITH_LOCK(mutex_) { return threads_.empty(); });
  JoinFinished();
}

TaskPool::Handle TaskPool::Add(Step step) {
  Handle task = std::make_shared<Task>(std::move(step));
  MutexLock lock(mutex_);
  JoinFinished();
  ++live_;
  Enqueue(task, 0);
  return task;
}

TaskPool::Handle TaskPool::AddParked(Step step) {
  Handle task = std::make_shared<Task>(std::move(step));
  MutexLock lock(mutex_);
  ++live_;
  return task;
}

void TaskPool::Wake(const Handle& task) {
  MutexLock lock(mutex_);
  if (task->state == Task::State::kRunning) task->is_woken = true;
  if (task->state != Task::State::kParked) return;
  DropTimer(*task);
  Enqueue(task, 0);
}

void TaskPool::Cancel(const Handle& task) {
  MutexLock lock(mutex_);
  task->is_cancelled = true;
  if (task->state == Task::State::kRunning || task->state == Task::State::kEnded) return;
  DropTimer(*task);
  std::erase(due_, task);
  End(*task);
}

bool TaskPool::HasEnded(const Handle& task) const {
  MutexLock lock(mutex_);
  return task->state == Task::State::kEnded;
}

void TaskPool::AwaitEnd(const Handle& task) {
  MutexLock lock(mutex_);
  ended_.wait(lock, [&]() ARMATURE_WITH_LOCK(mutex_) { return task->state == Task::State::kEnded; });
}

TaskPool::Clock::duration TaskPool::WaitsFor(const Handle& task) const {
  MutexLock lock(mutex_);
  const bool is_waiting = task->state == Task::State::kDue;
  return is_waiting ? std::max(Clock::now() - task->due_since, Clock::duration(1)) : Clock::duration::zero();
}

void TaskPool::Tend() {
  MutexLock lock(mutex_);
  JoinFinished();
  const auto now = Clock::now();
  if (allowed_ < max_threads_ && now - allowed_changed_ >= kBetweenChanges) {
    ++allowed_;
    allowed_changed_ = now;
  }
  PromoteDue(now, 0);
  if (!due_.empty() || (!timers_.empty() && threads_.empty())) StartIfNeeded();
}

bool TaskPool::is_starved() const {
  MutexLock lock(mutex_);
  return !due_.empty() && threads_.empty();
}

void TaskPool::GiveWay() {
  MutexLock lock(mutex_);
  const auto now = Clock::now();
  if (now - allowed_changed_ < kBetweenChanges) return;
  allowed_ = std::max<size_t>(1, threads_.size() / 2);
  allowed_changed_ = now;
  for (Sleeper* sleeper : idle_) sleeper->called.notify_one();
}

size_t TaskPool::threads() const {
  MutexLock lock(mutex_);
  return threads_.size();
}

// --- with mutex_ held

void TaskPool::Enqueue(const Handle& task, size_t takers) {
  task->state = Task::State::kDue;
  task->due_since = Clock::now();
  due_.push_back(task);
  if (due_.size() <= takers) return;
  if (idle_.empty()) StartIfNeeded();
  else CallOne();
}

// Who is called is no longer idle: the next call is another's.
void TaskPool::CallOne() {
  Sleeper* const sleeper = idle_.back();
  idle_.pop_back();
  if (timekeeper_ == sleeper) timekeeper_ = nullptr;
  sleeper->called.notify_one();
}

void TaskPool::HandOverTheTime() {
  if (timers_.empty() || timekeeper_) return;
  if (idle_.empty()) StartIfNeeded();
  else CallOne();
}

void TaskPool::StartIfNeeded() {
  if (threads_.size() >= allowed_ || is_stopping_) return;
  const auto now = Clock::now();
  if (last_failure_ && now - *last_failure_ < kBetweenStarts) return;
  threads_.emplace_back();
  try {
    // The thread waits for the mutex before it does anything: it is in its place by then.
    threads_.back() = start_thread_([this] { Run(); });
    last_failure_.reset();
  } catch (const std::exception& error) {
    threads_.pop_back();
    static LogLimit limit(std::chrono::nanoseconds(kBetweenComplaints).count());
    if (limit.Pass())
      LogError("{}: no thread can be started ({}); {} run, what is due waits for them", name_, error.what(),
               threads_.size());
    last_failure_ = now;
  }
}

void TaskPool::PromoteDue(Clock::time_point now, size_t takers) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const Handle task = timers_.begin()->second;
    DropTimer(*task);
    Enqueue(task, takers);
  }
}

void TaskPool::Park(const Handle& task, const Next& next) {
  task->state = Task::State::kParked;
  if (next.kind != Next::Kind::kAt) return;
  task->timer = timers_.emplace(next.at, task);
  // Who keeps the time must know of the earliest; if nobody does, the caller will, or hand it over.
  if (task->timer == timers_.begin() && timekeeper_) timekeeper_->called.notify_one();
}

void TaskPool::End(Task& task) {
  task.state = Task::State::kEnded;
  --live_;
  ended_.notify_all();
}

void TaskPool::DropTimer(Task& task) {
  if (task.timer) timers_.erase(*task.timer);
  task.timer.reset();
}

void TaskPool::JoinFinished() {
  std::list<std::thread> finished;
  finished.swap(finished_);
  if (finished.empty()) return;
  const MutexUnlock unlocked(mutex_);
  for (std::thread& thread : finished) thread.join();
}

// --- a thread

void TaskPool::Run() {
  MutexLock lock(mutex_);
  auto last_work = Clock::now();
  for (;;) {
    const auto now = Clock::now();
    if (threads_.size() > allowed_) break;
    PromoteDue(now, 1);
    if (!due_.empty()) {
      const Handle task = due_.front();
      due_.pop_front();
      HandOverTheTime();
      RunStep(task);
      last_work = Clock::now();
      continue;
    }
    const bool is_idle = now - last_work >= idle_thread_stays_;
    // The last that rests stays while there are tasks: somebody must keep their time, and where threads are few it
    // might be had no more when it is wanted.
    if (is_stopping_ || (is_idle && (!idle_.empty() || live_ == 0))) break;
    Rest(lock, (is_idle ? now : last_work) + idle_thread_stays_);
  }
  if (!due_.empty() && !idle_.empty()) CallOne();  // it may have been called for what it leaves
  HandOverTheTime();
  const auto self = std::find_if(threads_.begin(), threads_.end(), [](const std::thread& thread) {
    return thread.get_id() == std::this_thread::get_id();
  });
  finished_.splice(finished_.end(), threads_, self);
  ended_.notify_all();
}

void TaskPool::Rest(MutexLock& lock, Clock::time_point until) {
  Sleeper self;
  idle_.push_back(&self);
  if (!timekeeper_) timekeeper_ = &self;
  if (timekeeper_ == &self && !timers_.empty()) until = std::min(until, timers_.begin()->first);
  self.called.wait_until(lock, until);
  std::erase(idle_, &self);
  if (timekeeper_ == &self) timekeeper_ = nullptr;
}

void TaskPool::RunStep(const Handle& task) {
  task->state = Task::State::kRunning;
  task->is_woken = false;
  Next next;
  try {
    const MutexUnlock unlocked(mutex_);
    next = task->step();
  } catch (const std::exception& error) {
    static LogLimit limit;
    if (const auto more = limit.Pass()) LogError("{}: {}; trying again ({} more like it)", name_, error.what(), *more);
    next = Next::After(kAfterException);
  }
  if (task->is_cancelled || next.kind == Next::Kind::kEnd) {
    End(*task);
  } else if (task->is_woken || next.kind == Next::Kind::kNow) {
    Enqueue(task, 1);
  } else {
    Park(task, next);
  }
}

}  // namespace armature
