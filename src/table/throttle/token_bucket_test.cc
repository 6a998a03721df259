#include "table/throttle/token_bucket.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace armature::table {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMillisecond = 1'000'000;

// A bucket with a rate.
struct Bucket : TokenBucket {
  explicit Bucket(int64_t rate, int64_t depth_seconds = 300) : TokenBucket(depth_seconds) { SetRate(rate, 0); }
};

int64_t TakeAll(TokenBucket& bucket, int64_t units, int64_t now) {
  int64_t taken = 0;
  while (bucket.TryTake(2 * units, now)) ++taken;
  return taken;
}

TEST(TokenBucket, FiveMinutesAtOnceAndThenTheRate) {
  Bucket bucket(100);
  EXPECT_EQ(TakeAll(bucket, 1, 0), 30'000);
  EXPECT_FALSE(bucket.TryTake(2, 0));
  for (int64_t second = 1; second <= 20; ++second) EXPECT_EQ(TakeAll(bucket, 1, second * kSecond), 100) << second;
  EXPECT_EQ(TakeAll(bucket, 1, 20 * kSecond + 1'000'000 * kSecond), 30'000) << "no more than that is saved";
}

TEST(TokenBucket, WhoIsLetInPaysWhatItCostsAndTheBucketOwes) {
  Bucket bucket(1);
  EXPECT_TRUE(bucket.TryTake(2 * 299, 0));
  EXPECT_TRUE(bucket.TryTake(2 * 350, 0)) << "one unit is left, and that is enough";
  EXPECT_EQ(bucket.Balance(0), -349);
  EXPECT_FALSE(bucket.TryTake(1, 349 * kSecond)) << "nothing is owed, and nothing is there";
  EXPECT_TRUE(bucket.TryTake(1, 349 * kSecond + 1));
}

TEST(TokenBucket, AnItemLargerThanTheBucketIsLetInToo) {
  Bucket bucket(1);
  EXPECT_TRUE(bucket.TryTake(2 * 350, 0));
  EXPECT_FALSE(bucket.TryTake(2, 0));
}

TEST(TokenBucket, HalvesAreCounted) {
  Bucket bucket(5, 1);
  EXPECT_EQ(bucket.Balance(0), 5);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(bucket.TryTake(1, 0)) << i;
  EXPECT_FALSE(bucket.TryTake(1, 0));
}

TEST(TokenBucket, WhatIsGivenBackCanBeTakenAgain) {
  Bucket bucket(10, 1);
  EXPECT_EQ(TakeAll(bucket, 1, 0), 10);
  bucket.GiveBack(6);
  EXPECT_EQ(bucket.Balance(0), 3);
  bucket.GiveBack(1000);
  EXPECT_EQ(bucket.Balance(0), 10) << "but there is no room for more than it holds";
  EXPECT_EQ(TakeAll(bucket, 1, 0), 10);
}

TEST(TokenBucket, AnotherRateCountsAtOnceAndWhatIsInItStays) {
  Bucket bucket(10);
  bucket.Take(2 * 2990, 0);
  EXPECT_EQ(bucket.Balance(0), 10);
  bucket.SetRate(1000, 0);
  EXPECT_EQ(bucket.Balance(0), 10) << "a higher rate is no gift";
  EXPECT_EQ(bucket.Balance(kSecond), 1010);
  bucket.SetRate(1, kSecond);
  EXPECT_EQ(bucket.Balance(kSecond), 300) << "nor is there room for more than five minutes of a lower one";
  bucket.Take(2 * 400, kSecond);
  EXPECT_EQ(bucket.Balance(kSecond), -100);
  bucket.SetRate(200, kSecond);
  EXPECT_EQ(bucket.Balance(kSecond), -100) << "and debts are kept";
  EXPECT_FALSE(bucket.HasAny(kSecond + kSecond / 2));
  EXPECT_TRUE(bucket.HasAny(kSecond + kSecond / 2 + kMillisecond)) << "but paid at the new rate";
}

TEST(TokenBucket, TheLargestDebtsAndRatesAreNoOverflow) {
  Bucket bucket(1);
  const int64_t century = kSecond * 100 * 365 * 86'400;
  for (int i = 0; i < 100; ++i) bucket.Take(2'000'000, century);
  bucket.SetRate(TokenBucket::kMostPerSecond, century);
  EXPECT_LT(bucket.Balance(century), 0);
  bucket.SetRate(1, century);
  EXPECT_FALSE(bucket.HasAny(century + 300 * kSecond));
  Bucket fast(TokenBucket::kMostPerSecond);
  EXPECT_EQ(fast.Balance(century), 300.0 * TokenBucket::kMostPerSecond);
}

// --- what a load needs

// How many of so many operations a second, evenly, each of `halves`, are refused once what was saved is used up.
int64_t RefusedPerMinute(int64_t rate, int64_t per_second, int64_t halves) {
  Bucket bucket(rate);
  TakeAll(bucket, 1, 0);
  int64_t refused = 0;
  for (int64_t i = 1; i <= 60 * per_second; ++i) {
    // As a clock in milliseconds shows it.
    const int64_t now = (i * 1000 / per_second) * kMillisecond;
    if (!bucket.TryTake(halves, now)) ++refused;
  }
  return refused;
}

TEST(TokenBucket, WritesOfAllSizesNeedWhatTheGuideSays) {
  struct Load {
    int64_t per_second, halves, needs;
  };
  // Writes of 0.5, 1.5 and 3 KB; reads of 4 KB, consistent and not, of 6 and of 10 KB.
  for (const Load& load : {Load{100, 2, 100}, Load{100, 4, 200}, Load{50, 6, 150},  //
                           Load{100, 2, 100}, Load{100, 1, 50}, Load{50, 4, 100}, Load{40, 6, 120}}) {
    EXPECT_EQ(RefusedPerMinute(load.needs, load.per_second, load.halves), 0) << load.needs;
    const int64_t refused = RefusedPerMinute(load.needs - 1, load.per_second, load.halves);
    EXPECT_GT(refused, 0) << load.needs;
    EXPECT_LE(refused, 60 * load.per_second / load.needs + 1) << "no more than the unit that lacks";
  }
}

// --- over any sequence

struct Granted {
  int64_t at;
  int64_t halves;
};

// Against the definition, in whole numbers: a bucket of 1/(2 × 10⁹) units, filled step by step.
TEST(TokenBucket, OverAnySequenceWhatIsGrantedIsRateTimesTimeAndTheBurst) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Xoshiro256 random(seed);
    const auto below = [&](uint64_t bound) { return static_cast<int64_t>(random.Next() % bound); };
    const int64_t rate = 1 + below(seed % 3 == 0 ? 5 : 40'000);
    const int64_t depth = 1 + below(300);
    Bucket bucket(rate, depth);
    __extension__ using Exact = __int128;
    const auto full = static_cast<Exact>(2 * rate) * depth * kSecond;
    Exact model = full;
    int64_t now = 0;
    int64_t grants = 0;
    std::vector<Granted> granted;
    const int64_t usual = std::max<int64_t>(1, rate / 10);
    for (int step = 0; step < 1000; ++step) {
      const int64_t passed = below(4) == 0 ? below(below(20) == 0 ? 400 : 3) * kSecond / (1 + below(50)) : 0;
      now += passed;
      model = std::min(full, model + static_cast<Exact>(passed) * 2 * rate);
      const int64_t halves = below(30) == 0 ? 1 + below(800) : 1 + below(static_cast<uint64_t>(4 * usual));
      const bool is_granted = bucket.TryTake(halves, now);
      // What it takes is rounded up by less than a nanosecond for each: nearer than that nothing is told.
      const auto error = static_cast<Exact>(grants) * 2 * rate;
      if (model > error) { ASSERT_TRUE(is_granted) << "seed " << seed << ", step " << step << ": below its rate"; }
      if (model <= 0) { ASSERT_FALSE(is_granted) << "seed " << seed << ", step " << step << ": beyond its rate"; }
      if (!is_granted) continue;
      ++grants;
      model -= static_cast<Exact>(halves) * kSecond;
      granted.push_back({now, halves});
    }
    // Between any two moments: rate × time, a full bucket, and the last.
    for (size_t first = 0; first < granted.size(); first += 7) {
      Exact sum = 0;
      for (size_t i = first; i < granted.size(); ++i) {
        const auto most = full + static_cast<Exact>(granted[i].at - granted[first].at) * 2 * rate;
        ASSERT_LT(sum, most) << "seed " << seed << ", from " << first << " to " << i;
        sum += static_cast<Exact>(granted[i].halves) * kSecond;
      }
    }
  }
}

TEST(TokenBucket, ThreadsTogetherGetNoMore) {
  Bucket bucket(1000, 10);
  std::atomic<int64_t> now{0}, taken{0};
  std::atomic<int> running{4};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int step = 0; step < 20'000; ++step)
        if (bucket.TryTake(2, now.load())) ++taken;
      --running;
    });
  }
  while (running > 0) now += kMillisecond;
  for (auto& thread : threads) thread.join();
  const int64_t most = 10'000 + now / kMillisecond;  // 1000 a second
  EXPECT_LE(taken, most);
  const int64_t rest = TakeAll(bucket, 1, now);
  EXPECT_LE(taken + rest, most);
}

TEST(TokenBucket, RatesThatChangeMeanwhileLoseNothing) {
  Bucket bucket(1000, 10);
  std::atomic<int64_t> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int step = 0; step < 2000; ++step) {
        bucket.Take(2, 0);
        ++taken;
      }
    });
  }
  for (int64_t change = 1; change <= 50; ++change) {
    while (taken < change * 100) std::this_thread::yield();
    bucket.SetRate(change % 2 == 0 ? 1000 : 2000, 0);
  }
  for (auto& thread : threads) thread.join();
  // Those that came in the moment of a change have paid at the other rate, that is, half of their unit or two.
  EXPECT_NEAR(bucket.Balance(0), 10'000.0 - static_cast<double>(taken), 200.0);
}

}  // namespace
}  // namespace armature::table
