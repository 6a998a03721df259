#include "table/latest_images.h"

#include <string>

#include <gtest/gtest.h>

namespace armature::table {
namespace {

TEST(LatestImagesTest, TellsWhatWasPutLast) {
  LatestImages images(4);
  EXPECT_EQ(images.Find(1, "k"), nullptr);
  images.Put(1, "k", true, "one");
  images.Put(1, "k", true, "two");
  ASSERT_NE(images.Find(1, "k"), nullptr);
  EXPECT_TRUE(images.Find(1, "k")->exists);
  EXPECT_EQ(images.Find(1, "k")->value, "two");
  EXPECT_EQ(images.Find(2, "k"), nullptr);
}

TEST(LatestImagesTest, KnowsThatAnItemIsGone) {
  LatestImages images(1);
  images.Put(0, "k", true, "one");
  images.Put(0, "k", false, {});
  ASSERT_NE(images.Find(0, "k"), nullptr);
  EXPECT_FALSE(images.Find(0, "k")->exists);
}

TEST(LatestImagesTest, ForgetsOnRequestAndWhatIsTooLarge) {
  LatestImages images(1);
  images.Put(0, "a", true, "one");
  images.Put(0, "b", true, "one");
  images.Forget(0, "a");
  images.Put(0, "b", true, std::string(LatestImages::kLargestKept + 1, 'x'));
  EXPECT_EQ(images.Find(0, "a"), nullptr);
  EXPECT_EQ(images.Find(0, "b"), nullptr);
}

// An image that gave way must not be found any more, and what is found is always the last one put.
TEST(LatestImagesTest, IsBoundedAndNeverStale) {
  LatestImages images(1);
  size_t found = 0;
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 100; ++i) images.Put(0, std::to_string(i), true, std::to_string(i * 1000 + round));
  for (int i = 0; i < 100; ++i) {
    const auto* image = images.Find(0, std::to_string(i));
    if (!image) continue;
    ++found;
    EXPECT_EQ(image->value, std::to_string(i * 1000 + 2));
  }
  EXPECT_EQ(found, 16u);
}

}  // namespace
}  // namespace armature::table
