#include "partiql/key_plan.h"

#include <string>

#include <gtest/gtest.h>

#include "expr/apply/evaluate.h"
#include "partiql/lower.h"
#include "partiql/parser.h"

namespace armature::partiql {
namespace {

class KeyPlanTest : public testing::Test {
 protected:
  KeyPlanTest() {
    keyspace_.prefix = "t";
    keyspace_.key.hash = {{"pk", model::Type::kS}};
    keyspace_.key.range = {{"sk", model::Type::kN}};
  }

  const expr::ConditionNode* Where(const std::string& condition) {
    auto parsed = Parse("SELECT * FROM t WHERE " + condition);
    EXPECT_TRUE(parsed) << condition;
    statements_.push_back(*parsed);
    auto lowered = LowerWhere(*statements_.back(), {}, arena_);
    EXPECT_TRUE(lowered) << condition;
    return *lowered;
  }
  ReadPlan Plan(const std::string& condition, bool is_table = true) {
    auto plan = PlanRead(Where(condition), keyspace_, is_table, arena_);
    EXPECT_TRUE(plan) << condition;
    return plan ? std::move(*plan) : ReadPlan{};
  }
  std::string Fault(const std::string& condition) {
    auto plan = PlanRead(Where(condition), keyspace_, true, arena_);
    return plan ? "no fault" : plan.error().message;
  }

  table::Keyspace keyspace_;
  Arena arena_;
  std::vector<StatementPtr> statements_;
};

TEST_F(KeyPlanTest, KindsOfReads) {
  using Kind = ReadPlan::Kind;
  EXPECT_EQ(Plan("pk = 'a' AND sk = 1").kind, Kind::kGet);
  EXPECT_EQ(Plan("sk = 1 AND 'a' = pk AND x = 2").kind, Kind::kGet);
  EXPECT_EQ(Plan("pk = 'a' AND sk = 1", /*is_table=*/false).kind, Kind::kQueries);
  EXPECT_EQ(Plan("pk = 'a'").kind, Kind::kQueries);
  EXPECT_EQ(Plan("pk IN ['a', 'b']").reads.size(), 2u);
  EXPECT_EQ(Plan("pk IN ['a', 'b'] AND sk IN [1, 2, 3]").reads.size(), 6u);
  EXPECT_EQ(Plan("(pk = 'a' OR pk = 'b') AND (sk < 1 OR sk > 1)").reads.size(), 4u);
  EXPECT_EQ(Plan("pk = 'a' AND (x = 1 OR y = 2)").reads.size(), 1u);
  for (const char* scan :
       {"x = 1", "pk > 'a'", "pk = 'a' OR x = 1", "NOT pk = 'a'", "pk <> 'a'", "pk = x", "pk = 'a' AND pk = 'b'",
        "pk = 'a' AND (pk = 'b' OR x = 1)", "begins_with(pk, 'a')", "size(pk) = 1", "pk.x = 'a'", "(pk = 'a') = true"})
    EXPECT_EQ(Plan(scan).kind, Kind::kScan) << scan;
}

TEST_F(KeyPlanTest, WhatRangesDoNotSeeToIsFiltered) {
  EXPECT_EQ(Plan("pk = 'a' AND sk = 1").filter, nullptr);
  EXPECT_EQ(Plan("pk = 'a' AND sk = 1 AND sk = 1 AND pk = 'a'").filter, nullptr);
  EXPECT_NE(Plan("pk = 'a' AND sk = 1 AND sk > 0").filter, nullptr);
  EXPECT_EQ(Plan("pk = 'a' AND sk > 0 AND sk < 9").reads[0].filter, nullptr);
  EXPECT_NE(Plan("pk = 'a' AND sk <> 0").reads[0].filter, nullptr);
  // Bounds that leave nothing over give an empty range, not everything.
  const ReadPlan plan = Plan("pk = 'a' AND sk > 5 AND sk < 3");
  EXPECT_LE(plan.reads[0].range.end, plan.reads[0].range.begin);
}

TEST_F(KeyPlanTest, OverlapsAndTypes) {
  const std::string overlap = "Overlapping conditions with range keys are not supported in where clause";
  EXPECT_EQ(Fault("pk IN ['a', 'a']"), overlap);
  EXPECT_EQ(Fault("pk = 'a' AND (sk > 1 OR sk < 5)"), overlap);
  EXPECT_EQ(Fault("pk = 'a' AND (sk > 1 OR sk < 1)"), "no fault");
  EXPECT_EQ(Fault("pk = 'a' AND sk > 1 OR pk = 'b' AND sk < 5"), "no fault");
  EXPECT_EQ(Plan("pk = 'a' AND NOT sk = 1 OR pk = 'a' AND sk = 2").reads.size(), 1u);
  EXPECT_EQ(Plan("pk = 1").mistyped_key, "pk");
  EXPECT_EQ(Plan("pk = 'a' AND sk BETWEEN 'a' AND 'b'").mistyped_key, "sk");
}

TEST_F(KeyPlanTest, ConditionsThatExplodeAreCountedNotExpanded) {
  std::string condition = "pk = 'a'";
  for (int i = 0; i < 30; ++i) condition += " AND (sk = 1 OR sk = 2)";
  EXPECT_EQ(Fault(condition), "Too many decomposed read operations for a given query.");
}

TEST_F(KeyPlanTest, TargetsOfWrites) {
  const auto target = [&](const std::string& condition, WriteForm form = WriteForm::kWrite) {
    return FindWriteTarget(Where(condition), keyspace_.key, form, arena_);
  };
  const auto plain = target("sk = 1 AND (pk = 'a' AND pk = 'a')");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->key.size(), 2u);
  EXPECT_EQ(plain->key[0].name, "pk");
  EXPECT_EQ(plain->condition, nullptr);
  EXPECT_NE(target("pk = 'a' AND sk = 1 AND x = 1")->condition, nullptr);
  EXPECT_FALSE(target("pk = 'a'"));
  EXPECT_FALSE(target("pk = 'a' AND sk = 1 OR x = 1"));
  EXPECT_EQ(target("pk = 'a' AND sk = 1 AND sk = 2").error().message,
            "Multiple conditions on same key sk. Only single item Update/Insert/Delete are supported");
  EXPECT_NE(target("pk = 'a' AND sk = 1 AND sk = 2", WriteForm::kExists)->condition, nullptr);
}

TEST_F(KeyPlanTest, TheShortWayToAKey) {
  const auto key = [&](const std::string& statement, Parameters parameters = {}) {
    auto parsed = Parse(statement);
    EXPECT_TRUE(parsed) << statement;
    statements_.push_back(*parsed);
    return KeyOfEqualities(*statements_.back(), parameters, keyspace_.key, arena_).size();
  };
  const model::Value text = model::Value::String("a");
  const model::Value* const parameters[] = {&text};
  EXPECT_EQ(key("SELECT * FROM t WHERE sk = 1 AND pk = 'a'"), 2u);
  EXPECT_EQ(key("DELETE FROM t WHERE 1 = sk AND pk = ?", parameters), 2u);
  for (const char* statement :
       {"SELECT * FROM t", "SELECT * FROM t WHERE pk = 'a'", "SELECT * FROM t WHERE pk = 'a' AND sk = '1'",
        "SELECT * FROM t WHERE pk = 'a' AND pk = 'a'", "SELECT * FROM t WHERE pk = 'a' AND sk = 1 AND x = 1",
        "SELECT * FROM t WHERE pk = 'a' OR sk = 1", "SELECT * FROM t WHERE pk = sk AND sk = 1"})
    EXPECT_EQ(key(statement), 0u) << statement;
}

}  // namespace
}  // namespace armature::partiql
