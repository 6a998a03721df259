#include "base/limits/token_buckets.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace armature {
namespace {

int TakeAll(TokenBuckets& buckets, uint64_t key, int tries = 100'000) {
  int taken = 0;
  while (taken < tries && buckets.Take(key)) ++taken;
  return taken;
}

TEST(TokenBuckets, ABurstAtOnceAndThenTheRate) {
  ManualClock clock;
  TokenBuckets buckets({.per_second = 10, .burst = 25}, clock, 1);
  EXPECT_EQ(TakeAll(buckets, 7), 25);
  clock.AdvanceMillis(99);
  EXPECT_FALSE(buckets.Take(7));
  clock.AdvanceMillis(1);
  EXPECT_TRUE(buckets.Take(7));
  EXPECT_FALSE(buckets.Take(7));
  clock.AdvanceMillis(1000);
  EXPECT_EQ(TakeAll(buckets, 7), 10);
  clock.AdvanceMillis(3'600'000);
  EXPECT_EQ(TakeAll(buckets, 7), 25) << "no more than a burst is saved";
}

TEST(TokenBuckets, OneKeysUseIsNotAnothers) {
  ManualClock clock;
  TokenBuckets buckets({.per_second = 1, .burst = 3}, clock, 1);
  for (uint64_t key = 0; key < 500; ++key) EXPECT_EQ(TakeAll(buckets, key), 3) << key;
}

TEST(TokenBuckets, AClockThatIsSetBackShutsNobodyOut) {
  ManualClock clock;
  TokenBuckets buckets({.per_second = 10, .burst = 5}, clock, 1);
  EXPECT_EQ(TakeAll(buckets, 7), 5);
  clock.AdvanceMillis(-86'400'000);
  EXPECT_EQ(TakeAll(buckets, 7), 5);
}

TEST(TokenBuckets, TheLargestRatesAreNoOverflow) {
  ManualClock clock(4'102'444'800'000);  // the year 2100
  TokenBuckets buckets({.per_second = TokenBuckets::kMostPerSecond, .burst = TokenBuckets::kMostBurst}, clock, 1);
  EXPECT_EQ(TakeAll(buckets, 7), 100'000);
}

// Against the definition: a bucket of thousandths that is filled step by step.
TEST(TokenBuckets, OverAnySequenceWhatIsGrantedIsRateTimesTimeAndTheBurst) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Xoshiro256 random(seed);
    const auto below = [&](uint64_t bound) { return static_cast<int64_t>(random.Next() % bound); };
    ManualClock clock;
    const Rate rate{1 + below(seed % 2 == 0 ? 50 : 100'000), 1 + below(200)};
    TokenBuckets buckets(rate, clock, seed);
    constexpr size_t kKeys = 5;
    struct Granted {
      int64_t thousandths;  // in the model's bucket
      std::vector<int64_t> times;
    };
    std::vector<Granted> keys(kKeys, Granted{rate.burst * 1000, {}});
    for (int step = 0; step < 2000; ++step) {
      const int64_t passed = below(4) == 0 ? below(400) : 0;
      clock.AdvanceMillis(passed);
      for (Granted& key : keys)
        key.thousandths = std::min(rate.burst * 1000, key.thousandths + passed * rate.per_second);
      const size_t which = static_cast<size_t>(below(kKeys));
      Granted& key = keys[which];
      const bool is_due = key.thousandths >= 1000;
      ASSERT_EQ(buckets.Take(which), is_due) << "seed " << seed << ", step " << step;
      if (!is_due) continue;
      key.thousandths -= 1000;
      key.times.push_back(clock.NowMillis());
    }
    // And by the sentence itself: from every grant on.
    for (const Granted& key : keys) {
      for (size_t from = 0; from < key.times.size(); from += 7) {
        for (size_t to = from; to < key.times.size(); to += 5) {
          const auto granted = static_cast<int64_t>(to - from + 1);
          ASSERT_LE(granted * 1000, (key.times[to] - key.times[from]) * rate.per_second + rate.burst * 1000);
        }
      }
    }
  }
}

TEST(TokenBuckets, WhoStaysBelowIsNeverRefusedHoweverManyOthersThereAre) {
  ManualClock clock;
  TokenBuckets buckets({.per_second = 5, .burst = 2}, clock, 3);
  for (uint64_t turn = 0; turn < 50; ++turn) {
    for (uint64_t other = 0; other < 20'000; ++other) buckets.Take(1000 + turn * 20'000 + other);
    ASSERT_TRUE(buckets.Take(1));
    clock.AdvanceMillis(200);
  }
}

TEST(TokenBuckets, OthersThatCameOnceDoNotFreeWhoIsEmpty) {
  ManualClock clock;
  TokenBuckets buckets({.per_second = 5, .burst = 1000}, clock, 3);
  EXPECT_EQ(TakeAll(buckets, 1), 1000);
  for (uint64_t other = 2; other < 100'000; ++other) buckets.Take(other);
  EXPECT_FALSE(buckets.Take(1));
}

TEST(TokenBuckets, ThreadsTogetherGetNoMore) {
  ManualClock clock;
  TokenBuckets buckets({.per_second = 10, .burst = 1000}, clock, 1);
  std::atomic<int> taken{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 1000; ++n) taken += buckets.Take(7) ? 1 : 0;
      });
  }
  EXPECT_EQ(taken, 1000);
}

}  // namespace
}  // namespace armature
