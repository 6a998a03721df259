#include "wire/json/json_document.h"

#include <string>

#include <gtest/gtest.h>

namespace armature::wire {
namespace {

std::string Large(char fill) { return R"({"a":")" + std::string(400'000, fill) + R"(","b":"\u00e9nd"})"; }

std::string_view Text(const JsonDocument& document, std::string_view member) {
  return document.root()[member].get_string().value();
}

TEST(JsonDocumentTest, ALargeDocumentThatIsDecodedKeepsItsStringsAndLittleElse) {
  auto document = JsonDocument::Parse(Large('x'));
  ASSERT_TRUE(document);
  const std::string_view a = Text(*document, "a"), b = Text(*document, "b");
  EXPECT_GT(document->bytes_held(), 400'000u * 10);
  document->KeepStringsOnly();
  EXPECT_LT(document->bytes_held(), 400'000u * 3);
  // Others that parse meanwhile take none of its memory.
  for (int i = 0; i < 3; ++i) {
    auto other = JsonDocument::Parse(Large('y'));
    ASSERT_TRUE(other);
    EXPECT_EQ(Text(*other, "b"), "énd");
  }
  EXPECT_EQ(a, std::string(400'000, 'x'));
  EXPECT_EQ(b, "énd");
}

TEST(JsonDocumentTest, ASmallOneGoesBackToThePoolWhole) {
  for (int i = 0; i < 3; ++i) {
    auto document = JsonDocument::Parse(R"({"a":"b"})");
    ASSERT_TRUE(document);
    const size_t before = document->bytes_held();
    document->KeepStringsOnly();
    EXPECT_EQ(document->bytes_held(), before);
    EXPECT_EQ(Text(*document, "a"), "b") << "the root is still there: there was nothing to gain";
  }
}

}  // namespace
}  // namespace armature::wire
