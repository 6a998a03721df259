#include <gmock/gmock.h>

#include "api/api_testing.h"

namespace armature::api {
namespace {

using testing::HasSubstr;

class ItemOperations : public ApiFixture {};

TEST_F(ItemOperations, PutThenGetReturnsTheItem) {
  CreateSimpleTable();
  EXPECT_EQ(MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"n":{"N":"1.50"}}})"), "{}");
  EXPECT_EQ(MustCall("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})"),
            R"({"Item":{"n":{"N":"1.5"},"pk":{"S":"a"}}})");
  EXPECT_EQ(MustCall("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"b"}}})"), "{}");
}

TEST_F(ItemOperations, TableNameMayBeAnArnAndIsEchoedAsSent) {
  CreateSimpleTable();
  const std::string arn = "arn:aws:dynamodb:us-east-1:123456789012:table/Tbl";
  MustCall("PutItem", R"({"TableName":")" + arn + R"(","Item":{"pk":{"S":"a"}}})");
  EXPECT_THAT(
      MustCall("GetItem", R"({"TableName":")" + arn + R"(","Key":{"pk":{"S":"a"}},"ReturnConsumedCapacity":"TOTAL"})"),
      HasSubstr(R"("TableName":")" + arn));
  EXPECT_THAT(MustFail("GetItem",
                       R"({"TableName":"arn:aws:dynamodb:eu-west-1:123456789012:table/Tbl","Key":{"pk":{"S":"a"}}})"),
              HasSubstr("ResourceNotFoundException"));
}

TEST_F(ItemOperations, PutReturnsTheOldItemOnRequest) {
  CreateSimpleTable();
  EXPECT_EQ(
      MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"v":{"N":"1"}},"ReturnValues":"ALL_OLD"})"),
      "{}");
  EXPECT_EQ(MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"}},"ReturnValues":"ALL_OLD"})"),
            R"({"Attributes":{"pk":{"S":"a"},"v":{"N":"1"}}})");
  EXPECT_THAT(MustFail("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"}},"ReturnValues":"ALL_NEW"})"),
              HasSubstr("ReturnValues can only be ALL_OLD or NONE"));
}

TEST_F(ItemOperations, AFailedConditionShowsTheItemOnlyOnRequest) {
  CreateSimpleTable();
  MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"v":{"N":"1"}}})");
  const std::string put =
      R"j({"TableName":"Tbl","Item":{"pk":{"S":"a"}},"ConditionExpression":"attribute_not_exists(pk)")j";
  Reply plain = Call("PutItem", put + "}");
  EXPECT_EQ(plain.ErrorText(), "ConditionalCheckFailedException: The conditional request failed");
  EXPECT_EQ(plain.error.extra_json_members, "");
  Reply with_item = Call("PutItem", put + R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD"})");
  EXPECT_EQ(with_item.error.extra_json_members, R"("Item":{"pk":{"S":"a"},"v":{"N":"1"}})");
}

TEST_F(ItemOperations, KeysAreCheckedInDynamoDbsWords) {
  CreateSimpleTable(true);
  EXPECT_THAT(MustFail("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"}}})"),
              HasSubstr("Missing the key sk in the item"));
  EXPECT_THAT(MustFail("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"sk":{"S":"b"}}})"),
              HasSubstr("Type mismatch for key sk expected: N actual: S"));
  EXPECT_THAT(MustFail("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":""},"sk":{"N":"1"}}})"),
              HasSubstr("cannot contain an empty string value. Key: pk"));
  EXPECT_THAT(MustFail("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})"),
              HasSubstr("The provided key element does not match the schema"));
  const std::string long_key(2049, 'x');
  EXPECT_THAT(MustFail("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":")" + long_key + R"("},"sk":{"N":"1"}}})"),
              HasSubstr("maximum size limit of2048 bytes"));
}

TEST_F(ItemOperations, UpdateCreatesAnItemAndReportsWhatItTouched) {
  CreateSimpleTable();
  EXPECT_EQ(MustCall("UpdateItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"ADD visits :one",
            "ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"UPDATED_NEW"})"),
            R"({"Attributes":{"visits":{"N":"1"}}})");
  EXPECT_EQ(MustCall("UpdateItem",
                     R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET visits = visits + :one",
            "ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"ALL_NEW"})"),
            R"({"Attributes":{"pk":{"S":"a"},"visits":{"N":"2"}}})");
  EXPECT_THAT(MustFail("UpdateItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET pk = :v",
            "ExpressionAttributeValues":{":v":{"S":"b"}}})"),
              HasSubstr("Cannot update attribute pk. This attribute is part of the key"));
}

TEST_F(ItemOperations, RemovingFromAMissingItemCreatesNothing) {
  CreateSimpleTable();
  MustCall("UpdateItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"REMOVE x"})");
  EXPECT_EQ(MustCall("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})"), "{}");
  MustCall("UpdateItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})");
  EXPECT_EQ(MustCall("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})"), R"({"Item":{"pk":{"S":"a"}}})");
}

TEST_F(ItemOperations, DeleteIsIdempotentAndConditional) {
  CreateSimpleTable();
  EXPECT_EQ(MustCall("DeleteItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"ReturnValues":"ALL_OLD"})"), "{}");
  MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"v":{"N":"1"}}})");
  EXPECT_THAT(MustFail("DeleteItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"ConditionExpression":"v = :v",
            "ExpressionAttributeValues":{":v":{"N":"2"}}})"),
              HasSubstr("The conditional request failed"));
  EXPECT_EQ(MustCall("DeleteItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"ReturnValues":"ALL_OLD"})"),
            R"({"Attributes":{"pk":{"S":"a"},"v":{"N":"1"}}})");
}

TEST_F(ItemOperations, CapacityIsRoundedUpPerItem) {
  CreateSimpleTable();
  const std::string big(4000, 'x');
  const std::string put =
      R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"v":{"S":")" + big + R"("}},"ReturnConsumedCapacity":"TOTAL"})";
  EXPECT_EQ(MustCall("PutItem", put), R"({"ConsumedCapacity":{"TableName":"Tbl","CapacityUnits":4.0}})");
  EXPECT_THAT(
      MustCall(
          "GetItem",
          R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"ReturnConsumedCapacity":"INDEXES","ConsistentRead":true})"),
      HasSubstr(R"("ConsumedCapacity":{"TableName":"Tbl","CapacityUnits":1.0,"Table":{"CapacityUnits":1.0}})"));
  // A smaller item in place of a larger one costs as much as the larger one.
  EXPECT_THAT(MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"}},"ReturnConsumedCapacity":"TOTAL"})"),
              HasSubstr(R"("CapacityUnits":4.0)"));
  EXPECT_THAT(MustCall("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"none"}},"ReturnConsumedCapacity":"TOTAL"})"),
              HasSubstr(R"("CapacityUnits":0.5)"));
}

TEST_F(ItemOperations, AnItemMayHave400KilobytesAndNotOneByteMore) {
  CreateSimpleTable();
  // "pk" + "a" = 3 bytes, "v" = 1 byte.
  const std::string fits(400 * 1024 - 4, 'x');
  MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"v":{"S":")" + fits + R"("}}})");
  EXPECT_EQ(MustFail("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"v":{"S":"x)" + fits + R"("}}})"),
            "ValidationException: Item size has exceeded the maximum allowed size");
}

TEST_F(ItemOperations, ExpressionAndLegacyParametersDoNotMix) {
  CreateSimpleTable();
  EXPECT_EQ(
      MustFail("PutItem", R"j({"TableName":"Tbl","Item":{"pk":{"S":"a"}},"ConditionExpression":"attribute_exists(pk)",
            "Expected":{"pk":{"Exists":false}}})j"),
      "ValidationException: 1 validation error detected: Can not use both expression and non-expression parameters in "
      "the same request: "
      "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}");
  EXPECT_EQ(MustFail("UpdateItem",
                     R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"ExpressionAttributeValues":{":v":{"N":"1"}}})"),
            "ValidationException: 1 validation error detected: ExpressionAttributeValues can only be specified when "
            "using expressions");
  EXPECT_EQ(MustFail("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"ExpressionAttributeNames":{"#a":"b"}})"),
            "ValidationException: ExpressionAttributeNames can only be specified when using expressions");
}

TEST_F(ItemOperations, LegacyParametersWork) {
  CreateSimpleTable();
  MustCall("PutItem",
           R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"v":{"N":"1"}},"Expected":{"pk":{"Exists":false}}})");
  MustCall("UpdateItem",
           R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"AttributeUpdates":{"v":{"Action":"ADD","Value":{"N":"4"}}},
            "Expected":{"v":{"ComparisonOperator":"EQ","AttributeValueList":[{"N":"1"}]}}})");
  EXPECT_EQ(MustCall("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"AttributesToGet":["v"]})"),
            R"({"Item":{"v":{"N":"5"}}})");
}

TEST_F(ItemOperations, ValueErrorsComeBeforeMissingTables) {
  EXPECT_THAT(MustFail("PutItem", R"({"TableName":"nope","Item":{"pk":{"N":"x"}}})"),
              HasSubstr("The parameter cannot be converted to a numeric value: x"));
  EXPECT_EQ(MustFail("PutItem", R"({"TableName":"nope","Item":{"pk":{"S":"x"}}})"),
            "ResourceNotFoundException: Requested resource not found");
}

}  // namespace
}  // namespace armature::api
