// Whatever a request does, the meters of the partitions have exactly what its reply says.
#include "api/reply_cost.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "api/api_testing.h"

namespace armature::api {
namespace {

class ReplyCostTest : public ApiFixture {
 protected:
  ReplyCostTest() {
    MustCall("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},
        {"AttributeName":"g","AttributeType":"S"},{"AttributeName":"l","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
      "GlobalSecondaryIndexes":[{"IndexName":"OnG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],
        "Projection":{"ProjectionType":"ALL"}}],
      "LocalSecondaryIndexes":[{"IndexName":"OnL","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
        {"AttributeName":"l","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}]})");
    // Items in more than one partition.
    simdjson::dom::parser parser;
    const simdjson::dom::element listed = parser.parse(MustCall("ListPartitions", R"({"TableName":"Tbl"})"));
    const int64_t id = listed["Partitions"].at(0)["PartitionId"];
    MustCall("SplitPartition", fmt::format(R"({{"TableName":"Tbl","PartitionId":{}}})", id));
    Counted();
  }

  struct Units {
    double table = 0;
    double index = 0;  // of OnG; what is OnL's is the table's
    bool operator==(const Units&) const = default;
    friend void PrintTo(const Units& units, std::ostream* out) { *out << units.table << " + " << units.index; }
  };

  // What the meters have more than at the last call, of reads and writes together.
  Units Counted() {
    simdjson::dom::parser parser;
    const simdjson::dom::element listed = parser.parse(MustCall("ListPartitions", R"({"TableName":"Tbl"})"));
    const auto sum = [](simdjson::dom::element partitions) {
      double units = 0;
      for (const simdjson::dom::element one : partitions) {
        units += double(one["ReadUnits"]) + double(one["WriteUnits"]);
        EXPECT_EQ(double(one["BackgroundWriteUnits"]), 0);
      }
      return units;
    };
    const Units now{sum(listed["Partitions"]), sum(listed["GlobalSecondaryIndexes"].at(0)["Partitions"])};
    const Units counted{now.table - before_.table, now.index - before_.index};
    before_ = now;
    return counted;
  }

  static void AddTold(simdjson::dom::element consumed, Units& told) {
    told.table += double(consumed["Table"]["CapacityUnits"]);
    simdjson::dom::element units;
    if (consumed["LocalSecondaryIndexes"]["OnL"]["CapacityUnits"].get(units) == simdjson::SUCCESS)
      told.table += double(units);
    if (consumed["GlobalSecondaryIndexes"]["OnG"]["CapacityUnits"].get(units) == simdjson::SUCCESS)
      told.index += double(units);
  }
  static Units Told(const std::string& body) {
    Units told;
    simdjson::dom::parser parser;
    const simdjson::dom::element consumed = simdjson::dom::element(parser.parse(body))["ConsumedCapacity"];
    if (!consumed.is_array()) {
      AddTold(consumed, told);
      return told;
    }
    for (const simdjson::dom::element of_table : consumed.get_array()) AddTold(of_table, told);
    return told;
  }

  // `members` of a request that must succeed, and whose reply must be what was counted.
  Units Check(std::string_view operation, const std::string& members) {
    const std::string body = MustCall(operation, "{" + members + R"(,"ReturnConsumedCapacity":"INDEXES"})");
    const Units told = Told(body), counted = Counted();
    EXPECT_EQ(counted, told) << operation << " " << members << "\n" << body;
    return told;
  }
  static std::string Item(int i, size_t size = 10) {
    return fmt::format(
        R"({{"pk":{{"S":"k{0}"}},"sk":{{"S":"s"}},"g":{{"S":"g{1}"}},"l":{{"S":"l"}},"b":{{"S":"{2}"}}}})", i, i % 2,
        std::string(size, 'x'));
  }
  static std::string Key(int i) { return fmt::format(R"({{"pk":{{"S":"k{}"}},"sk":{{"S":"s"}}}})", i); }
  void Fill(int count, size_t size = 3000) {
    for (int i = 0; i < count; ++i) MustCall("PutItem", R"({"TableName":"Tbl","Item":)" + Item(i, size) + "}");
    Counted();
  }

  Units before_;
};

TEST_F(ReplyCostTest, SingleItems) {
  EXPECT_EQ(Check("PutItem", R"("TableName":"Tbl","Item":)" + Item(1, 3000)), (Units{4, 3}));
  EXPECT_EQ(Check("UpdateItem", R"("TableName":"Tbl","UpdateExpression":"SET g = :g",)"
                                R"("ExpressionAttributeValues":{":g":{"S":"other"}},"Key":)" +
                                    Key(1)),
            (Units{3, 6}));
  EXPECT_EQ(Check("GetItem", R"("TableName":"Tbl","Key":)" + Key(1)), (Units{0.5, 0}));
  EXPECT_EQ(Check("GetItem", R"("TableName":"Tbl","ConsistentRead":true,"Key":)" + Key(2)), (Units{1, 0}));
  EXPECT_EQ(Check("DeleteItem", R"("TableName":"Tbl","Key":)" + Key(1)), (Units{4, 3}));
}

TEST_F(ReplyCostTest, AFailedConditionIsCountedToo) {
  Fill(2);
  MustFail("PutItem",
           R"j({"TableName":"Tbl","ConditionExpression":"attribute_not_exists(pk)","Item":)j" + Item(1) + "}");
  EXPECT_EQ(Counted(), (Units{3, 0}));
  EXPECT_EQ(Check("BatchExecuteStatement", R"("Statements":[
      {"Statement":"UPDATE Tbl SET n = 1 WHERE pk = 'k1' AND sk = 's' AND g = 'none'"},
      {"Statement":"DELETE FROM Tbl WHERE pk = 'k0' AND sk = 's'"}])"),
            (Units{3 + 3 + 1, 3}));
}

TEST_F(ReplyCostTest, Batches) {
  EXPECT_EQ(Check("BatchWriteItem", R"("RequestItems":{"Tbl":[{"PutRequest":{"Item":)" + Item(1, 3000) +
                                        R"(}},{"PutRequest":{"Item":)" + Item(2) + R"(}},{"DeleteRequest":{"Key":)" +
                                        Key(3) + "}}]}"),
            (Units{3 + 1 + 1 + 1 + 1, 3 + 1}));
  EXPECT_EQ(Check("BatchGetItem", R"("RequestItems":{"Tbl":{"Keys":[)" + Key(1) + "," + Key(2) + "," + Key(3) + "]}}"),
            (Units{1.5, 0}));
  EXPECT_EQ(Check("BatchExecuteStatement", R"("Statements":[
      {"Statement":"SELECT * FROM Tbl WHERE pk = 'k1' AND sk = 's'","ConsistentRead":true},
      {"Statement":"SELECT * FROM Tbl WHERE pk = 'none' AND sk = 's'"}])"),
            (Units{1.5, 0}));
}

// Of a batch that is more than one reply can have, only what the reply has.
TEST_F(ReplyCostTest, ABatchThatIsCutShort) {
  Fill(50, 390'000);
  std::string keys;
  for (int i = 0; i < 50; ++i) keys += (i == 0 ? "" : ",") + Key(i);
  const Units told = Check("BatchGetItem", R"("RequestItems":{"Tbl":{"Keys":[)" + keys + "]}}");
  EXPECT_EQ(told.table, 43 * 48) << "of those in the first 16 MB";
}

TEST_F(ReplyCostTest, Transactions) {
  Fill(2);
  const std::string writes = R"("ClientRequestToken":"t","TransactItems":[{"Put":{"TableName":"Tbl","Item":)" +
                             Item(3) + R"(}},{"ConditionCheck":{"TableName":"Tbl",)" +
                             R"j("ConditionExpression":"attribute_exists(pk)","Key":)j" + Key(1) + "}}]";
  EXPECT_EQ(Check("TransactWriteItems", writes), (Units{2 + 1 + 6, 1}));
  EXPECT_EQ(Check("TransactWriteItems", writes), (Units{4, 0})) << "repeated: the reading of its items";
  MustCall("TransactWriteItems", "{" + writes + "}");
  EXPECT_EQ(Counted(), (Units{4, 0})) << "whether it is asked for or not";
  EXPECT_EQ(Check("TransactGetItems", R"("TransactItems":[{"Get":{"TableName":"Tbl","Key":)" + Key(1) +
                                          R"(}},{"Get":{"TableName":"Tbl","Key":)" + Key(9) + "}}]"),
            (Units{4, 0}));
}

TEST_F(ReplyCostTest, Pages) {
  Fill(20);
  EXPECT_EQ(Check("Scan", R"("TableName":"Tbl")").index, 0);
  EXPECT_EQ(Check("Scan", R"("TableName":"Tbl","Limit":3,"ConsistentRead":true)"), Units({3, 0}));
  EXPECT_EQ(Check("Scan", R"("TableName":"Tbl","IndexName":"OnG")").table, 0);
  EXPECT_EQ(Check("Query", R"("TableName":"Tbl","IndexName":"OnG","KeyConditionExpression":"g = :g",)"
                           R"("ExpressionAttributeValues":{":g":{"S":"g1"}})")
                .table,
            0);
  EXPECT_EQ(Check("Query", R"("TableName":"Tbl","IndexName":"OnL","KeyConditionExpression":"pk = :p",)"
                           R"("ConsistentRead":true,"Select":"ALL_ATTRIBUTES",)"
                           R"("ExpressionAttributeValues":{":p":{"S":"k1"}})"),
            (Units{2, 0}))
      << "the entry and the item";
  EXPECT_EQ(Check("ExecuteStatement", R"("Statement":"SELECT * FROM Tbl WHERE pk IN ['k1', 'k2', 'none']")"),
            (Units{1.5, 0}));
  Check("ExecuteStatement", R"("Statement":"SELECT * FROM Tbl")");
  Check("ExecuteStatement", R"("Statement":"SELECT * FROM Tbl WHERE pk = 'k1' AND sk > 'b' AND sk < 'a'")");
  Check("ExecuteStatement", R"("Statement":"SELECT * FROM Tbl.OnG WHERE g = 'g1'")");
}

}  // namespace
}  // namespace armature::api
