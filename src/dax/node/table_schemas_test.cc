// What is known of tables, and when it is asked for again.
#include "dax/node/table_schemas.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace armature::dax {
namespace {

// Knows one table, by all names.
class DescribingBackend final : public Backend {
 public:
  Task<BackendReply> Call(std::string_view operation, std::string_view json, const Scope& scope) override {
    EXPECT_EQ(operation, "DescribeTable");
    EXPECT_NE(json.find("TableName"), std::string_view::npos);
    EXPECT_EQ(scope.account, "1");
    ++calls;
    if (is_gone) co_return BackendError{.name = "ResourceNotFoundException"};
    co_return fmt::format(
        R"({{"Table":{{"TableId":"{}","AttributeDefinitions":[{{"AttributeName":"{}","AttributeType":"S"}}],)"
        R"("KeySchema":[{{"AttributeName":"{}","KeyType":"HASH"}}]}}}})",
        table_id, key, key);
  }

  int calls = 0;
  bool is_gone = false;
  std::string table_id = "one", key = "pk";
};

class TableSchemasTest : public testing::Test {
 protected:
  // Its number; 0: it is not there.
  uint32_t Number() {
    const auto found = RunBlocking(schemas_.Get(kScope, "T"));
    return found ? (*found)->number : 0;
  }

  static constexpr Scope kScope{"1", "r"};
  DescribingBackend backend_;
  ManualClock clock_{1'000'000'000};
  TableSchemas schemas_{backend_, clock_};
};

TEST_F(TableSchemasTest, IsAskedOnceAMinute) {
  const uint32_t number = Number();
  EXPECT_NE(number, 0u);
  EXPECT_EQ(Number(), number);
  EXPECT_EQ(backend_.calls, 1);
  clock_.AdvanceMillis(TableSchemas::kKeptMillis);
  EXPECT_EQ(schemas_.Find(kScope, "T"), nullptr);
  EXPECT_EQ(schemas_.Known(kScope, "T")->number, number);
  EXPECT_EQ(Number(), number) << "it is the same table";
  EXPECT_EQ(backend_.calls, 2);
}

TEST_F(TableSchemasTest, ATableMadeAnewIsAnotherOne) {
  const uint32_t number = Number();
  clock_.AdvanceMillis(TableSchemas::kKeptMillis);
  backend_.table_id = "two";
  const uint32_t second = Number();
  EXPECT_NE(second, number);
  clock_.AdvanceMillis(TableSchemas::kKeptMillis);
  backend_.key = "other";
  EXPECT_NE(Number(), second);
}

TEST_F(TableSchemasTest, AMissingTableIsNotRemembered) {
  const uint32_t number = Number();
  clock_.AdvanceMillis(TableSchemas::kKeptMillis);
  backend_.is_gone = true;
  EXPECT_EQ(Number(), 0u);
  EXPECT_EQ(schemas_.Known(kScope, "T"), nullptr);
  backend_.is_gone = false;
  EXPECT_NE(Number(), number);
}

// A table beside one that is gone keeps its number, and so what is cached of it, and what is being written to it.
TEST_F(TableSchemasTest, WhatIsInDoubtIsAskedForAndMayBeTheSame) {
  const uint32_t number = Number();
  schemas_.Doubt(kScope, "T");
  schemas_.Doubt(kScope, "unheard of");
  EXPECT_EQ(schemas_.Find(kScope, "T"), nullptr);
  EXPECT_EQ(schemas_.Known(kScope, "T")->number, number) << "whoever writes to it tells the caches";
  EXPECT_EQ(Number(), number);
  EXPECT_EQ(backend_.calls, 2);
}

// Some of those that stand in for DynamoDB tell no id.
TEST_F(TableSchemasTest, WithoutAnIdNobodyCanTellThatItIsTheSame) {
  backend_.table_id = "";
  const uint32_t number = Number();
  schemas_.Doubt(kScope, "T");
  EXPECT_NE(Number(), number);
}

TEST_F(TableSchemasTest, WhatIsForgottenIsNeverFoundAgain) {
  const uint32_t number = Number();
  schemas_.Forget(kScope, "T");
  EXPECT_EQ(schemas_.Known(kScope, "T"), nullptr);
  EXPECT_NE(Number(), number);
}

TEST_F(TableSchemasTest, ScopesAreApart) {
  const uint32_t number = Number();
  const auto elsewhere = RunBlocking(schemas_.Get({"1", "s"}, "T"));
  ASSERT_TRUE(elsewhere);
  EXPECT_NE((*elsewhere)->number, number);
}

}  // namespace
}  // namespace armature::dax
