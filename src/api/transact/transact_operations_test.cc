#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/api_testing.h"

namespace armature::api {
namespace {

using testing::HasSubstr;

class TransactOperations : public ApiFixture {
 protected:
  TransactOperations() {
    CreateSimpleTable();
    MustCall("CreateTable", R"j({"TableName":"Idx","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},
          {"AttributeName":"l","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
        "LocalSecondaryIndexes":[{"IndexName":"byL","Projection":{"ProjectionType":"KEYS_ONLY"},
          "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"l","KeyType":"RANGE"}]}],
        "GlobalSecondaryIndexes":[{"IndexName":"byG","Projection":{"ProjectionType":"ALL"},
          "KeySchema":[{"AttributeName":"g","KeyType":"HASH"}]}]})j");
  }

  static std::string Request(std::string_view actions, std::string_view rest = "") {
    return fmt::format(R"j({{"TransactItems":[{}]{}}})j", actions, rest);
  }
  static std::string Put(std::string_view pk, std::string_view more = "") {
    return fmt::format(R"j({{"Put":{{"TableName":"Tbl","Item":{{"pk":{{"S":"{}"}}{}}}}}}})j", pk, more);
  }
  std::string Get(std::string_view pk) {
    return MustCall("GetItem", fmt::format(R"j({{"TableName":"Tbl","Key":{{"pk":{{"S":"{}"}}}}}})j", pk));
  }
  // The reasons of a transaction that must be cancelled.
  std::string Cancelled(std::string_view actions) {
    const Reply reply = Call("TransactWriteItems", Request(actions));
    EXPECT_EQ(reply.error.name, "TransactionCanceledException") << reply.body << reply.ErrorText();
    return reply.error.extra_json_members;
  }
  std::string Failed(std::string_view actions) { return MustFail("TransactWriteItems", Request(actions)); }
};

TEST_F(TransactOperations, AllFourKindsTakeEffectTogether) {
  MustCall("PutItem", R"j({"TableName":"Tbl","Item":{"pk":{"S":"upd"},"n":{"N":"1"}}})j");
  MustCall("PutItem", R"j({"TableName":"Tbl","Item":{"pk":{"S":"del"}}})j");
  EXPECT_EQ(MustCall("TransactWriteItems", Request(Put("new") + R"j(,
      {"Update":{"TableName":"Tbl","Key":{"pk":{"S":"upd"}},"UpdateExpression":"ADD n :one",
                 "ExpressionAttributeValues":{":one":{"N":"1"}}}},
      {"Delete":{"TableName":"Tbl","Key":{"pk":{"S":"del"}}}},
      {"ConditionCheck":{"TableName":"Tbl","Key":{"pk":{"S":"none"}},"ConditionExpression":"attribute_not_exists(pk)"}})j")),
            "{}");
  EXPECT_EQ(Get("new"), R"j({"Item":{"pk":{"S":"new"}}})j");
  EXPECT_EQ(Get("upd"), R"j({"Item":{"n":{"N":"2"},"pk":{"S":"upd"}}})j");
  EXPECT_EQ(Get("del"), "{}");
  EXPECT_EQ(Get("none"), "{}");
}

TEST_F(TransactOperations, EveryFailedConditionIsReportedAndNothingIsWritten) {
  MustCall("PutItem", R"j({"TableName":"Tbl","Item":{"pk":{"S":"old"},"n":{"N":"1"}}})j");
  EXPECT_EQ(
      Cancelled(Put("new") + R"j(,
      {"Put":{"TableName":"Tbl","Item":{"pk":{"S":"old"}},"ConditionExpression":"attribute_not_exists(pk)",
              "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},
      {"ConditionCheck":{"TableName":"Tbl","Key":{"pk":{"S":"none"}},"ConditionExpression":"attribute_exists(pk)",
              "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}})j"),
      R"j("CancellationReasons":[{"Code":"None"},)j"
      R"j({"Item":{"n":{"N":"1"},"pk":{"S":"old"}},"Code":"ConditionalCheckFailed","Message":"The conditional request failed"},)j"
      R"j({"Code":"ConditionalCheckFailed","Message":"The conditional request failed"}])j");
  EXPECT_EQ(Get("new"), "{}");
  EXPECT_EQ(
      Failed(Put("new") + R"j(,{"ConditionCheck":{"TableName":"Tbl","Key":{"pk":{"S":"none"}},
                                     "ConditionExpression":"attribute_exists(pk)"}})j"),
      "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons "
      "[None, ConditionalCheckFailed]");
}

TEST_F(TransactOperations, FaultsOfOneActionCancelInItsName) {
  MustCall("PutItem", R"j({"TableName":"Tbl","Item":{"pk":{"S":"old"},"s":{"S":"x"},"n":{"N":"9.9E125"}}})j");
  const auto cancels = [&](std::string_view action, std::string_view message) {
    // A failed condition beside it is not evaluated.
    EXPECT_EQ(Cancelled(fmt::format(R"j({},{{"ConditionCheck":{{"TableName":"Tbl","Key":{{"pk":{{"S":"none"}}}},
                                       "ConditionExpression":"attribute_exists(pk)"}}}})j",
                                    action)),
              fmt::format(R"j("CancellationReasons":[{{"Code":"ValidationError","Message":"{}"}},{{"Code":"None"}}])j",
                          message));
  };
  cancels(R"j({"Put":{"TableName":"Tbl","Item":{"pk":{"N":"1"}}}})j",
          "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N");
  cancels(R"j({"Put":{"TableName":"Tbl","Item":{"x":{"N":"1"}}}})j",
          "One or more parameter values were invalid: Missing the key pk in the item");
  cancels(R"j({"Delete":{"TableName":"Tbl","Key":{"pk":{"N":"1"}}}})j",
          "The provided key element does not match the schema");
  cancels(
      R"j({"Put":{"TableName":"Idx","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"g":{"N":"1"}}}})j",
      "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S Actual: N IndexName: byG");
  cancels(R"j({"Update":{"TableName":"Tbl","Key":{"pk":{"S":"old"}},"UpdateExpression":"SET s = s + :one",
              "ExpressionAttributeValues":{":one":{"N":"1"}}}})j",
          "An operand in the update expression has an incorrect data type");
  cancels(R"j({"Update":{"TableName":"Tbl","Key":{"pk":{"S":"old"}},"UpdateExpression":"SET a.b = :one",
              "ExpressionAttributeValues":{":one":{"N":"1"}}}})j",
          "The document path provided in the update expression is invalid for update");
  cancels(R"j({"Update":{"TableName":"Tbl","Key":{"pk":{"S":"old"}},"UpdateExpression":"ADD n :one",
              "ExpressionAttributeValues":{":one":{"N":"9.9E125"}}}})j",
          "Number overflow. Attempting to store a number with magnitude larger than supported range");
}

TEST_F(TransactOperations, FaultsOfTheRequestStandForAllOfIt) {
  EXPECT_EQ(Failed(Put("a") + "," + Put("a")),
            "ValidationException: Transaction request cannot include multiple operations on one item");
  EXPECT_EQ(Failed(Put("a") + R"j(,{"ConditionCheck":{"TableName":"arn:aws:dynamodb:us-east-1:123456789012:table/Tbl",
                                   "Key":{"pk":{"S":"a"}},"ConditionExpression":"attribute_exists(pk)"}})j"),
            "ValidationException: Transaction request cannot include multiple operations on one item");
  EXPECT_EQ(Failed("{}"),
            "ValidationException: 1 validation error detected: Value '' at 'transactItems' failed to satisfy "
            "constraint: TransactWriteRequest should contain Delete or Put or Update or ConditionCheck");
  EXPECT_EQ(Failed(""),
            "ValidationException: 1 validation error detected: Value at 'TransactItems' failed to satisfy "
            "constraint: Member must have length greater than or equal to 1");
  EXPECT_EQ(Failed(Put("")),
            "ValidationException: One or more parameter values are not valid. The AttributeValue for a key "
            "attribute cannot contain an empty string value. Key: pk");
  EXPECT_EQ(
      Failed(R"j({"Put":{"TableName":"Idx","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"g":{"S":""}}}})j"),
      "ValidationException: One or more parameter values are not valid. A value specified for a secondary index key is "
      "not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: byG, "
      "IndexKey: g");
  EXPECT_EQ(Failed(R"j({"Put":{"TableName":"Nope","Item":{"pk":{"S":"a"}}}})j"),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_THAT(
      Failed(R"j({"Put":{"TableName":"Tbl","Item":{"pk":{"S":"a"}},"ConditionExpression":"a = :x"}})j"),
      HasSubstr("ValidationException: Invalid ConditionExpression: An expression attribute value used in expression is "
                "not defined; attribute value: :x"));
  EXPECT_THAT(Failed(R"j({"ConditionCheck":{"TableName":"Tbl","Key":{"pk":{"S":"a"}}}})j"),
              HasSubstr("ValidationException: 1 validation error detected: Value null at "));
  EXPECT_EQ(Failed(Put("a", R"j(,"v":{"S":")j" + std::string(409'600, 'x') + R"j("})j")),
            "ValidationException: Item size has exceeded the maximum allowed size");
  std::string large;
  for (int i = 0; i < 11; ++i)
    large += (i ? "," : "") + Put(fmt::format("k{}", i), R"j(,"v":{"S":")j" + std::string(400'000, 'x') + R"j("})j");
  EXPECT_THAT(Failed(large), HasSubstr("size cannot exceed"));
}

TEST_F(TransactOperations, TheTablePaysDoubleAndIndexesDoNot) {
  EXPECT_EQ(
      MustCall("TransactWriteItems",
               Request(R"j(
      {"Put":{"TableName":"Idx","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"l":{"S":"x"},"g":{"S":"y"}}}},
      {"Put":{"TableName":"Idx","Item":{"pk":{"S":"a"},"sk":{"N":"2"},"l":{"S":"x"}}}},
      {"ConditionCheck":{"TableName":"Tbl","Key":{"pk":{"S":"none"}},"ConditionExpression":"attribute_not_exists(pk)"}})j",
                       R"j(,"ReturnConsumedCapacity":"INDEXES","ReturnItemCollectionMetrics":"SIZE")j")),
      R"j({"ConsumedCapacity":[{"TableName":"Idx","WriteCapacityUnits":7.0,"CapacityUnits":7.0,)j"
      R"j("Table":{"WriteCapacityUnits":4.0,"CapacityUnits":4.0},)j"
      R"j("LocalSecondaryIndexes":{"byL":{"WriteCapacityUnits":2.0,"CapacityUnits":2.0}},)j"
      R"j("GlobalSecondaryIndexes":{"byG":{"WriteCapacityUnits":1.0,"CapacityUnits":1.0}}},)j"
      R"j({"TableName":"Tbl","WriteCapacityUnits":2.0,"CapacityUnits":2.0,"Table":{"WriteCapacityUnits":2.0,"CapacityUnits":2.0}}],)j"
      R"j("ItemCollectionMetrics":{"Idx":[{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[0.0,1.0]}]}})j");
}

TEST_F(TransactOperations, AClientTokenMakesARequestIdempotentForTenMinutes) {
  const std::string add = R"j({"Update":{"TableName":"Tbl","Key":{"pk":{"S":"c"}},"UpdateExpression":"ADD n :one",
                             "ExpressionAttributeValues":{":one":{"N":"1"}}}})j";
  const std::string token = R"j(,"ClientRequestToken":"t-1")j";
  EXPECT_EQ(MustCall("TransactWriteItems", Request(add, token)), "{}");
  clock_.AdvanceMillis(table::kTokenLifetimeMillis - 1);
  EXPECT_EQ(MustCall("TransactWriteItems", Request(add, token + R"j(,"ReturnConsumedCapacity":"TOTAL")j")),
            R"j({"ConsumedCapacity":[{"TableName":"Tbl","ReadCapacityUnits":2.0,"CapacityUnits":2.0}]})j");
  EXPECT_THAT(MustFail("TransactWriteItems", Request(Put("other"), token)),
              HasSubstr("IdempotentParameterMismatchException: "));
  EXPECT_EQ(Get("c"), R"j({"Item":{"n":{"N":"1"},"pk":{"S":"c"}}})j");
  clock_.AdvanceMillis(1);
  EXPECT_EQ(MustCall("TransactWriteItems", Request(add, token)), "{}");
  EXPECT_EQ(Get("c"), R"j({"Item":{"n":{"N":"2"},"pk":{"S":"c"}}})j");
}

TEST_F(TransactOperations, ACancelledTransactionLeavesItsTokenUnused) {
  const std::string token = R"j(,"ClientRequestToken":"t-1")j";
  MustFail("TransactWriteItems", Request(Put("a") + R"j(,{"ConditionCheck":{"TableName":"Tbl","Key":{"pk":{"S":"none"}},
                                                       "ConditionExpression":"attribute_exists(pk)"}})j",
                                         token));
  EXPECT_EQ(MustCall("TransactWriteItems", Request(Put("b"), token)), "{}");
}

// --- TransactGetItems

TEST_F(TransactOperations, GetAnswersInOrderAndLeavesOutWhatIsNotThere) {
  MustCall("PutItem", R"j({"TableName":"Tbl","Item":{"pk":{"S":"a"},"v":{"N":"1"}}})j");
  EXPECT_EQ(MustCall("TransactGetItems", Request(R"j({"Get":{"TableName":"Tbl","Key":{"pk":{"S":"a"}}}},
      {"Get":{"TableName":"Tbl","Key":{"pk":{"S":"none"}}}},
      {"Get":{"TableName":"Idx","Key":{"pk":{"S":"a"},"sk":{"N":"1"}}}})j",
                                                 R"j(,"ReturnConsumedCapacity":"TOTAL")j")),
            R"j({"Responses":[{"Item":{"pk":{"S":"a"},"v":{"N":"1"}}},{},{}],)j"
            R"j("ConsumedCapacity":[{"TableName":"Tbl","ReadCapacityUnits":4.0,"CapacityUnits":4.0},)j"
            R"j({"TableName":"Idx","ReadCapacityUnits":2.0,"CapacityUnits":2.0}]})j");
  EXPECT_EQ(MustCall("TransactGetItems", Request(R"j({"Get":{"TableName":"Tbl","Key":{"pk":{"S":"a"}},
      "ProjectionExpression":"#v","ExpressionAttributeNames":{"#v":"v"}}})j")),
            R"j({"Responses":[{"Item":{"v":{"N":"1"}}}]})j");
  EXPECT_EQ(MustCall("TransactGetItems", Request(R"j({"Get":{"TableName":"Tbl","Key":{"pk":{"S":"a"}},
      "ProjectionExpression":"nothing"}})j")),
            R"j({"Responses":[{}]})j");
}

TEST_F(TransactOperations, GetRefusesBadRequests) {
  const auto fails = [&](std::string_view gets) { return MustFail("TransactGetItems", Request(gets)); };
  const std::string a = R"j({"Get":{"TableName":"Tbl","Key":{"pk":{"S":"a"}}}})j";
  EXPECT_EQ(fails(a + "," + a),
            "ValidationException: Transaction request cannot include multiple operations on one item");
  EXPECT_EQ(fails(a + R"j(,{"Get":{"TableName":"Nope","Key":{"pk":{"S":"a"}}}})j"),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(
      fails(a + R"j(,{"Get":{"TableName":"Tbl","Key":{}}})j"),
      "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons "
      "[None, ValidationError]");
  EXPECT_EQ(fails(R"j({"Get":{"TableName":"Tbl","Key":{"pk":{"S":"a"}},"ProjectionExpression":"!!!"}})j"),
            R"j(ValidationException: Invalid ProjectionExpression: Syntax error; token: "!", near: "!!")j");
}

TEST_F(TransactOperations, GetReadsAtMostFourMebibytes) {
  std::string gets;
  for (int i = 0; i < 11; ++i) {
    MustCall("PutItem", fmt::format(R"j({{"TableName":"Tbl","Item":{{"pk":{{"S":"k{}"}},"v":{{"S":"{}"}}}}}})j", i,
                                    std::string(400'000, 'x')));
    gets +=
        fmt::format(R"j({}{{"Get":{{"TableName":"Tbl","Key":{{"pk":{{"S":"k{}"}}}},"ProjectionExpression":"pk"}}}})j",
                    i ? "," : "", i);
  }
  EXPECT_THAT(MustFail("TransactGetItems", Request(gets)), HasSubstr("size cannot exceed"));
}

}  // namespace
}  // namespace armature::api
