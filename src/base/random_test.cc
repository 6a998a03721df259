#include "base/random.h"

#include <cctype>
#include <set>

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(Random, ASeedRepeats) {
  SeededRandom a(42), b(42), c(43);
  const uint64_t first = a.NextU64();
  EXPECT_EQ(first, b.NextU64());
  EXPECT_NE(first, c.NextU64());
}

TEST(Random, SystemRandomDoesNotRepeat) {
  SystemRandom random;
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.NextU64());
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(Random, BelowStaysBelowAndReachesEverything) {
  SeededRandom random(1);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.Below(7));
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(*seen.rbegin(), 6u);
}

TEST(Random, FillsOddLengths) {
  SeededRandom random(1);
  std::string bytes(13, '\0');
  random.FillBytes(bytes);
  EXPECT_NE(bytes, std::string(13, '\0'));
}

TEST(Random, UuidHasVersionAndVariant) {
  SeededRandom random(5);
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = UuidV4(random);
    ASSERT_EQ(uuid.size(), 36u);
    for (size_t dash : {8u, 13u, 18u, 23u}) EXPECT_EQ(uuid[dash], '-');
    EXPECT_EQ(uuid[14], '4');
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
  }
}

TEST(Random, RequestIdsAreUpperCaseLettersAndDigits) {
  SystemRandom random;
  const std::string id = RequestId(random);
  ASSERT_EQ(id.size(), kRequestIdSize);
  for (char c : id) EXPECT_TRUE(std::isdigit(c) || std::isupper(c)) << id;
  EXPECT_NE(id, RequestId(random));
}

TEST(SecretRandom, NumbersDiffer) {
  SecretRandom random;
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.NextU64());
  EXPECT_EQ(seen.size(), 1000u);
}

}  // namespace
}  // namespace armature
