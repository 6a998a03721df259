// The rough look at statements: tables, projected names, quoting.
#include "cli/shell/statements/statement_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::cli::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(StatementScan, TableOfEachVerb) {
  EXPECT_EQ(TableOf(R"(SELECT a FROM "My.Table"."idx" WHERE x = 1)"), "My.Table");
  EXPECT_EQ(TableOf("insert into Music value {'a': 1}"), "Music");
  EXPECT_EQ(TableOf("UPDATE Music SET a = 1"), "Music");
  EXPECT_EQ(TableOf("DELETE FROM \"a\"\"b\" WHERE x = 1"), "a\"b");
  EXPECT_EQ(TableOf("SELECT 'FROM x'"), "");
}

TEST(StatementScan, ReadsAreSelectAndExists) {
  EXPECT_TRUE(IsRead(" select * from t"));
  EXPECT_TRUE(IsRead("EXISTS(SELECT * FROM t)"));
  EXPECT_FALSE(IsRead("UPDATE t SET a = 1"));
  EXPECT_FALSE(IsRead(""));
}

TEST(StatementScan, ProjectedNamesAreLeaves) {
  EXPECT_THAT(ProjectedNames(R"(SELECT b, a.c, "d-e", l[0], m.l[1].x, m['k'] FROM t)"),
              ElementsAre("b", "c", "d-e", "l[0]", "x", "k"));
  EXPECT_THAT(ProjectedNames("SELECT * FROM t"), IsEmpty());
  EXPECT_THAT(ProjectedNames("SELECT size(a) FROM t"), IsEmpty());
  EXPECT_THAT(ProjectedNames("SELECT a"), IsEmpty());
}

TEST(StatementScan, NamesAreQuotedWhenTheyMust) {
  EXPECT_EQ(QuoteName("Artist"), "Artist");
  EXPECT_EQ(QuoteName("with-dash"), "\"with-dash\"");
  EXPECT_EQ(QuoteName("Value"), "\"Value\"");
  EXPECT_EQ(QuoteName("1st"), "\"1st\"");
  EXPECT_EQ(QuoteName("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(QuoteName(""), "\"\"");
}

TEST(StatementScan, TokensKnowWhetherTheyAreClosed) {
  const auto tokens = Tokenize("SELECT 'it''s' \"op");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[1].text, "it's");
  EXPECT_TRUE(tokens[1].is_closed);
  EXPECT_EQ(tokens[2].text, "op");
  EXPECT_FALSE(tokens[2].is_closed);
  EXPECT_EQ(tokens[2].end, 18u);
}

}  // namespace
}  // namespace armature::cli::shell
