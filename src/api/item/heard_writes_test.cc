// Whatever operation writes, who listens to writes hears of it: caches beside the tables stand on that.
#include <gmock/gmock.h>

#include "api/api_testing.h"
#include "table/write/write_listener.h"

namespace armature::api {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

class HeardWritesTest : public ApiFixture {
 protected:
  HeardWritesTest() {
    CreateSimpleTable();
    writes_.SetListener(&listener_);
  }
  std::vector<std::string> HeardOf(std::string_view operation, std::string_view json) {
    listener_.heard.clear();
    MustCall(operation, json);
    return listener_.heard;
  }

  struct Listener final : table::WriteListener {
    void OnWritten(const table::Table&, model::Item key) noexcept override { heard.emplace_back(key[0].value.str()); }
    std::vector<std::string> heard;
  } listener_;
};

TEST_F(HeardWritesTest, OfItems) {
  EXPECT_THAT(HeardOf("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"n":{"N":"1"}}})"),
              UnorderedElementsAre("a"));
  EXPECT_THAT(HeardOf("UpdateItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"REMOVE n"})"),
              UnorderedElementsAre("a"));
  EXPECT_THAT(HeardOf("DeleteItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})"), UnorderedElementsAre("a"));
}

TEST_F(HeardWritesTest, OfBatches) {
  const auto heard = HeardOf("BatchWriteItem", R"({"RequestItems":{"Tbl":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},)"
                                               R"({"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}})");
  EXPECT_THAT(heard, UnorderedElementsAre("a", "b"));
}

TEST_F(HeardWritesTest, OfTransactions) {
  constexpr std::string_view kRequest =
      R"({"TransactItems":[{"Put":{"TableName":"Tbl","Item":{"pk":{"S":"a"}}}},)"
      R"({"Update":{"TableName":"Tbl","Key":{"pk":{"S":"b"}},"UpdateExpression":"REMOVE n"}},)"
      R"({"Delete":{"TableName":"Tbl","Key":{"pk":{"S":"c"}}}},)"
      R"({"ConditionCheck":{"TableName":"Tbl","Key":{"pk":{"S":"d"}},"ConditionExpression":"NOT pk = n"}}]})";
  EXPECT_THAT(HeardOf("TransactWriteItems", kRequest), UnorderedElementsAre("a", "b", "c"));
}

TEST_F(HeardWritesTest, OfStatements) {
  EXPECT_THAT(HeardOf("ExecuteStatement", R"({"Statement":"INSERT INTO Tbl VALUE {'pk':'a'}"})"),
              UnorderedElementsAre("a"));
  EXPECT_THAT(HeardOf("ExecuteStatement", R"({"Statement":"UPDATE Tbl SET n=1 WHERE pk='a'"})"),
              UnorderedElementsAre("a"));
  EXPECT_THAT(HeardOf("BatchExecuteStatement", R"({"Statements":[{"Statement":"DELETE FROM Tbl WHERE pk='a'"},)"
                                               R"({"Statement":"INSERT INTO Tbl VALUE {'pk':'b'}"}]})"),
              UnorderedElementsAre("a", "b"));
  EXPECT_THAT(HeardOf("ExecuteTransaction", R"({"TransactStatements":[{"Statement":"DELETE FROM Tbl WHERE pk='b'"},)"
                                            R"({"Statement":"INSERT INTO Tbl VALUE {'pk':'c'}"}]})"),
              UnorderedElementsAre("b", "c"));
}

TEST_F(HeardWritesTest, NotOfReads) {
  EXPECT_THAT(HeardOf("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})"), IsEmpty());
  EXPECT_THAT(HeardOf("Scan", R"({"TableName":"Tbl"})"), IsEmpty());
  EXPECT_THAT(HeardOf("TransactGetItems", R"({"TransactItems":[{"Get":{"TableName":"Tbl","Key":{"pk":{"S":"a"}}}}]})"),
              IsEmpty());
  EXPECT_THAT(HeardOf("ExecuteStatement", R"({"Statement":"SELECT * FROM Tbl WHERE pk='a'"})"), IsEmpty());
}

}  // namespace
}  // namespace armature::api
