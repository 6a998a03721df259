#include "base/text/visible_text.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

using namespace std::string_literals;

TEST(VisibleTextTest, OrdinaryTextStaysAsItIs) {
  for (const std::string text : {"", "plain", "Grüße", "日本", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(VisibleText(text), text);
    EXPECT_EQ(WellFormedUtf8(text), text);
    EXPECT_TRUE(IsUtf8(text));
  }
}

TEST(VisibleTextTest, ALineStaysALine) {
  EXPECT_EQ(VisibleText("a\nb\r\0c\x1b[31m\x7f"s), "a\\x0ab\\x0d\\x00c\\x1b[31m\\x7f");
  EXPECT_EQ(WellFormedUtf8("a\nb"), "a\nb");  // JSON has its own way to say this
}

TEST(VisibleTextTest, BytesThatAreNoUtf8AreShownOrReplaced) {
  // A stray byte, a cut character, overlong, a surrogate, beyond Unicode.
  for (const std::string bad : {"\xff", "\xc3", "\xe2\x82", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80"}) {
    EXPECT_FALSE(IsUtf8(bad));
    EXPECT_TRUE(IsUtf8(VisibleText("x" + bad + "y")));
    EXPECT_TRUE(IsUtf8(WellFormedUtf8("x" + bad + "y")));
    EXPECT_TRUE(WellFormedUtf8(bad + "é").ends_with("é"));
  }
  EXPECT_EQ(VisibleText("eu\xffwest"), "eu\\xffwest");
  EXPECT_EQ(WellFormedUtf8("eu\xffwest"), "eu\xEF\xBF\xBDwest");
}

}  // namespace
}  // namespace armature
