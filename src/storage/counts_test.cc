#include "storage/counts.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace armature::storage {
namespace {

std::string Text(const Counts& counts) {
  std::string text;
  counts.ForEach([&](uint32_t slot, const RowCount& count) {
    text += fmt::format("{}: {} of {};", slot, count.rows, count.bytes);
  });
  return text;
}

TEST(CountsTest, AddUpBySlot) {
  Counts counts;
  EXPECT_TRUE(counts.empty());
  counts.Add(3, {});
  EXPECT_TRUE(counts.empty()) << "nothing is no slot";
  counts.Add(5, {1, 10});
  counts.Add(0, {2, 20});
  counts.Add(3, {4, 40});
  counts.Add(5, {-1, -3});
  EXPECT_EQ(Text(counts), "0: 2 of 20;3: 4 of 40;5: 0 of 7;");
  Counts more;
  more.Add(0, {1, 1});
  more.Add(3, {-4, -40});
  more.Add(9, {1, 1});
  counts.Add(more);
  EXPECT_EQ(Text(counts), "0: 3 of 21;5: 0 of 7;9: 1 of 1;");
  EXPECT_EQ(counts.of(9), (RowCount{1, 1}));
  EXPECT_EQ(counts.of(4), RowCount{});
  counts.Clear();
  EXPECT_TRUE(counts.empty());
}

TEST(CountsTest, PartsAreTogetherTheWhole) {
  Counts counts;
  counts.Add(0, {1'000'003, 77});
  counts.Add(2, {-5, 1});
  for (const double share : {0.0, 1e-9, 0.3, 0.5, 1.0}) {
    auto [first, second] = Divide(counts, share);
    EXPECT_EQ(first.of(0).rows, static_cast<int64_t>(1'000'003 * share));
    first.Add(second);
    EXPECT_EQ(Text(first), Text(counts));
  }
}

TEST(CountsTest, WhatIsReadWhileItGrowsIsWhatWasAdded) {
  Counts counts;
  counts.Add(0, {1, 2});
  LiveCounts live(counts);
  EXPECT_EQ(live.of(0), (RowCount{1, 2}));
  EXPECT_EQ(live.of(8), RowCount{});
  Counts more;
  more.Add(0, {1, 1});
  more.Add(8, {3, 4});
  live.Add(more);
  live.Add(more);
  EXPECT_EQ(live.of(8), (RowCount{6, 8}));
  EXPECT_EQ(Text(live.all()), "0: 3 of 4;8: 6 of 8;");
  live.Set(counts);
  EXPECT_EQ(Text(live.all()), "0: 1 of 2;");
}

}  // namespace
}  // namespace armature::storage
