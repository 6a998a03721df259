#include "cli/bench/items/random.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace armature::cli::bench {
namespace {

TEST(RandomTest, SameSeedSameNumbers) {
  Random a(42);
  Random b(42);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Next(), b.Next());
}

TEST(RandomTest, BelowStaysBelowAndReachesEveryValue) {
  Random random(1);
  std::vector<int> seen(10);
  for (int i = 0; i < 10000; ++i) ++seen.at(random.Below(10));
  for (const int count : seen) EXPECT_NEAR(count, 1000, 200);
}

TEST(ZipfianTest, FrequenciesFollowTheLaw) {
  constexpr uint64_t kCount = 1000;
  constexpr int kDraws = 400000;
  double norm = 0;
  for (uint64_t r = 1; r <= kCount; ++r) norm += std::pow(static_cast<double>(r), -Zipfian::kYcsbExponent);

  const Zipfian zipfian(kCount);
  Random random(3);
  std::vector<int> seen(kCount);
  for (int i = 0; i < kDraws; ++i) ++seen.at(zipfian.Next(random));

  for (const uint64_t rank : {1u, 2u, 3u, 10u, 50u}) {
    const double expected = kDraws * std::pow(static_cast<double>(rank), -Zipfian::kYcsbExponent) / norm;
    EXPECT_NEAR(seen[rank - 1], expected, 5 * std::sqrt(expected)) << "rank " << rank;
  }
  int tail = 0;
  double expected_tail = 0;
  for (uint64_t rank = 501; rank <= kCount; ++rank) {
    tail += seen[rank - 1];
    expected_tail += kDraws * std::pow(static_cast<double>(rank), -Zipfian::kYcsbExponent) / norm;
  }
  EXPECT_NEAR(tail, expected_tail, 5 * std::sqrt(expected_tail));
}

TEST(ZipfianTest, OneItemIsAlwaysRankZero) {
  const Zipfian zipfian(1);
  Random random(5);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(zipfian.Next(random), 0u);
}

TEST(ZipfianTest, TenMillionItemsStayInRange) {
  const Zipfian zipfian(10'000'000);
  Random random(9);
  for (int i = 0; i < 100000; ++i) ASSERT_LT(zipfian.Next(random), 10'000'000u);
}

}  // namespace
}  // namespace armature::cli::bench
