#include "base/limits/keyed_counts.h"

#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace armature {
namespace {

TEST(KeyedCounts, WhatIsOpenIsCountedForEachKey) {
  KeyedCounts counts(1);
  EXPECT_EQ(counts.Enter(5), 1u);
  EXPECT_EQ(counts.Enter(5), 2u);
  EXPECT_EQ(counts.Enter(6), 1u);
  counts.Leave(5);
  EXPECT_EQ(counts.Count(5), 1u);
  EXPECT_EQ(counts.size(), 2u);
  counts.Leave(5);
  counts.Leave(6);
  EXPECT_EQ(counts.size(), 0u) << "nobody who has gone is kept";
}

TEST(KeyedCounts, AreThoseOfAMapOverAnySequence) {
  Xoshiro256 random(11);
  KeyedCounts counts(random.Next());
  std::map<uint64_t, size_t> expected;
  for (int step = 0; step < 20'000; ++step) {
    const uint64_t key = random.Next() % 300;
    if (expected[key] > 0 && random.Next() % 2 == 0) {
      counts.Leave(key);
      --expected[key];
    } else {
      ASSERT_EQ(counts.Enter(key), ++expected[key]);
    }
  }
  for (const auto& [key, count] : expected) EXPECT_EQ(counts.Count(key), count);
}

TEST(KeyedCounts, NothingIsLostBetweenThreads) {
  KeyedCounts counts(1);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (uint64_t n = 0; n < 1000; ++n) {
          counts.Enter(n % 3);
          counts.Enter(9);
          counts.Leave(n % 3);
        }
      });
  }
  EXPECT_EQ(counts.Count(9), 4000u);
  EXPECT_EQ(counts.size(), 1u);
}

}  // namespace
}  // namespace armature
