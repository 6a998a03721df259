#include "base/tasks/coroutine_lock.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(CoroutineLockTest, WaitersComeInTheirOrder) {
  CoroutineLock lock;
  std::vector<int> order;
  Completion release;
  const auto hold = [](CoroutineLock& of, Completion& until, std::vector<int>& told) -> Task<void> {
    const auto guard = co_await of.Lock();
    co_await until;
    told.push_back(0);
  };
  const auto wait = [](CoroutineLock& of, int number, std::vector<int>& told) -> Task<void> {
    const auto guard = co_await of.Lock();
    told.push_back(number);
  };
  Detach(hold(lock, release, order));
  for (int i = 1; i < 4; ++i) Detach(wait(lock, i, order));
  EXPECT_TRUE(order.empty());
  release.Finish();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  Detach(wait(lock, 4, order));
  EXPECT_EQ(order.back(), 4) << "it was free again";
}

TEST(CoroutineLockTest, ManyThreadsHoldItOneAtATime) {
  CoroutineLock lock;
  int64_t count = 0;
  const auto add = [](CoroutineLock& of, int64_t& to) -> Task<void> {
    const auto guard = co_await of.Lock();
    ++to;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) RunBlocking(add(lock, count));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 4000);
}

}  // namespace
}  // namespace armature
