#include "base/async.h"

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature {
namespace {

Task<int> Double(int value) { co_return value * 2; }

Task<std::string> Chain() {
  const int first = co_await Double(2);
  const int second = co_await Double(first);
  co_return std::to_string(second);
}

TEST(Task, ReturnsThroughAwaits) { EXPECT_EQ(RunBlocking(Chain()), "8"); }

TEST(Task, IsLazyUntilAwaited) {
  bool started = false;
  {
    auto task = [](bool& flag) -> Task<void> {
      flag = true;
      co_return;
    }(started);
  }
  EXPECT_FALSE(started);
}

TEST(Task, CarriesMoveOnlyValues) {
  auto task = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(5); };
  EXPECT_EQ(*RunBlocking(task()), 5);
}

TEST(Task, ExceptionsReachTheAwaiter) {
  auto throwing = []() -> Task<int> {
    throw std::runtime_error("bug");
    co_return 0;
  };
  EXPECT_THROW(RunBlocking(throwing()), std::runtime_error);
}

TEST(Task, ALongLoopOfAwaitsDoesNotGrowTheStack) {
  auto loop = [](int rounds) -> Task<int> {
    int sum = 0;
    for (int i = 0; i < rounds; ++i) sum += co_await Double(1);
    co_return sum;
  };
  EXPECT_EQ(RunBlocking(loop(500'000)), 1'000'000);
}

TEST(Task, ChainsAreAsDeepAsAnyoneNeeds) {
  struct Recursion {
    static Task<int> Down(int depth) {
      if (depth == 0) co_return 0;
      co_return 1 + co_await Down(depth - 1);
    }
  };
  EXPECT_EQ(RunBlocking(Recursion::Down(1'000)), 1'000);
}

Task<int> Await(Completion& completion, int value) {
  co_await completion;
  co_return value;
}

TEST(Completion, FinishedBeforeAwaitDoesNotSuspend) {
  Completion completion;
  completion.Finish();
  EXPECT_TRUE(completion.finished());
  EXPECT_EQ(RunBlocking(Await(completion, 3)), 3);
}

TEST(Completion, FinishedByAnotherThreadResumesOnTheExecutor) {
  Completion completion;
  std::thread::id resumed_on;
  auto task = [](Completion& c, std::thread::id& id) -> Task<void> {
    co_await c;
    id = std::this_thread::get_id();
  };
  std::thread other([&] { completion.Finish(); });
  RunBlocking(task(completion, resumed_on));
  other.join();
  EXPECT_EQ(resumed_on, std::this_thread::get_id());
}

TEST(Completion, WithoutExecutorResumesInFinish) {
  Completion completion;
  bool done = false;
  auto task = [](Completion& c, bool& flag) -> Task<void> {
    co_await c;
    flag = true;
  };
  Detach(task(completion, done));
  EXPECT_FALSE(done);
  completion.Finish();
  EXPECT_TRUE(done);
}

TEST(Completion, CanBeUsedAgainAfterRearm) {
  Completion completion;
  for (int round = 0; round < 3; ++round) {
    completion.Finish();
    EXPECT_EQ(RunBlocking(Await(completion, round)), round);
    completion.Rearm();
    EXPECT_FALSE(completion.finished());
  }
}

TEST(Completion, RacingFinishAndAwaitNeverLosesAWakeUp) {
  for (int round = 0; round < 500; ++round) {
    Completion completion;
    std::thread other([&] { completion.Finish(); });
    EXPECT_EQ(RunBlocking(Await(completion, round)), round);
    other.join();
  }
}

TEST(Completion, ATaskFinishedOnAnotherThreadGoesOnExactlyOnce) {
  for (int round = 0; round < 500; ++round) {
    Completion completion;
    std::atomic<int> passed{0};
    auto outer = [](Completion& c, std::atomic<int>& count) -> Task<void> {
      count += co_await Await(c, 1);
      count += co_await Await(c, 1);
    };
    // No executor: the waiter is resumed by whichever thread finishes, while this one may still be suspending it.
    std::thread other([&] { completion.Finish(); });
    Detach(outer(completion, passed));
    other.join();
    EXPECT_EQ(passed.load(), 2);
  }
}

TEST(BlockingExecutor, NestsAndRestoresTheOuterOne) {
  auto outer = []() -> Task<bool> {
    Executor* const before = Executor::Current();
    RunBlocking(Double(1));
    co_return before != nullptr&& Executor::Current() == before;
  };
  EXPECT_TRUE(RunBlocking(outer()));
  EXPECT_EQ(Executor::Current(), nullptr);
}

}  // namespace
}  // namespace armature
