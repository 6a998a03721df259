#include "base/codec/percent_encoding.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(PercentEncoding, DecodesPairsOfDigitsAndPlus) {
  EXPECT_EQ(PercentDecode("a%2Fb%2fc+d"), "a/b/c d");
  EXPECT_EQ(PercentDecode("%00%ff"), std::string("\0\xff", 2));
  EXPECT_EQ(PercentDecode(""), "");
}

TEST(PercentEncoding, APercentSignThatBeginsNothingStays) {
  EXPECT_EQ(PercentDecode("100%"), "100%");
  EXPECT_EQ(PercentDecode("%2"), "%2");
  EXPECT_EQ(PercentDecode("%zz%2x%20"), "%zz%2x ");
}

TEST(PercentEncoding, TheArenaIsLeftAloneWhereNothingChanges) {
  Arena arena;
  const std::string_view plain = "plain";
  EXPECT_EQ(PercentDecode(plain, arena).data(), plain.data());
  EXPECT_EQ(arena.bytes_reserved(), 0u);
  EXPECT_EQ(PercentDecode("a+b", arena), "a b");
}

TEST(PercentEncoding, OnlyUnreservedCharactersStay) {
  std::string out;
  PercentEncode(R"({"Version":"2012-10-17"}~_.-)", out);
  EXPECT_EQ(out, "%7B%22Version%22%3A%222012-10-17%22%7D~_.-");
  EXPECT_EQ(PercentDecode(out), R"({"Version":"2012-10-17"}~_.-)");
}

}  // namespace
}  // namespace armature
