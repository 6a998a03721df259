#include "base/memory/generation_cache.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace armature {
namespace {

using Cache = GenerationCache<std::string, std::unique_ptr<int>>;

std::string Text(int i) { return "text " + std::to_string(i); }

void Keep(Cache& cache, int i, size_t bytes = 1) { cache.Keep(Text(i), std::make_unique<int>(i), bytes); }

TEST(GenerationCacheTest, FindsWhatWasKept) {
  Cache cache(10, 1000);
  EXPECT_EQ(cache.Find(Text(1)), nullptr);
  Keep(cache, 1);
  ASSERT_NE(cache.Find(Text(1)), nullptr);
  EXPECT_EQ(**cache.Find(Text(1)), 1);
  EXPECT_EQ(cache.Find(Text(2)), nullptr);
}

TEST(GenerationCacheTest, StaysWithinItsEntries) {
  Cache cache(10, 1000);
  for (int i = 0; i < 1000; ++i) {
    Keep(cache, i);
    EXPECT_LE(cache.entries(), 20u);
  }
  EXPECT_NE(cache.Find(Text(999)), nullptr);
  EXPECT_EQ(cache.Find(Text(0)), nullptr);
}

TEST(GenerationCacheTest, StaysWithinItsBytes) {
  Cache cache(1000, 100);
  for (int i = 0; i < 1000; ++i) {
    Keep(cache, i, 25);
    EXPECT_LE(cache.entries(), 8u);
  }
}

TEST(GenerationCacheTest, WhatIsUsedSurvivesAScan) {
  Cache cache(10, 1000);
  Keep(cache, -1);
  const int* hot = cache.Find(Text(-1))->get();
  for (int i = 0; i < 100; ++i) {
    Keep(cache, i);
    ASSERT_NE(cache.Find(Text(-1)), nullptr) << i;
    EXPECT_EQ(cache.Find(Text(-1))->get(), hot);
  }
}

TEST(GenerationCacheTest, WhatMovesUpIsCountedAgain) {
  Cache cache(1000, 100);
  Keep(cache, 1, 60);
  Keep(cache, 2, 60);  // 1 is old
  ASSERT_NE(cache.Find(Text(1)), nullptr);
  EXPECT_EQ(cache.entries(), 2u) << "2 is old now: both have no room in one generation";
  Keep(cache, 3, 60);
  EXPECT_EQ(cache.Find(Text(2)), nullptr);
  EXPECT_NE(cache.Find(Text(1)), nullptr);
}

}  // namespace
}  // namespace armature
