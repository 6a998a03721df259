// Where statements end: quotes, comments, several on a line, commands.
#include "cli/shell/statements/statement_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::cli::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Input> Split(std::initializer_list<std::string_view> lines, StatementSplitter* splitter = nullptr) {
  StatementSplitter own;
  if (splitter == nullptr) splitter = &own;
  std::vector<Input> inputs;
  for (const auto line : lines) splitter->Feed(line, inputs);
  return inputs;
}

std::vector<std::string> Texts(const std::vector<Input>& inputs) {
  std::vector<std::string> texts;
  for (const Input& input : inputs) texts.push_back(input.text);
  return texts;
}

TEST(StatementSplitter, SeveralOnALineAndOneOnSeveral) {
  EXPECT_THAT(Texts(Split({"SELECT 1; SELECT 2 ;;  ", "SELECT", "  3", ";"})),
              ElementsAre("SELECT 1", "SELECT 2", "SELECT\n  3"));
}

TEST(StatementSplitter, SemicolonsInQuotesDoNotEnd) {
  EXPECT_THAT(Texts(Split({R"(SELECT * FROM "a;b" WHERE c = 'x;''y;' ;)"})),
              ElementsAre(R"(SELECT * FROM "a;b" WHERE c = 'x;''y;')"));
}

TEST(StatementSplitter, AStringMaySpanLines) {
  StatementSplitter splitter;
  EXPECT_THAT(Split({"SELECT 'a;"}, &splitter), IsEmpty());
  EXPECT_EQ(splitter.state(), StatementSplitter::State::kString);
  EXPECT_THAT(Texts(Split({"b';"}, &splitter)), ElementsAre("SELECT 'a;\nb'"));
  EXPECT_EQ(splitter.state(), StatementSplitter::State::kBlank);
}

TEST(StatementSplitter, CommentsBecomeSpacesInPlace) {
  EXPECT_THAT(Texts(Split({"-- nothing; here", "/* nor; */ SELECT /* 'a; */ * -- no; end", "FROM t; -- end"})),
              ElementsAre("SELECT           * \nFROM t"));
  EXPECT_THAT(Texts(Split({"SELECT '--no', '/*' FROM t;"})), ElementsAre("SELECT '--no', '/*' FROM t"));
}

TEST(StatementSplitter, ABlockCommentMaySpanLines) {
  StatementSplitter splitter;
  EXPECT_THAT(Split({"/* one;", "two;"}, &splitter), IsEmpty());
  EXPECT_EQ(splitter.state(), StatementSplitter::State::kComment);
  const auto inputs = Split({"*/ SELECT 1;"}, &splitter);
  EXPECT_THAT(Texts(inputs), ElementsAre("SELECT 1"));
  EXPECT_EQ(inputs[0].line, 3u);
}

TEST(StatementSplitter, CommandsAreLinesOfTheirOwn) {
  const auto inputs = Split({"  \\d Music ", "SELECT 1", "\\d;", "\\o json"});
  EXPECT_THAT(Texts(inputs), ElementsAre("\\d Music", "SELECT 1\n\\d", "\\o json"));
  EXPECT_EQ(inputs[0].kind, Input::Kind::kCommand);
  EXPECT_EQ(inputs[1].kind, Input::Kind::kStatement);
  EXPECT_EQ(inputs[2].line, 4u);
}

TEST(StatementSplitter, BackslashGEndsAndAsksForVertical) {
  const auto inputs = Split({"SELECT 1 \\G SELECT 2;"});
  EXPECT_THAT(Texts(inputs), ElementsAre("SELECT 1", "SELECT 2"));
  EXPECT_TRUE(inputs[0].is_vertical);
  EXPECT_FALSE(inputs[1].is_vertical);
}

TEST(StatementSplitter, TheEndFinishesWhatIsOpen) {
  StatementSplitter splitter;
  Split({"", "SELECT 1"}, &splitter);
  const auto rest = splitter.Finish();
  ASSERT_TRUE(rest.has_value());
  EXPECT_EQ(rest->text, "SELECT 1");
  EXPECT_EQ(rest->line, 2u);
  EXPECT_FALSE(splitter.Finish().has_value());
}

TEST(StatementSplitter, ClearForgets) {
  StatementSplitter splitter;
  Split({"SELECT '"}, &splitter);
  splitter.Clear();
  EXPECT_THAT(Texts(Split({"SELECT 2;"}, &splitter)), ElementsAre("SELECT 2"));
}

TEST(OnOneLine, FoldsBlanksOutsideOfQuotes) {
  EXPECT_EQ(OnOneLine("SELECT  *\n\tFROM t WHERE a = 'x  y'\n"), "SELECT * FROM t WHERE a = 'x  y'");
}

}  // namespace
}  // namespace armature::cli::shell
