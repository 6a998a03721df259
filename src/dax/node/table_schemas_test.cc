#include "dax/node/table_schemas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/executor_testing.h"
#include "dax/node/testing/fake_backend.h"

namespace armature::dax {
namespace {

using testing::StartsWith;

constexpr Scope kScope{"111122223333", "us-east-1"};

class TableSchemasTest : public testing::Test {
 protected:
  // Its keys and number, or the error's name.
  std::string Get(std::string_view table, const Scope& scope = kScope) {
    auto schema = RunBlocking(schemas.Get(scope, table));
    return schema ? TextOf(**schema) : schema.error().name;
  }
  static Task<void> Ask(TableSchemas& schemas, std::string& text) {
    const auto schema = co_await schemas.Get(kScope, "Ids");
    text = TextOf(**schema);
  }
  static std::string TextOf(const TableSchema& schema) {
    std::string text = schema.name;
    for (const KeyPart& part : schema.parts) text += fmt::format(" {}:{}", part.name, model::TypeName(part.type));
    return text + fmt::format(" {}", schema.number);
  }

  ManualClock clock;
  FakeBackend backend;
  TableSchemas schemas{backend, clock};
};

TEST_F(TableSchemasTest, AreAskedForOnceInAWhile) {
  EXPECT_EQ(schemas.Find(kScope, "Music"), nullptr);
  EXPECT_EQ(Get("Music"), "Music Artist:S Song:S 1");
  EXPECT_EQ(Get("Ids"), "Ids id:N 2");
  clock.AdvanceMillis(TableSchemas::kKeptMillis - 1);
  EXPECT_EQ(Get("Music"), "Music Artist:S Song:S 1");
  ASSERT_NE(schemas.Find(kScope, "Music"), nullptr);
  EXPECT_EQ(backend.calls("DescribeTable"), 2u);
  clock.AdvanceMillis(1);
  EXPECT_EQ(schemas.Find(kScope, "Music"), nullptr);
  ASSERT_NE(schemas.Known(kScope, "Music"), nullptr);
  EXPECT_EQ(Get("Music"), "Music Artist:S Song:S 1") << "it is the same table";
  EXPECT_EQ(backend.calls("DescribeTable"), 3u);
}

TEST_F(TableSchemasTest, OneMadeAnewIsAnother) {
  EXPECT_EQ(Get("Ids"), "Ids id:N 1");
  backend.SetTable("Ids", TableJson("other", {"id:N"}));
  clock.AdvanceMillis(TableSchemas::kKeptMillis);
  EXPECT_EQ(Get("Ids"), "Ids id:N 2");
  backend.SetTable("Ids", TableJson("other", {"id:S"}));
  clock.AdvanceMillis(TableSchemas::kKeptMillis);
  EXPECT_EQ(Get("Ids"), "Ids id:S 3") << "an endpoint may give no ids";
  backend.SetTable("Ids", ErrorNamed("ResourceNotFoundException"));
  clock.AdvanceMillis(TableSchemas::kKeptMillis);
  EXPECT_EQ(Get("Ids"), "ResourceNotFoundException");
  EXPECT_EQ(schemas.Known(kScope, "Ids"), nullptr);
  backend.SetTable("Ids", TableJson("other", {"id:S"}));
  EXPECT_EQ(Get("Ids"), "Ids id:S 4");
}

TEST_F(TableSchemasTest, WhatIsForgottenIsAskedForAgainAndHasAnotherNumber) {
  EXPECT_EQ(Get("Ids"), "Ids id:N 1");
  EXPECT_EQ(Get("Music"), "Music Artist:S Song:S 2");
  schemas.Forget(kScope, "Ids");
  schemas.Forget(kScope, "None");
  EXPECT_EQ(schemas.Find(kScope, "Ids"), nullptr);
  EXPECT_EQ(schemas.Known(kScope, "Ids"), nullptr);
  EXPECT_EQ(Get("Ids"), "Ids id:N 3");
  EXPECT_EQ(Get("Music"), "Music Artist:S Song:S 2");
}

TEST_F(TableSchemasTest, OtherFailuresLeaveWhatIsKnown) {
  EXPECT_EQ(Get("Ids"), "Ids id:N 1");
  clock.AdvanceMillis(TableSchemas::kKeptMillis);
  backend.AnswerOnce("DescribeTable", ErrorNamed("ThrottlingException"));
  EXPECT_EQ(Get("Ids"), "ThrottlingException");
  EXPECT_EQ(Get("Ids"), "Ids id:N 1");
}

TEST_F(TableSchemasTest, AccountsAndRegionsHaveTablesOfTheirOwn) {
  EXPECT_EQ(Get("Ids"), "Ids id:N 1");
  EXPECT_EQ(Get("Ids", {"111122223333", "eu-west-1"}), "Ids id:N 2");
  EXPECT_EQ(Get("Ids", {"444455556666", "us-east-1"}), "Ids id:N 3");
  EXPECT_EQ(backend.last_scope(), "444455556666/us-east-1");
  EXPECT_EQ(Get("Ids"), "Ids id:N 1");
}

TEST_F(TableSchemasTest, DescriptionsThatAreNone) {
  for (const char* json : {"", "{}", R"({"Table":{}})", R"({"Table":{"KeySchema":[],"AttributeDefinitions":[]}})",
                           R"({"Table":{"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}})",
                           R"({"Table":{"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
                           R"("AttributeDefinitions":[{"AttributeName":"b","AttributeType":"S"}]}})",
                           R"({"Table":{"KeySchema":7,"AttributeDefinitions":[]}})"}) {
    backend.SetTable("Odd", BackendReply(json));
    EXPECT_EQ(Get("Odd"), "InternalServerError") << json;
  }
  backend.SetTable("Odd", TableJson("o", {"a:S", "b:N", "c:B"}));
  EXPECT_EQ(Get("Odd"), "InternalServerError");
  backend.SetTable("Odd", TableJson("o", {"a:S", "b:B"}));
  EXPECT_THAT(Get("Odd"), StartsWith("Odd a:S b:B"));
}

TEST_F(TableSchemasTest, ThePartitionKeyIsTheFirstWhereverItStands) {
  backend.SetTable("Odd", BackendReply(R"({"Table":{"KeySchema":[{"AttributeName":"s","KeyType":"RANGE"},)"
                                       R"({"AttributeName":"p","KeyType":"HASH"}],"AttributeDefinitions":[)"
                                       R"({"AttributeName":"s","AttributeType":"N"},)"
                                       R"({"AttributeName":"p","AttributeType":"B"}]}})"));
  EXPECT_EQ(Get("Odd"), "Odd p:B s:N 1");
}

// Of two questions that overlap the one that was asked later knows better, whichever is answered first.
TEST_F(TableSchemasTest, ALateAnswerDoesNotReplaceANewerOne) {
  StepExecutor executor;
  backend.Hold("DescribeTable");
  std::string early, late;
  executor.Start(Ask(schemas, early));
  clock.AdvanceMillis(10);
  backend.SetTable("Ids", TableJson("other", {"id:S"}));
  executor.Start(Ask(schemas, late));
  ASSERT_EQ(backend.calls("DescribeTable"), 2u);
  backend.LetGoLast("DescribeTable");
  executor.RunQueued();
  EXPECT_EQ(late, "Ids id:S 1");
  backend.LetGo("DescribeTable");
  executor.RunQueued();
  EXPECT_EQ(early, "Ids id:S 1");
  EXPECT_EQ(Get("Ids"), "Ids id:S 1");
}

TEST_F(TableSchemasTest, AreBounded) {
  backend.SetScript("DescribeTable", [](std::string_view) { return BackendReply(TableJson("x", {"id:N"})); });
  const size_t many = TableSchemas::kMostTables + 100;
  for (size_t i = 0; i < many; ++i) Get(fmt::format("table{}", i));
  size_t known = 0;
  for (size_t i = 0; i < many; ++i) known += schemas.Known(kScope, fmt::format("table{}", i)) != nullptr ? 1 : 0;
  EXPECT_EQ(known, TableSchemas::kMostTables);
}

}  // namespace
}  // namespace armature::dax
