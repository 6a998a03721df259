#include "policy/document/statement_positions.h"

#include <gtest/gtest.h>

namespace armature::policy {
namespace {

TEST(StatementPositions, OfAListAndOfOne) {
  const auto list = StatementPositions(
      "{\n"
      "  \"Version\": \"2012-10-17\",\n"
      "  \"Statement\": [\n"
      "    {\"Sid\": \"A}\\\"{\", \"Condition\": {\"Bool\": {}}},\n"
      "    {\n"
      "    }\n"
      "  ],\n"
      "  \"Id\": \"Statement\"\n"
      "}\n");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].begin, (TextPosition{4, 5}));
  EXPECT_EQ(list[0].end, (TextPosition{4, 48}));
  EXPECT_EQ(list[1].begin, (TextPosition{5, 5}));
  EXPECT_EQ(list[1].end, (TextPosition{6, 6}));
  const auto one = StatementPositions(R"({"Statement":{"Action":["a"]},"Id":"x"})");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].begin, (TextPosition{1, 14}));
  EXPECT_EQ(one[0].end, (TextPosition{1, 30}));
}

TEST(StatementPositions, BrokenTextsDoNoHarm) {
  for (const char* text : {"", "{", "\"", "\"\\", "{\"Statement\":[{", "]]]}}}", "{\"Statement\":{\"a\":\"\\"})
    (void)StatementPositions(text);
}

}  // namespace
}  // namespace armature::policy
