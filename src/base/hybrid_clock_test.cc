#include "base/hybrid_clock.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(HybridClock, FollowsTheWallClock) {
  ManualClock wall(1'000);
  HybridClock clock(wall);
  EXPECT_EQ(clock.Now(), HybridTime{1'000} << 16);
  EXPECT_EQ(clock.Now(), (HybridTime{1'000} << 16) + 1);
  wall.AdvanceMillis(5);
  EXPECT_EQ(clock.Now(), HybridTime{1'005} << 16);
  EXPECT_EQ(HybridClock::MillisOf(clock.Now()), 1'005);
}

TEST(HybridClock, NeverRunsBackwards) {
  ManualClock wall(1'000);
  HybridClock clock(wall);
  const HybridTime before = clock.Now();
  wall.AdvanceMillis(-500);
  EXPECT_EQ(clock.Now(), before + 1);
  clock.Observe(before + 100);
  EXPECT_EQ(clock.Now(), before + 101);
  clock.Observe(before);
  EXPECT_EQ(clock.Now(), before + 102);
}

TEST(HybridClock, GivesEveryStampOnce) {
  ManualClock wall;
  HybridClock clock(wall);
  std::vector<HybridTime> seen[2];
  {
    std::vector<std::jthread> threads;
    for (auto& of_thread : seen)
      threads.emplace_back([&] {
        for (int i = 0; i < 10'000; ++i) of_thread.push_back(clock.Now());
      });
  }
  std::vector<HybridTime> all = seen[0];
  all.insert(all.end(), seen[1].begin(), seen[1].end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_TRUE(std::is_sorted(seen[0].begin(), seen[0].end()));
}

}  // namespace
}  // namespace armature
