#include "table/partition/latest_images.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/partition/partition.h"

namespace armature::table {
namespace {

// As by a commit that succeeds.
void Put(LatestImages& images, size_t stripe, std::string_view key, bool exists, std::string_view value) {
  PendingImages pending(images);
  pending.Put(stripe, key, exists, value);
  pending.Keep();
}

TEST(LatestImagesTest, TellsWhatWasPutLast) {
  LatestImages images(4);
  EXPECT_EQ(images.Find(1, "k"), nullptr);
  Put(images, 1, "k", true, "one");
  Put(images, 1, "k", true, "two");
  ASSERT_NE(images.Find(1, "k"), nullptr);
  EXPECT_TRUE(images.Find(1, "k")->exists());
  EXPECT_EQ(images.Find(1, "k")->value(), "two");
  EXPECT_EQ(images.Find(2, "k"), nullptr);
}

TEST(LatestImagesTest, KnowsThatAnItemIsGone) {
  LatestImages images(1);
  Put(images, 0, "k", true, "one");
  Put(images, 0, "k", false, {});
  ASSERT_NE(images.Find(0, "k"), nullptr);
  EXPECT_FALSE(images.Find(0, "k")->exists());
}

TEST(LatestImagesTest, ForgetsWhatIsTooLarge) {
  LatestImages images(1);
  Put(images, 0, "a", true, "one");
  Put(images, 0, "a", true, std::string(LatestImages::kLargestKept + 1, 'x'));
  EXPECT_EQ(images.Find(0, "a"), nullptr);
}

TEST(LatestImagesTest, WhatWasNotKeptIsTakenOut) {
  LatestImages images(2);
  Put(images, 0, "a", true, "one");
  Put(images, 0, "other", true, "one");
  {
    PendingImages pending(images);
    for (const char* key : {"a", "b", "c", "d"}) pending.Put(0, key, true, "two");
    pending.Put(1, "e", true, std::string(LatestImages::kLargestKept + 1, 'x'));
    EXPECT_EQ(images.Find(0, "a")->value(), "two");
  }
  for (const char* key : {"a", "b", "c", "d"}) EXPECT_EQ(images.Find(0, key), nullptr) << key;
  ASSERT_NE(images.Find(0, "other"), nullptr);
}

// An image that gave way must not be found any more, and what is found is always the last one put.
TEST(LatestImagesTest, IsBoundedAndNeverStale) {
  LatestImages images(1);
  size_t found = 0;
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 100; ++i) Put(images, 0, std::to_string(i), true, std::to_string(i * 1000 + round));
  for (int i = 0; i < 100; ++i) {
    const auto* image = images.Find(0, std::to_string(i));
    if (!image) continue;
    ++found;
    EXPECT_EQ(image->value(), std::to_string(i * 1000 + 2));
  }
  EXPECT_EQ(found, 16u);
}

TEST(LatestImagesTest, AllOfTheProcessAreBoundedTogether) {
  constexpr size_t kStripes = 1024;
  const auto fill = [](LatestImages& images, size_t count) {
    for (size_t i = 0; i < count; ++i) Put(images, i % kStripes, std::to_string(i), true, "v");
  };
  const auto kept = [](const LatestImages& images, size_t count) {
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) found += images.Find(i % kStripes, std::to_string(i)) != nullptr ? 1 : 0;
    return found;
  };
  std::vector<std::unique_ptr<LatestImages>> all;
  for (size_t kept_by_all = 0; kept_by_all < LatestImages::kMostOfAll; kept_by_all += 16 * kStripes) {
    all.push_back(std::make_unique<LatestImages>(kStripes));
    fill(*all.back(), 16 * kStripes);
    ASSERT_EQ(kept(*all.back(), 16 * kStripes), 16 * kStripes);
  }
  LatestImages late(kStripes);
  fill(late, 2 * kStripes);
  EXPECT_EQ(kept(late, 2 * kStripes), 0u) << "one more would be too many";
  fill(*all.front(), 17 * kStripes);
  EXPECT_EQ(kept(*all.front(), 17 * kStripes), 16 * kStripes) << "whoever has some goes on with those";
  all.pop_back();
  fill(late, 2 * kStripes);
  EXPECT_EQ(kept(late, 2 * kStripes), 2 * kStripes) << "what others had is free again";
}

TEST(PartitionLatchesTest, APartOfTheHashesHasAPartOfTheLatches) {
  EXPECT_EQ(Partition::LatchesFor({}), LatchTable::kDefaultStripes);
  EXPECT_EQ(Partition::LatchesFor({0, UINT64_MAX / 4}), LatchTable::kDefaultStripes);
  EXPECT_EQ(Partition::LatchesFor({UINT64_MAX / 8 * 3, UINT64_MAX / 8 * 4 - 1}), LatchTable::kDefaultStripes / 2);
  EXPECT_EQ(Partition::LatchesFor({0, UINT64_MAX / 1000}), 128u);
  EXPECT_EQ(Partition::LatchesFor({5, 5}), 128u) << "a single hash";
}

}  // namespace
}  // namespace armature::table
