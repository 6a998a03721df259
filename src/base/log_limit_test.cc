#include "base/log_limit.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(LogLimitTest, SaysALineOnceInAWhileAndHowManyWereLeftOut) {
  LogLimit limit(100);
  EXPECT_EQ(limit.Pass(5), 0u);
  EXPECT_EQ(limit.Pass(6), std::nullopt);
  EXPECT_EQ(limit.Pass(104), std::nullopt);
  EXPECT_EQ(limit.Pass(105), 2u);
  EXPECT_EQ(limit.Pass(106), std::nullopt);
  EXPECT_EQ(limit.Pass(300), 1u);
}

}  // namespace
}  // namespace armature
