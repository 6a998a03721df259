#include "net/transport/timers/timer_wheel.h"

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace armature::net {
namespace {

struct TestTimer final : Timer {
  std::function<void(int64_t)> action;
  int64_t fired_at = -1;
  void OnTimer(int64_t now) override {
    fired_at = now;
    if (action) action(now);
  }
};

TEST(TimerWheel, FiresNeverEarlyAndAtMostATickLate) {
  std::mt19937 random(1);
  TimerWheel wheel(1'000'003);
  std::vector<std::unique_ptr<TestTimer>> timers;
  for (int i = 0; i < 500; ++i) {
    timers.push_back(std::make_unique<TestTimer>());
    wheel.Schedule(*timers.back(), 1'000'003 + static_cast<int64_t>(random() % 60'000));
  }
  for (int64_t now = 1'000'003; now <= 1'061'003; ++now) wheel.Advance(now);
  for (const auto& timer : timers) {
    ASSERT_GE(timer->fired_at, timer->due_millis());
    ASSERT_LE(timer->fired_at, std::max(timer->due_millis(), int64_t{1'000'004}) + TimerWheel::kTickMillis);
  }
  EXPECT_EQ(wheel.next_due_millis(), TimerWheel::kNever);
}

TEST(TimerWheel, NextDueIsNeverLate) {
  TimerWheel wheel(0);
  TestTimer near, far;
  wheel.Schedule(far, 50'000);
  EXPECT_LE(wheel.next_due_millis(), 50'000);
  wheel.Schedule(near, 95);
  EXPECT_EQ(wheel.next_due_millis(), 100);
  wheel.Advance(100);
  EXPECT_EQ(near.fired_at, 100);
  int hops = 0;
  while (far.fired_at < 0) {
    ASSERT_LT(++hops, 20) << "a far timer is looked at seldom";
    ASSERT_LE(wheel.next_due_millis(), 50'000);
    wheel.Advance(wheel.next_due_millis());
  }
  EXPECT_EQ(far.fired_at, 50'000);
}

TEST(TimerWheel, AJumpOfTheClockFiresEverythingOnce) {
  TimerWheel wheel(0);
  TestTimer a, b;
  int count = 0;
  a.action = b.action = [&](int64_t) { ++count; };
  wheel.Schedule(a, 20);
  wheel.Schedule(b, 300'000);
  wheel.Advance(10'000'000);
  EXPECT_EQ(count, 2);
}

TEST(TimerWheel, ATimerMayRescheduleItselfOrRemoveAnother) {
  TimerWheel wheel(0);
  TestTimer a, b;
  wheel.Schedule(a, 10);
  wheel.Schedule(b, 10);
  a.action = [&](int64_t now) {
    b.Unlink();
    if (now < 30) wheel.Schedule(a, now + 10);
  };
  for (int64_t now = 0; now <= 100; ++now) wheel.Advance(now);
  EXPECT_EQ(a.fired_at, 30);
  EXPECT_EQ(b.fired_at, -1);
}

TEST(TimerWheel, TimersMayOutliveTheWheelAndTheOtherWayRound) {
  TestTimer survivor;
  {
    TimerWheel wheel(0);
    wheel.Schedule(survivor, 10);
    TestTimer mayfly;
    wheel.Schedule(mayfly, 10);
  }
  EXPECT_FALSE(survivor.is_scheduled());
}

}  // namespace
}  // namespace armature::net
