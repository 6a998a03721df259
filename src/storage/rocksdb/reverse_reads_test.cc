#include "storage/rocksdb/reverse_reads.h"

#include <gtest/gtest.h>

namespace armature::storage {
namespace {

TEST(ReverseReadsTest, AsksForAFlushWhenStepsHavePaidForIt) {
  ReverseReads reads;
  const auto held = [] { return uint64_t{10'000}; };
  uint64_t steps = 0;
  while (!reads.Count(100, held)) steps += 100;
  EXPECT_GE(steps + 100, 10'000u);
  EXPECT_LE(steps, 12'000u);
  // And begins anew.
  EXPECT_FALSE(reads.Count(2'000, held));
}

TEST(ReverseReadsTest, LeavesSmallMemtablesAlone) {
  ReverseReads reads;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(reads.Count(100, [] { return uint64_t{500}; }));
}

}  // namespace
}  // namespace armature::storage
