#include "base/task_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include "base/log.h"

namespace armature {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kIdleThreadStays(10);
constexpr milliseconds kAfterException(1000);
// A thread that could not be started is tried again this often, and told of in the log this often.
constexpr milliseconds kBetweenStarts(200);
constexpr seconds kBetweenComplaints(60);

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

TaskPool::TaskPool(std::string name, size_t max_threads, StartThread start_thread)
    : name_(std::move(name)), max_threads_(std::max<size_t>(1, max_threads)), start_thread_(std::move(start_thread)) {}

TaskPool::~TaskPool() {
  std::unique_lock lock(mutex_);
  is_stopping_ = true;
  work_.notify_all();
  ended_.wait(lock, [this] { return threads_.empty(); });
  JoinFinished(lock);
}

TaskPool::Handle TaskPool::Add(Step step) {
  Handle task = std::make_shared<Task>(std::move(step));
  std::unique_lock lock(mutex_);
  JoinFinished(lock);
  ++live_;
  Enqueue(task);
  return task;
}

void TaskPool::Wake(const Handle& task) {
  std::lock_guard lock(mutex_);
  if (task->state == Task::State::kRunning) task->is_woken = true;
  if (task->state != Task::State::kParked) return;
  DropTimer(*task);
  Enqueue(task);
}

void TaskPool::Cancel(const Handle& task) {
  std::lock_guard lock(mutex_);
  task->is_cancelled = true;
  if (task->state == Task::State::kRunning || task->state == Task::State::kEnded) return;
  DropTimer(*task);
  std::erase(due_, task);
  End(*task);
}

bool TaskPool::HasEnded(const Handle& task) const {
  std::lock_guard lock(mutex_);
  return task->state == Task::State::kEnded;
}

void TaskPool::AwaitEnd(const Handle& task) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return task->state == Task::State::kEnded; });
}

TaskPool::Clock::duration TaskPool::WaitsFor(const Handle& task) const {
  std::lock_guard lock(mutex_);
  const bool is_waiting = task->state == Task::State::kDue;
  return is_waiting ? std::max(Clock::now() - task->due_since, Clock::duration(1)) : Clock::duration::zero();
}

void TaskPool::Tend() {
  std::unique_lock lock(mutex_);
  JoinFinished(lock);
  PromoteDue(Clock::now());
  if (!due_.empty() || (!timers_.empty() && threads_.empty())) StartIfNeeded();
}

size_t TaskPool::threads() const {
  std::lock_guard lock(mutex_);
  return threads_.size();
}

// --- with mutex_ held ------------------------------------------------------------------------------------------------

void TaskPool::Enqueue(const Handle& task) {
  task->state = Task::State::kDue;
  task->due_since = Clock::now();
  due_.push_back(task);
  if (idle_ > 0) work_.notify_one();
  if (idle_ < due_.size()) StartIfNeeded();
}

void TaskPool::StartIfNeeded() {
  if (threads_.size() >= max_threads_ || is_stopping_) return;
  const auto now = Clock::now();
  if (last_failure_ && now - *last_failure_ < kBetweenStarts) return;
  threads_.emplace_back();
  try {
    // The thread waits for the mutex before it does anything: it is in its place by then.
    threads_.back() = start_thread_([this] { Run(); });
    last_failure_.reset();
  } catch (const std::exception& error) {
    threads_.pop_back();
    static std::atomic<int64_t> last_complaint{INT64_MIN / 2};
    const int64_t second = std::chrono::duration_cast<seconds>(now.time_since_epoch()).count();
    if (second - last_complaint.load() >= kBetweenComplaints.count()) {
      last_complaint = second;
      LogError("{}: no thread can be started ({}); {} run, what is due waits for them", name_, error.what(),
               threads_.size());
    }
    last_failure_ = now;
  }
}

void TaskPool::PromoteDue(Clock::time_point now) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const Handle task = timers_.begin()->second;
    DropTimer(*task);
    Enqueue(task);
  }
}

void TaskPool::Park(const Handle& task, const Next& next) {
  task->state = Task::State::kParked;
  if (next.kind != Next::Kind::kAt) return;
  task->timer = timers_.emplace(next.at, task);
  // Somebody must keep the time: the new one may be the earliest.
  if (task->timer == timers_.begin() && idle_ > 0) work_.notify_one();
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

void TaskPool::JoinFinished(std::unique_lock<std::mutex>& lock) {
  std::list<std::thread> finished;
  finished.swap(finished_);
  if (finished.empty()) return;
  lock.unlock();
  for (std::thread& thread : finished) thread.join();
  lock.lock();
}

// --- a thread --------------------------------------------------------------------------------------------------------

void TaskPool::Run() {
  std::unique_lock lock(mutex_);
  auto last_work = Clock::now();
  for (;;) {
    const auto now = Clock::now();
    PromoteDue(now);
    if (!due_.empty()) {
      const Handle task = due_.front();
      due_.pop_front();
      RunStep(lock, task);
      last_work = Clock::now();
      continue;
    }
    const bool is_idle = now - last_work >= kIdleThreadStays;
    // The last one stays while there are tasks: where threads are few, it might be had no more when it is wanted.
    if (is_stopping_ || (is_idle && (threads_.size() > 1 || live_ == 0))) break;
    auto until = is_idle ? now + kIdleThreadStays : last_work + kIdleThreadStays;
    if (!timers_.empty()) until = std::min(until, timers_.begin()->first);
    ++idle_;
    work_.wait_until(lock, until);
    --idle_;
  }
  const auto self = std::find_if(threads_.begin(), threads_.end(), [](const std::thread& thread) {
    return thread.get_id() == std::this_thread::get_id();
  });
  finished_.splice(finished_.end(), threads_, self);
  ended_.notify_all();
}

void TaskPool::RunStep(std::unique_lock<std::mutex>& lock, const Handle& task) {
  task->state = Task::State::kRunning;
  task->is_woken = false;
  lock.unlock();
  Next next;
  try {
    next = task->step();
  } catch (const std::exception& error) {
    LogError("{}: {}; trying again", name_, error.what());
    next = Next::After(kAfterException);
  }
  lock.lock();
  if (task->is_cancelled || next.kind == Next::Kind::kEnd) {
    End(*task);
  } else if (task->is_woken || next.kind == Next::Kind::kNow) {
    Enqueue(task);
  } else {
    Park(task, next);
  }
}

}  // namespace armature
