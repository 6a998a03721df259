#include "base/keys/master_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(MasterKeys, ANewOneIsALineOfDigitsAndAnotherEachTime) {
  SecretRandom random;
  const std::string text = MasterKeys::NewText(random);
  EXPECT_EQ(text.size(), 64u);
  EXPECT_TRUE(MasterKeys::Parse(text));
  EXPECT_NE(text, MasterKeys::NewText(random));
}

TEST(MasterKeys, AreLinesOfDigits) {
  const std::string one(64, '1'), two(64, 'F');
  const auto keys = MasterKeys::Parse("# the new one\n\n" + two + "\r\n" + one);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->fingerprint(), MasterKeys::Parse(two)->fingerprint());
  EXPECT_EQ(keys->fingerprint().size(), 16u);
  EXPECT_TRUE(keys->Find(MasterKeys::Parse(one)->fingerprint()));
  EXPECT_FALSE(keys->Find(MasterKeys::Parse(std::string(64, '2'))->fingerprint()));
}

TEST(MasterKeys, WhatIsNoneIsToldByItsLineAndNotRepeated) {
  const std::string almost = std::string(63, '1') + "g";
  const auto keys = MasterKeys::Parse("#\n" + almost);
  EXPECT_THAT(keys.error().message(), HasSubstr("line 2"));
  EXPECT_THAT(keys.error().message(), Not(HasSubstr("111")));
  EXPECT_FALSE(MasterKeys::Parse(""));
  EXPECT_FALSE(MasterKeys::Parse("# nothing\n"));
  EXPECT_FALSE(MasterKeys::Parse(std::string(66, '1')));
  std::string many;
  for (int i = 0; i < 17; ++i) many += std::string(64, '1') + "\n";
  EXPECT_FALSE(MasterKeys::Parse(many));
}

}  // namespace
}  // namespace armature
