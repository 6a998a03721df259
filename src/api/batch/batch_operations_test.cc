#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/api_testing.h"

namespace armature::api {
namespace {

using testing::HasSubstr;

class BatchOperations : public ApiFixture {
 protected:
  BatchOperations() { CreateSimpleTable(); }

  void CreateIndexedTable() {
    MustCall("CreateTable", R"({"TableName":"Idx","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},
          {"AttributeName":"l","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
        "LocalSecondaryIndexes":[{"IndexName":"byL","Projection":{"ProjectionType":"KEYS_ONLY"},
          "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"l","KeyType":"RANGE"}]}],
        "GlobalSecondaryIndexes":[{"IndexName":"byG","Projection":{"ProjectionType":"ALL"},
          "KeySchema":[{"AttributeName":"g","KeyType":"HASH"}]}]})");
  }
  static std::string Keys(size_t count) {
    std::string keys;
    for (size_t i = 0; i < count; ++i) keys += fmt::format(R"({}{{"pk":{{"S":"k{}"}}}})", i ? "," : "", i);
    return keys;
  }
};

constexpr std::string_view kValidation = "ValidationException: ";

TEST_F(BatchOperations, WritesAndReadsSeveralTables) {
  CreateIndexedTable();
  EXPECT_EQ(MustCall("BatchWriteItem", R"({"RequestItems":{
      "Tbl":[{"PutRequest":{"Item":{"pk":{"S":"a"},"v":{"N":"1"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"gone"}}}}],
      "Idx":[{"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"N":"7"}}}}]}})"),
            R"({"UnprocessedItems":{}})");
  EXPECT_EQ(MustCall("BatchGetItem", R"({"RequestItems":{
      "Tbl":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"missing"}}]},"Idx":{"Keys":[{"pk":{"S":"x"},"sk":{"N":"1"}}]}}})"),
            R"({"Responses":{"Tbl":[{"pk":{"S":"a"},"v":{"N":"1"}}],"Idx":[]},"UnprocessedKeys":{}})");
}

TEST_F(BatchOperations, GetHasOptionsPerTable) {
  CreateIndexedTable();
  MustCall("BatchWriteItem",
           R"({"RequestItems":{"Tbl":[{"PutRequest":{"Item":{"pk":{"S":"a"},"v":{"N":"1"},"w":{"N":"2"}}}}],
      "Idx":[{"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"N":"7"},"v":{"S":"x"}}}}]}})");
  EXPECT_EQ(MustCall("BatchGetItem", R"({"ReturnConsumedCapacity":"TOTAL","RequestItems":{
      "Tbl":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}],"ConsistentRead":true,"ProjectionExpression":"#v",
             "ExpressionAttributeNames":{"#v":"v"}},
      "Idx":{"Keys":[{"pk":{"S":"a"},"sk":{"N":"7"}}]}}})"),
            R"({"Responses":{"Tbl":[{"v":{"N":"1"}}],"Idx":[{"pk":{"S":"a"},"sk":{"N":"7"},"v":{"S":"x"}}]},)"
            R"("UnprocessedKeys":{},"ConsumedCapacity":[{"TableName":"Tbl","CapacityUnits":2.0},)"
            R"({"TableName":"Idx","CapacityUnits":0.5}]})");
}

TEST_F(BatchOperations, GetRefusesBadRequests) {
  CreateIndexedTable();
  EXPECT_EQ(
      MustFail("BatchGetItem", R"({"RequestItems":{}})"),
      "ValidationException: 1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: Member "
      "must have length greater than or equal to 1");
  EXPECT_EQ(
      MustFail("BatchGetItem", R"({"RequestItems":{"Tbl":{"Keys":[)" + Keys(101) + "]}}}"),
      "ValidationException: 1 validation error detected: Value at 'RequestItems.Tbl.member.Keys' failed to satisfy "
      "constraint: Member must have length less than or equal to 100");
  EXPECT_EQ(MustFail("BatchGetItem",
                     R"({"RequestItems":{"Tbl":{"Keys":[)" + Keys(60) + R"(]},"Idx":{"Keys":[)" + Keys(41) + "]}}}"),
            "ValidationException: Too many items requested for the BatchGetItem call");
  EXPECT_EQ(MustFail("BatchGetItem", R"({"RequestItems":{"Tbl":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"a"}}]}}})"),
            "ValidationException: Provided list of item keys contains duplicates");
  EXPECT_EQ(MustFail("BatchGetItem", R"({"RequestItems":{"Tbl":{"Keys":[{"pk":{"N":"1"}}]}}})"),
            "ValidationException: The provided key element does not match the schema");
  EXPECT_EQ(MustFail("BatchGetItem",
                     R"({"RequestItems":{"Tbl":{"Keys":[{"pk":{"S":"a"}}]},"Nope":{"Keys":[{"pk":{"S":"a"}}]}}})"),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(MustFail("BatchGetItem", R"({"RequestItems":{"Tbl":{"Keys":[{"pk":{"S":"a"}}],"AttributesToGet":["v"]},
      "Idx":{"Keys":[{"pk":{"S":"a"},"sk":{"N":"1"}}],"ProjectionExpression":"v"}}})"),
            "ValidationException: Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}");
}

TEST_F(BatchOperations, AFullReplyLeavesTheRestWithItsOptions) {
  // 50 items of 390 000 bytes: 43 of them fit into 16 MiB.
  for (int i = 0; i < 50; ++i)
    MustCall("PutItem", fmt::format(R"({{"TableName":"Tbl","Item":{{"pk":{{"S":"k{}"}},"v":{{"S":"{}"}}}}}})", i,
                                    std::string(390'000, 'x')));
  CreateIndexedTable();
  const std::string body =
      MustCall("BatchGetItem",
               R"({"ReturnConsumedCapacity":"TOTAL","RequestItems":{"Tbl":{"Keys":[)" + Keys(50) +
                   R"(],"ProjectionExpression":"#p","ExpressionAttributeNames":{"#p":"pk"},"ConsistentRead":true},)"
                   R"("Idx":{"Keys":[{"pk":{"S":"a"},"sk":{"N":"1"}}]}}})");
  EXPECT_THAT(body, HasSubstr(R"({"pk":{"S":"k42"}}],"Idx":[]},"UnprocessedKeys":{"Tbl":{"Keys":[{"pk":{"S":"k43"}})"));
  EXPECT_THAT(
      body, HasSubstr(R"({"pk":{"S":"k49"}}],"ConsistentRead":true,"ProjectionExpression":"#p",)"
                      R"("ExpressionAttributeNames":{"#p":"pk"}},"Idx":{"Keys":[{"pk":{"S":"a"},"sk":{"N":"1"}}]}})"));
  EXPECT_THAT(body, HasSubstr(R"("ConsumedCapacity":[{"TableName":"Tbl","CapacityUnits":4128.0}])"));
}

TEST_F(BatchOperations, WriteReportsCapacityAndCollectionsPerTable) {
  CreateIndexedTable();
  const std::string request =
      R"({"ReturnConsumedCapacity":"INDEXES","ReturnItemCollectionMetrics":"SIZE","RequestItems":{
      "Idx":[{"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"N":"1"},"l":{"S":"x"},"g":{"S":"y"}}}},
             {"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"N":"2"},"g":{"S":"y"}}}},
             {"DeleteRequest":{"Key":{"pk":{"S":"b"},"sk":{"N":"1"}}}}],
      "Tbl":[{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}})";
  EXPECT_EQ(
      MustCall("BatchWriteItem", request),
      R"({"UnprocessedItems":{},"ConsumedCapacity":[{"TableName":"Idx","CapacityUnits":6.0,"Table":{"CapacityUnits":3.0},)"
      R"("LocalSecondaryIndexes":{"byL":{"CapacityUnits":1.0}},"GlobalSecondaryIndexes":{"byG":{"CapacityUnits":2.0}}},)"
      R"({"TableName":"Tbl","CapacityUnits":1.0,"Table":{"CapacityUnits":1.0}}],)"
      R"("ItemCollectionMetrics":{"Idx":[{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[0.0,1.0]},)"
      R"({"ItemCollectionKey":{"pk":{"S":"b"}},"SizeEstimateRangeGB":[0.0,1.0]}]}})");
}

TEST_F(BatchOperations, OneBadMemberRejectsTheWholeBatch) {
  CreateIndexedTable();
  const auto fails = [&](std::string_view bad, std::string_view text) {
    EXPECT_EQ(
        MustFail("BatchWriteItem",
                 fmt::format(
                     R"({{"RequestItems":{{"Tbl":[{{"PutRequest":{{"Item":{{"pk":{{"S":"good"}}}}}}}}],"Idx":[{}]}}}})",
                     bad)),
        std::string(kValidation) + std::string(text));
    EXPECT_EQ(MustCall("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"good"}}})"), "{}");
  };
  fails(R"({"PutRequest":{"Item":{"pk":{"N":"1"},"sk":{"N":"1"}}}})",
        "The provided key element does not match the schema");
  fails(R"({"PutRequest":{"Item":{"pk":{"S":"a"}}}})", "The provided key element does not match the schema");
  fails(R"({"DeleteRequest":{"Key":{"pk":{"S":"a"}}}})", "The provided key element does not match the schema");
  fails(R"({"PutRequest":{"Item":{"pk":{"S":""},"sk":{"N":"1"}}}})",
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string "
        "value. Key: pk");
  fails(
      R"({"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"N":"1"},"g":{"N":"1"}}}})",
      "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S Actual: N IndexName: byG");
  fails(
      R"({"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"N":"1"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"a"},"sk":{"N":"1.0"}}}})",
      "Provided list of item keys contains duplicates");
  fails(fmt::format(R"({{"PutRequest":{{"Item":{{"pk":{{"S":"a"}},"sk":{{"N":"1"}},"v":{{"S":"{}"}}}}}}}})",
                    std::string(409'600, 'x')),
        "Item size has exceeded the maximum allowed size");
}

TEST_F(BatchOperations, WriteRefusesTooManyMembers) {
  CreateIndexedTable();
  std::string some;
  for (int i = 0; i < 13; ++i)
    some += fmt::format(R"({}{{"DeleteRequest":{{"Key":{{"pk":{{"S":"{}"}}}}}}}})", i ? "," : "", i);
  EXPECT_EQ(MustFail("BatchWriteItem", R"({"RequestItems":{"Tbl":[)" + some + R"(],"Idx":[)" + some + "]}}"),
            "ValidationException: Too many items requested for the BatchWriteItem call");
  EXPECT_THAT(
      MustFail("BatchWriteItem", R"({"RequestItems":{"Tbl":[)" + some + "," + some + "]}}"),
      HasSubstr("at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have "
                "length less than or equal to 25, Member must have length greater than or equal to 1]"));
  EXPECT_EQ(MustFail("BatchWriteItem", R"({"RequestItems":{"Nope":[)" + some + "]}}"),
            "ResourceNotFoundException: Requested resource not found");
}

}  // namespace
}  // namespace armature::api
