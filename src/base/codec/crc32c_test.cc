#include "base/codec/crc32c.h"

#include <string>

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32c, PartsAddUp) {
  const std::string text = "what is written in two parts is read as one";
  for (size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(ExtendCrc32c(Crc32c(text.substr(0, cut)), text.substr(cut)), Crc32c(text)) << cut;
}

}  // namespace
}  // namespace armature
