// What completion offers, by context.
#include "cli/shell/completion.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::cli::shell {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

class FixedNames : public NameSource {
 public:
  std::vector<std::string> Tables() override { return {"Music", "Movies", "my-table"}; }
  std::vector<std::string> Indexes(const std::string& table) override {
    return table == "Music" ? std::vector<std::string>{"by-album", "by_year"} : std::vector<std::string>{};
  }
  std::vector<std::string> Attributes(const std::string& table) override {
    if (table == "Music") return {"Album", "Artist", "Song", "order-no"};
    return table.empty() ? std::vector<std::string>{"Everything"} : std::vector<std::string>{};
  }
};

Completion At(std::string_view before, std::string_view after = "", std::string_view pending = "") {
  FixedNames names;
  return Complete(pending, before, after, names);
}

TEST(Completion, VerbsFirst) {
  EXPECT_EQ(At("sel").common, "select ");
  EXPECT_EQ(At("SEL").common, "SELECT ");
  EXPECT_THAT(At("").candidates, ElementsAre("DELETE", "INSERT", "SELECT", "UPDATE"));
}

TEST(Completion, TablesAfterFromIntoAndUpdate) {
  EXPECT_THAT(At("SELECT * FROM M").candidates, ElementsAre("Movies", "Music"));
  EXPECT_EQ(At("SELECT * FROM Mu").common, "Music ");
  EXPECT_EQ(At("SELECT * FROM Mu").begin, 14u);
  EXPECT_EQ(At("insert into \"my").common, "\"my-table\" ");
  EXPECT_EQ(At("UPDATE mov").common, "Movies ");
}

TEST(Completion, NamesThatNeedQuotesGetThem) {
  EXPECT_EQ(At("DELETE FROM my").common, "\"my-table\" ");
  EXPECT_EQ(At("DELETE FROM my-t").common, "\"my-table\" ");
  EXPECT_EQ(At("DELETE FROM my-t").begin, 12u);
  // Some of several need quotes: the common part begins with one.
  EXPECT_EQ(At("SELECT * FROM ").common, "\"");
}

TEST(Completion, IndexesAfterATableAndADot) {
  EXPECT_THAT(At("SELECT * FROM \"Music\".\"by").candidates, ElementsAre("\"by-album\"", "\"by_year\""));
  EXPECT_THAT(At("SELECT * FROM Music.").candidates, ElementsAre("\"by-album\"", "by_year"));
  EXPECT_EQ(At("SELECT * FROM Music.by").common, "\"by");
}

TEST(Completion, AttributesOfTheTableInTheStatement) {
  EXPECT_EQ(At("SELECT * FROM Music WHERE Al").candidates, (std::vector<std::string>{"Album", "ALL"}));
  EXPECT_EQ(At("SELECT * FROM Music WHERE \"Al").common, "\"Album\" ");
  EXPECT_EQ(At("SELECT So", " FROM Music").common, "Song ");
  EXPECT_EQ(At("WHERE Arti", "", "SELECT * FROM Music").common, "Artist ");
  EXPECT_EQ(At("UPDATE Music SET ord").candidates, (std::vector<std::string>{"\"order-no\"", "order"}));
  EXPECT_EQ(At("SELECT Every").common, "Everything ");
}

TEST(Completion, KeywordsAndFunctions) {
  EXPECT_EQ(At("SELECT * FROM Music WHERE begins").common, "begins_with(");
  EXPECT_THAT(At("SELECT * FROM Music w").candidates, ElementsAre("where"));
  EXPECT_THAT(At("SELECT * FROM Music ").candidates, IsSupersetOf({"WHERE", "ORDER", "Album"}));
}

TEST(Completion, StringsAreLeftAloneExceptNamesInAnInsert) {
  EXPECT_THAT(At("SELECT * FROM Music WHERE a = 'Al").candidates, IsEmpty());
  EXPECT_EQ(At("INSERT INTO Music VALUE {'Art").common, "'Artist' ");
  EXPECT_EQ(At("INSERT INTO Music VALUE {'Artist': 'x', 'So").common, "'Song' ");
  EXPECT_THAT(At("INSERT INTO Music VALUE {'Artist': 'Al").candidates, IsEmpty());
}

TEST(Completion, CommandsAndTheirArguments) {
  EXPECT_EQ(At("\\tim").common, "\\timing ");
  EXPECT_THAT(At("\\").candidates, Contains("\\d"));
  EXPECT_THAT(At("\\d M").candidates, ElementsAre("Music", "Movies"));
  EXPECT_EQ(At("\\d my").common, "my-table");
  EXPECT_EQ(At("\\o ver").common, "vertical");
  EXPECT_THAT(At("\\d", "", "SELECT").candidates, Not(Contains("\\d")));
}

TEST(Completion, HelpNamesEveryCommandOnce) {
  std::set<std::string_view> names;
  for (const CommandHelp& command : Commands()) EXPECT_TRUE(names.insert(command.name).second) << command.name;
}

}  // namespace
}  // namespace armature::cli::shell
