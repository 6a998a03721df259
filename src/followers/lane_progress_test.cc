#include "followers/lane_progress.h"

#include <gtest/gtest.h>

namespace armature::followers {
namespace {

TEST(LaneProgress, StandsAtTheFirstUnfinishedRecord) {
  LaneProgress progress(5);
  EXPECT_EQ(progress.next(), 5u);
  progress.Sent(7, 100);
  progress.Sent(9, 200);
  progress.Sent(10, 300);
  progress.Read(12);
  EXPECT_EQ(progress.next(), 7u);
  EXPECT_EQ(progress.oldest_millis(), 100);
  progress.Finished(9);
  EXPECT_EQ(progress.next(), 7u);
  progress.Finished(7);
  EXPECT_EQ(progress.next(), 10u);
  EXPECT_EQ(progress.oldest_millis(), 300);
  EXPECT_FALSE(progress.is_idle());
  progress.Finished(10);
  EXPECT_EQ(progress.next(), 12u);
  EXPECT_TRUE(progress.is_idle());
}

TEST(LaneProgress, WhatIsReadAndNotSentIsDone) {
  LaneProgress progress(1);
  progress.Read(100);
  EXPECT_EQ(progress.next(), 100u);
  progress.Sent(150, 0);
  progress.Finished(150);
  EXPECT_EQ(progress.next(), 151u);
}

}  // namespace
}  // namespace armature::followers
