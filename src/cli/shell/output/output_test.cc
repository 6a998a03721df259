// Rows as a user sees them: alignment, widths, NULL and MISSING, cutting and wrapping.
#include "cli/shell/output/output.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/shell/output/text_width.h"

namespace armature::cli::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Row> Rows(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::array array;
  EXPECT_EQ(parser.parse(json).get(array), simdjson::SUCCESS);
  std::vector<Row> rows;
  for (const auto item : array) rows.push_back(std::move(*ReadRow(item)));
  return rows;
}

std::string Table(const std::string& json, const Style& style = {}, const std::vector<std::string>& first = {}) {
  const auto rows = Rows(json);
  return RenderTable(rows, ColumnsOf(rows, first), style);
}

constexpr const char* kTwo = R"([
  {"Song": {"S": "Jóga"}, "Artist": {"S": "Björk"}, "Plays": {"N": "7"}, "Gone": {"NULL": true}},
  {"Song": {"S": "夜"}, "Artist": {"S": "x"}, "Plays": {"N": "12345"}}])";

TEST(RenderTable, AlignsByWidthAndNumbersToTheRight) {
  EXPECT_EQ(Table(kTwo, {}, {"Artist", "Song"}),
            " Artist | Song | Gone | Plays\n"
            "--------+------+------+-------\n"
            " Björk  | Jóga | NULL |     7\n"
            " x      | 夜   | ·    | 12345\n");
}

TEST(RenderTable, DrawsLinesAndColours) {
  const std::string text = Table(kTwo, {.width = 0, .has_colour = true, .has_boxes = true});
  EXPECT_THAT(text, HasSubstr("────────┼──────"));
  EXPECT_THAT(text, HasSubstr("\x1b[2mNULL\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[1mArtist\x1b[0m"));
}

TEST(RenderTable, CutsTheWidestColumnsToTheScreen) {
  const std::string text = Table(R"([{"id": {"N": "1"}, "t": {"S": "abcdefghijklmnopqrstuvwxyz"}}])", {.width = 20});
  EXPECT_EQ(text,
            " id | t\n"
            "----+---------------\n"
            "  1 | abcdefghijkl…\n");
  for (size_t width = 20; width < 60; ++width) {
    const std::string cut = Table(kTwo, {.width = width});
    for (size_t start = 0; start < cut.size();) {
      const size_t end = cut.find('\n', start);
      EXPECT_LE(TextWidth(std::string_view(cut).substr(start, end - start)), width) << cut;
      start = end + 1;
    }
  }
}

TEST(RenderTable, TooManyColumnsAreShownVertically) {
  std::string json = "[{";
  for (int i = 10; i < 40; ++i) json += fmt::format(R"({}"a{}": {{"S": "some long value"}})", i == 10 ? "" : ",", i);
  EXPECT_THAT(Table(json + "}]", {.width = 60}), HasSubstr("a39 | 'some long value'\n"));
}

TEST(RenderTable, ValuesCannotDriveTheTerminal) {
  EXPECT_THAT(Table(R"([{"a": {"S": "x\u001b[2Jy\nz\u009b"}}])"), HasSubstr("x\\x1b[2Jy\\nz\\x9b\n"));
}

TEST(RenderTable, MixedColumnsAlignLeft) {
  EXPECT_EQ(Table(R"([{"a": {"N": "1"}}, {"a": {"S": "two"}}])"), " a\n-----\n 1\n two\n");
}

TEST(RenderVertical, OneAttributePerLineWithoutTheMissing) {
  const auto rows = Rows(kTwo);
  EXPECT_EQ(RenderVertical(rows, ColumnsOf(rows, {"Artist"}), {}),
            "-- row 1 --------\n"
            "Artist | 'Björk'\n"
            "Gone   | NULL\n"
            "Plays  | 7\n"
            "Song   | 'Jóga'\n"
            "-- row 2 --------\n"
            "Artist | 'x'\n"
            "Plays  | 12345\n"
            "Song   | '夜'\n");
}

TEST(RenderVertical, LongValuesWrap) {
  const auto rows = Rows(R"([{"a": {"S": "0123456789012345678901234567890123456789"}}])");
  EXPECT_EQ(RenderVertical(rows, {"a"}, {.width = 24}, 7),
            "-- row 7 ---\n"
            "a | '0123456789012345678\n"
            "  | 90123456789012345678\n"
            "  | 9'\n");
}

TEST(RenderJson, PlainAndOnePerLine) {
  EXPECT_EQ(RenderJson(Rows(R"([{"n": {"N": "1.50"}, "s": {"S": "q\"\n"}, "b": {"B": "AQID"}, "t": {"BOOL": true}},
                                {"l": {"L": [{"NULL": true}, {"M": {"k": {"NS": ["1", "2"]}}}]}}])")),
            "{\"n\":1.50,\"s\":\"q\\\"\\n\",\"b\":\"AQID\",\"t\":true}\n"
            "{\"l\":[null,{\"k\":[1,2]}]}\n");
}

TEST(ToLiteral, EveryType) {
  const auto rows = Rows(R"([{"v": {"L": [{"S": "it's"}, {"N": "1"}, {"B": "AQID"}, {"BOOL": false}, {"NULL": true},
    {"SS": ["a", "b"]}, {"NS": ["1"]}, {"BS": ["AQ=="]}, {"M": {"k": {"L": []}}}]}}])");
  EXPECT_EQ(ToLiteral(rows[0][0].value),
            "['it''s', 1, {{AQID}}, false, NULL, <<'a', 'b'>>, <<1>>, <<{{AQ==}}>>, {'k': []}]");
}

TEST(ReadValue, RefusesWhatIsNotDynamoDbs) {
  simdjson::dom::parser parser;
  for (const char* json : {R"({"X": "1"})", R"({"S": 1})", R"({"S": "a", "N": "1"})", R"([])", R"({"SS": [1]})"}) {
    EXPECT_FALSE(ReadValue(parser.parse(std::string(json)).value())) << json;
  }
}

TEST(ColumnsOf, GivenOnesFirstThenByName) {
  EXPECT_THAT(
      ColumnsOf(Rows(R"([{"b": {"N": "1"}}, {"c": {"N": "1"}, "a": {"N": "1"}, "k": {"N": "1"}}])"), {"k", "none"}),
      ElementsAre("k", "a", "b", "c"));
}

TEST(TextWidth, CountsColumns) {
  EXPECT_EQ(TextWidth("abc"), 3u);
  EXPECT_EQ(TextWidth("日本"), 4u);
  EXPECT_EQ(TextWidth("e\xCC\x81"), 1u);  // e and a combining accent
  EXPECT_EQ(TextWidth("🐎"), 2u);
  EXPECT_EQ(TextWidth("\xff\xfe"), 2u);
}

TEST(TextWidth, CutsAndWrapsBetweenCharacters) {
  EXPECT_EQ(CutToWidth("日本語", 6), "日本語");
  EXPECT_EQ(CutToWidth("日本語", 5), "日本…");
  EXPECT_EQ(CutToWidth("日本語", 4), "日…");
  EXPECT_EQ(CutToWidth("abc", 0), "");
  EXPECT_THAT(WrapToWidth("日本語ab", 5), ElementsAre("日本", "語ab"));
  EXPECT_THAT(WrapToWidth("", 5), ElementsAre(""));
  EXPECT_THAT(WrapToWidth("日", 1), ElementsAre("日"));
}

}  // namespace
}  // namespace armature::cli::shell
