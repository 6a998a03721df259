#include "base/memory/secret.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(SecretTest, EqualsItsTextOnly) {
  const Secret secret("abc");
  EXPECT_TRUE(secret.Equals("abc"));
  EXPECT_FALSE(secret.Equals("abd"));
  EXPECT_FALSE(secret.Equals("ab"));
  EXPECT_FALSE(secret.Equals(""));
  EXPECT_TRUE(Secret().Equals(""));
  EXPECT_FALSE(Secret().Equals("a"));
  Secret from("x");
  const Secret to = std::move(from);
  EXPECT_EQ(to.text(), "x");
  EXPECT_TRUE(from.empty());  // NOLINT: that is what is tested
}

}  // namespace
}  // namespace armature
