#include "table/throttle/running_clock.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature::table {
namespace {

constexpr int64_t kMilli = 1'000'000;

TEST(RunningClock, GoesAsItsClockGoes) {
  ManualClock clock;
  RunningClock running(clock);
  EXPECT_EQ(running.NowNanos(), 0);
  clock.AdvanceMillis(1234);
  EXPECT_EQ(running.NowNanos(), 1234 * kMilli);
}

TEST(RunningClock, GoesOnWhereTheClockIsSetBack) {
  ManualClock clock;
  RunningClock running(clock);
  clock.AdvanceMillis(5000);
  EXPECT_EQ(running.NowNanos(), 5000 * kMilli);
  clock.AdvanceMillis(-3'600'000);
  EXPECT_EQ(running.NowNanos(), 5000 * kMilli);
  clock.AdvanceMillis(10);
  EXPECT_EQ(running.NowNanos(), 5010 * kMilli);
  clock.AdvanceMillis(3'600'000);
  EXPECT_EQ(running.NowNanos(), 3'605'010 * kMilli) << "set forward, the time is over";
}

TEST(RunningClock, ALittleBackIsAnotherThreads) {
  ManualClock clock;
  RunningClock running(clock);
  clock.AdvanceMillis(5000);
  EXPECT_EQ(running.NowNanos(), 5000 * kMilli);
  clock.AdvanceMillis(-3);
  EXPECT_EQ(running.NowNanos(), 5000 * kMilli);
  clock.AdvanceMillis(3);
  EXPECT_EQ(running.NowNanos(), 5000 * kMilli);
  clock.AdvanceMillis(1);
  EXPECT_EQ(running.NowNanos(), 5001 * kMilli);
}

TEST(RunningClock, NeverGoesBackForAnyThread) {
  ManualClock clock;
  RunningClock running(clock);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      int64_t last = 0;
      for (int step = 0; step < 20'000; ++step) {
        if (i == 0) clock.AdvanceMillis(step % 1000 == 999 ? -20'000 : 1);
        const int64_t now = running.NowNanos();
        ASSERT_GE(now, last);
        last = now;
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace armature::table
