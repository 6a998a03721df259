#include "table/capacity.h"

#include <gtest/gtest.h>

namespace armature::table {
namespace {

TEST(Capacity, ReadsCountStartedUnitsOf4KiB) {
  EXPECT_EQ(ReadUnits(1, true), 1.0);
  EXPECT_EQ(ReadUnits(4096, true), 1.0);
  EXPECT_EQ(ReadUnits(4097, true), 2.0);
  EXPECT_EQ(ReadUnits(400 * 1024, true), 100.0);
}

TEST(Capacity, EventuallyConsistentReadsCostHalf) {
  EXPECT_EQ(ReadUnits(1, false), 0.5);
  EXPECT_EQ(ReadUnits(4097, false), 1.0);
  EXPECT_EQ(ReadUnits(8193, false), 1.5);
}

TEST(Capacity, AMissingItemCostsAsMuchAsTheSmallest) {
  EXPECT_EQ(ReadUnits(0, true), 1.0);
  EXPECT_EQ(ReadUnits(0, false), 0.5);
  EXPECT_EQ(WriteUnits(0, 0), 1.0);
}

TEST(Capacity, WritesCountTheLargerImage) {
  EXPECT_EQ(WriteUnits(0, 1024), 1.0);
  EXPECT_EQ(WriteUnits(0, 1025), 2.0);
  EXPECT_EQ(WriteUnits(5000, 10), 5.0);
  EXPECT_EQ(WriteUnits(10, 5000), 5.0);
  EXPECT_EQ(WriteUnits(409600, 0), 400.0);
}

}  // namespace
}  // namespace armature::table
