#include "base/tasks/task_pool.h"

#include <atomic>
#include <future>
#include <latch>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

namespace armature {
namespace {

using std::chrono::milliseconds;
using Next = TaskPool::Next;

void EndAll(TaskPool& pool, const std::vector<TaskPool::Handle>& tasks) {
  for (const auto& task : tasks) pool.Cancel(task);
  for (const auto& task : tasks) pool.AwaitEnd(task);
}

TEST(TaskPoolTest, RunsStepsUntilTheyEnd) {
  TaskPool pool("test", 2);
  int runs = 0;
  const auto task = pool.Add([&] { return ++runs < 5 ? Next::Now() : Next::End(); });
  pool.AwaitEnd(task);
  EXPECT_EQ(runs, 5);
}

TEST(TaskPoolTest, ThousandsOfWaitingTasksCostNoMoreThreadsThanTheLimit) {
  TaskPool pool("test", 3);
  constexpr int kTasks = 2000;
  std::atomic<int> first{0}, second{0}, running{0}, most{0};
  std::latch all_first(kTasks), all_second(kTasks);
  std::vector<TaskPool::Handle> tasks;
  std::vector<int> runs(kTasks, 0);
  for (int i = 0; i < kTasks; ++i)
    tasks.push_back(pool.Add([&, i] {
      const int now = ++running;
      int seen = most.load();
      while (now > seen && !most.compare_exchange_weak(seen, now)) {}
      if (++runs[static_cast<size_t>(i)] == 1) all_first.count_down(), ++first;
      else if (runs[static_cast<size_t>(i)] == 2) all_second.count_down(), ++second;
      --running;
      return Next::WhenWoken();
    }));
  all_first.wait();
  for (const auto& task : tasks) pool.Wake(task);
  all_second.wait();
  EXPECT_LE(most, 3);
  EXPECT_LE(pool.threads(), 3u);
  EndAll(pool, tasks);
}

TEST(TaskPoolTest, TimesAreKept) {
  TaskPool pool("test", 1);
  std::atomic<int> runs{0};
  const auto started = TaskPool::Clock::now();
  const auto task = pool.Add([&] { return ++runs < 3 ? Next::After(milliseconds(20)) : Next::End(); });
  pool.AwaitEnd(task);
  EXPECT_GE(TaskPool::Clock::now() - started, milliseconds(40));
}

TEST(TaskPoolTest, AWakeDuringAStepIsNotLost) {
  TaskPool pool("test", 1);
  std::latch begun(1), woken(1), again(1);
  int runs = 0;
  const auto task = pool.Add([&] {
    if (++runs == 1) {
      begun.count_down();
      woken.wait();
      return Next::WhenWoken();
    }
    again.count_down();
    return Next::End();
  });
  begun.wait();
  pool.Wake(task);
  woken.count_down();
  again.wait();
  pool.AwaitEnd(task);
}

TEST(TaskPoolTest, CancelEndsWhatIsParkedAtOnceAndWaitsForWhatRuns) {
  TaskPool pool("test", 1);
  std::latch begun(1), go_on(1);
  const auto running = pool.Add([&] {
    begun.count_down();
    go_on.wait();
    return Next::Now();
  });
  begun.wait();
  const auto due = pool.Add([] { return Next::Now(); });
  EXPECT_GT(pool.WaitsFor(due), TaskPool::Clock::duration::zero());
  EXPECT_EQ(pool.WaitsFor(running), TaskPool::Clock::duration::zero());
  pool.Cancel(due);
  EXPECT_TRUE(pool.HasEnded(due));
  pool.Cancel(running);
  EXPECT_FALSE(pool.HasEnded(running));
  go_on.count_down();
  pool.AwaitEnd(running);
}

TEST(TaskPoolTest, AStepThatThrowsIsRunAgain) {
  TaskPool pool("test", 1);
  int runs = 0;
  const auto task = pool.Add([&]() -> Next {
    if (++runs == 1) throw std::bad_alloc();
    return Next::End();
  });
  pool.AwaitEnd(task);
  EXPECT_EQ(runs, 2);
}

// Only a step that runs knows that it will take long: somebody else must see that a time has come.
TEST(TaskPoolTest, ATimeIsKeptWhileAnotherStepBlocks) {
  TaskPool pool("test", 2);
  std::promise<void> again;
  std::atomic<int> runs{0};
  const auto timed = pool.Add([&] {
    if (++runs == 1) return Next::After(milliseconds(100));
    again.set_value();
    return Next::End();
  });
  while (runs == 0) std::this_thread::yield();
  bool is_kept = false;
  const auto blocking = pool.Add([&] {
    is_kept = again.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    return Next::End();
  });
  pool.AwaitEnd(blocking);
  pool.AwaitEnd(timed);
  EXPECT_TRUE(is_kept);
}

TEST(TaskPoolTest, ATaskThatGoesOnAtOnceNeedsOneThread) {
  TaskPool pool("test", 8);
  int runs = 0;
  const auto task = pool.Add([&] { return ++runs < 1000 ? Next::Now() : Next::End(); });
  pool.AwaitEnd(task);
  EXPECT_EQ(pool.threads(), 1u);
}

TEST(TaskPoolTest, AParkedTaskNeedsNoThreadBeforeItIsWoken) {
  TaskPool pool("test", 8);
  std::atomic<int> runs{0};
  const auto task = pool.AddParked([&] {
    ++runs;
    return Next::End();
  });
  EXPECT_EQ(pool.threads(), 0u);
  pool.Wake(task);
  pool.AwaitEnd(task);
  EXPECT_EQ(runs, 1);
}

// So many steps that block that each needs a thread.
void BeBusy(TaskPool& pool, int threads) {
  std::vector<TaskPool::Handle> tasks;
  std::latch all(threads);
  for (int i = 0; i < threads; ++i)
    tasks.push_back(pool.Add([&] {
      all.arrive_and_wait();
      return Next::End();
    }));
  for (const auto& task : tasks) pool.AwaitEnd(task);
  EXPECT_EQ(pool.threads(), static_cast<size_t>(threads));
}

bool HasOnly(const TaskPool& pool, size_t threads) {
  const auto deadline = TaskPool::Clock::now() + std::chrono::seconds(20);
  while (pool.threads() > threads && TaskPool::Clock::now() < deadline) std::this_thread::sleep_for(milliseconds(1));
  return pool.threads() <= threads;
}

// Work went round, so that none was idle long enough to go.
TEST(TaskPoolTest, ThreadsThatABurstNeededGoAlthoughThereIsAlwaysALittleToDo) {
  TaskPool pool("test", 20, TaskPool::RealThread, milliseconds(200));
  BeBusy(pool, 20);
  const auto task = pool.Add([] { return Next::WhenWoken(); });
  const auto deadline = TaskPool::Clock::now() + std::chrono::seconds(20);
  while (pool.threads() > 2 && TaskPool::Clock::now() < deadline) {
    pool.Wake(task);
    std::this_thread::sleep_for(milliseconds(3));
  }
  EXPECT_LE(pool.threads(), 2u);
  EndAll(pool, {task});
}

TEST(TaskPoolTest, ThreadsThatAreWantedElsewhereGo) {
  TaskPool pool("test", 20);
  std::atomic<int> runs{0};
  const auto timed = pool.Add([&] { return ++runs, Next::After(milliseconds(5)); });
  BeBusy(pool, 20);
  pool.GiveWay();
  EXPECT_TRUE(HasOnly(pool, 10)) << pool.threads();
  pool.GiveWay();  // just said
  const int before = runs;
  while (runs < before + 3) std::this_thread::yield();
  // Those that work go when they have done it, and there are no more than allowed until time has passed.
  std::vector<TaskPool::Handle> tasks;
  std::atomic<int> running{0}, most{0};
  for (int i = 0; i < 100; ++i)
    tasks.push_back(pool.Add([&] {
      const int now = ++running;
      int seen = most.load();
      while (now > seen && !most.compare_exchange_weak(seen, now)) {}
      std::this_thread::sleep_for(milliseconds(1));
      --running;
      return Next::End();
    }));
  for (const auto& task : tasks) pool.AwaitEnd(task);
  EXPECT_LE(most, 10);
  for (size_t allowed = 10; allowed < 12;) {
    pool.Tend();
    tasks.clear();
    std::latch all(static_cast<int>(allowed) + 1);
    std::atomic<size_t> started{0};
    std::atomic<bool> is_over{false};
    for (size_t i = 0; i <= allowed; ++i)
      tasks.push_back(pool.Add([&] {
        ++started;
        while (!is_over) std::this_thread::sleep_for(milliseconds(1));
        return Next::End();
      }));
    const auto until = TaskPool::Clock::now() + milliseconds(50);
    while (started <= allowed && TaskPool::Clock::now() < until) std::this_thread::yield();
    if (started > allowed) ++allowed;
    is_over = true;
    for (const auto& task : tasks) pool.AwaitEnd(task);
  }
  EndAll(pool, {timed});
}

// The limit of threads was where the server used to end, and again after each restart.
TEST(TaskPoolTest, ThreadsThatCannotBeStartedCostTimeAlone) {
  std::atomic<int> left{1};
  const auto start = [&](std::function<void()> body) {
    if (--left < 0) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::thread(std::move(body));
  };
  TaskPool pool("test", 50, start);
  std::vector<TaskPool::Handle> tasks;
  std::latch all(100);
  for (int i = 0; i < 100; ++i)
    tasks.push_back(pool.Add([&] {
      all.count_down();
      return Next::End();
    }));
  all.wait();
  EXPECT_EQ(pool.threads(), 1u);
  EndAll(pool, tasks);
}

TEST(TaskPoolTest, WhenThereIsNoThreadAtAllWorkWaitsUntilThereIs) {
  std::atomic<bool> may_start{false};
  const auto start = [&](std::function<void()> body) {
    if (!may_start) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::thread(std::move(body));
  };
  TaskPool pool("test", 5, start);
  const auto task = pool.Add([] { return Next::End(); });
  const auto cancelled = pool.Add([] { return Next::End(); });
  EXPECT_EQ(pool.threads(), 0u);
  EXPECT_GT(pool.WaitsFor(task), TaskPool::Clock::duration::zero());
  EndAll(pool, {cancelled});  // nobody is needed for that
  may_start = true;
  while (!pool.HasEnded(task)) pool.Tend();
  EXPECT_GE(pool.threads(), 1u);
}

}  // namespace
}  // namespace armature
