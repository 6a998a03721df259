#include <gmock/gmock.h>

#include "api/api_testing.h"

namespace armature::api {
namespace {

using testing::HasSubstr;
using testing::Not;

class TableOperations : public ApiFixture {};

constexpr const char* kProvisioned =
    R"({"TableName":"Tbl","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":5}})";

TEST_F(TableOperations, CreateShowsThePassingStateAndDescribeTheFinalOne) {
  EXPECT_THAT(MustCall("CreateTable", kProvisioned), HasSubstr(R"("TableStatus":"CREATING")"));
  const std::string described = MustCall("DescribeTable", R"({"TableName":"Tbl"})");
  EXPECT_THAT(described, HasSubstr(R"("TableStatus":"ACTIVE")"));
  EXPECT_THAT(described, HasSubstr(R"("TableArn":"arn:aws:dynamodb:us-east-1:123456789012:table/Tbl")"));
  EXPECT_THAT(described, HasSubstr(R"("ReadCapacityUnits":5)"));
  EXPECT_THAT(described, Not(HasSubstr("BillingModeSummary")));
  EXPECT_EQ(MustFail("CreateTable", kProvisioned), "ResourceInUseException: Table already exists: Tbl");
}

TEST_F(TableOperations, TablesOfOtherRegionsAreOtherTables) {
  MustCall("CreateTable", kProvisioned);
  EXPECT_FALSE(Call("DescribeTable", R"({"TableName":"Tbl"})", "eu-west-1").ok);
  EXPECT_TRUE(Call("CreateTable", kProvisioned, "eu-west-1").ok);
  EXPECT_THAT(Call("DescribeTable", R"({"TableName":"Tbl"})", "eu-west-1").body,
              HasSubstr("arn:aws:dynamodb:eu-west-1:"));
}

TEST_F(TableOperations, KeySchemaMistakesHaveTheirOwnWords) {
  const auto create = [&](const std::string& definitions, const std::string& schema, const std::string& more = "") {
    return MustFail("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[)" +
                                       definitions + R"(],"KeySchema":[)" + schema + "]" + more + "}");
  };
  const std::string pk = R"({"AttributeName":"pk","AttributeType":"S"})";
  const std::string sk = R"({"AttributeName":"sk","AttributeType":"S"})";
  const std::string hash = R"({"AttributeName":"pk","KeyType":"HASH"})";
  const std::string range = R"({"AttributeName":"sk","KeyType":"RANGE"})";
  EXPECT_THAT(create(pk, hash + "," + range), HasSubstr("Some index key attribute have no definition"));
  EXPECT_THAT(create(pk + "," + sk, range + "," + hash),
              HasSubstr("The first KeySchemaElement is not a HASH key type"));
  EXPECT_THAT(create(pk + "," + sk, hash), HasSubstr("does not exactly match number of attributes"));
  EXPECT_THAT(create(sk, hash), HasSubstr("Keys: [pk], AttributeDefinitions: [sk]"));
  EXPECT_THAT(create(pk + "," + sk, hash,
                     R"(,"LocalSecondaryIndexes":[{"IndexName":"idx","KeySchema":[)" + hash + "," + range +
                         R"(],"Projection":{"ProjectionType":"ALL"}}])"),
              HasSubstr("Table KeySchema does not have a range key"));
}

TEST_F(TableOperations, BillingModeAndThroughputMustAgree) {
  EXPECT_THAT(
      MustFail("CreateTable", R"({"TableName":"Tbl","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})"),
      HasSubstr("ReadCapacityUnits and WriteCapacityUnits must both be specified"));
  EXPECT_THAT(MustFail("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
      "ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":5}})"),
              HasSubstr("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified"));
}

TEST_F(TableOperations, UpdateChangesThroughputAndCountsDecreases) {
  MustCall("CreateTable", kProvisioned);
  const auto update = [&](int read) {
    return Call("UpdateTable", R"({"TableName":"Tbl","ProvisionedThroughput":{"ReadCapacityUnits":)" +
                                   std::to_string(read) + R"(,"WriteCapacityUnits":5}})");
  };
  EXPECT_THAT(update(5).ErrorText(), HasSubstr("The requested value equals the current value"));
  EXPECT_THAT(update(10).body, HasSubstr(R"("TableStatus":"UPDATING")"));
  for (int read = 9; read > 5; --read) EXPECT_TRUE(update(read).ok) << read;
  EXPECT_THAT(update(4).ErrorText(), HasSubstr("LimitExceededException"));
  clock_.AdvanceMillis(3'600'000);
  EXPECT_TRUE(update(4).ok);
  clock_.AdvanceMillis(24 * 3'600'000);
  EXPECT_THAT(MustCall("DescribeTable", R"({"TableName":"Tbl"})"), HasSubstr(R"("NumberOfDecreasesToday":0)"));
}

TEST_F(TableOperations, UpdateSwitchesBillingModeBothWays) {
  MustCall("CreateTable", kProvisioned);
  MustCall("UpdateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST"})");
  EXPECT_THAT(MustCall("DescribeTable", R"({"TableName":"Tbl"})"), HasSubstr(R"("BillingMode":"PAY_PER_REQUEST")"));
  MustCall("UpdateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST"})");
  EXPECT_THAT(MustFail("UpdateTable", R"({"TableName":"Tbl","BillingMode":"PROVISIONED"})"),
              HasSubstr("ProvisionedThroughput must be specified when BillingMode is PROVISIONED"));
  MustCall(
      "UpdateTable",
      R"({"TableName":"Tbl","BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":5}})");
  EXPECT_THAT(MustCall("DescribeTable", R"({"TableName":"Tbl"})"), HasSubstr(R"("ReadCapacityUnits":5)"));
}

TEST_F(TableOperations, UpdateStoresTheOtherSettings) {
  MustCall("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
  MustCall("UpdateTable",
           R"({"TableName":"Tbl","TableClass":"STANDARD_INFREQUENT_ACCESS","DeletionProtectionEnabled":true,
      "OnDemandThroughput":{"MaxReadRequestUnits":10},"WarmThroughput":{"ReadUnitsPerSecond":13000},"SSESpecification":{"Enabled":true},
      "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}})");
  const std::string described = MustCall("DescribeTable", R"({"TableName":"Tbl"})");
  EXPECT_THAT(described, HasSubstr(R"("TableClass":"STANDARD_INFREQUENT_ACCESS")"));
  EXPECT_THAT(described, HasSubstr(R"("DeletionProtectionEnabled":true)"));
  EXPECT_THAT(described, HasSubstr(R"("MaxReadRequestUnits":10)"));
  EXPECT_THAT(described, HasSubstr(R"("ReadUnitsPerSecond":13000)"));
  EXPECT_THAT(described, HasSubstr(R"("SSEDescription":{"Status":"DISABLED","SSEType":"KMS")"));
  services_.is_encrypted = true;
  EXPECT_THAT(MustCall("DescribeTable", R"({"TableName":"Tbl"})"),
              HasSubstr(R"("SSEDescription":{"Status":"ENABLED")"));
  EXPECT_THAT(described, HasSubstr(R"("StreamViewType":"NEW_IMAGE")"));
  EXPECT_THAT(described, HasSubstr("/stream/"));
  EXPECT_THAT(MustFail("DeleteTable", R"({"TableName":"Tbl"})"), HasSubstr("currently protected against deletion"));
  EXPECT_THAT(MustFail("UpdateTable", R"({"TableName":"Tbl","WarmThroughput":{"ReadUnitsPerSecond":12500}})"),
              HasSubstr("decreasing WarmThroughput is not supported"));
  EXPECT_THAT(MustFail("UpdateTable", R"({"TableName":"Tbl"})"), HasSubstr("At least one of ProvisionedThroughput"));
}

TEST_F(TableOperations, DeleteRemovesTheTableAndItsItems) {
  CreateSimpleTable();
  MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"}}})");
  EXPECT_THAT(MustCall("DescribeTable", R"({"TableName":"Tbl"})"), HasSubstr(R"("ItemCount":1)"));
  EXPECT_THAT(MustCall("DeleteTable", R"({"TableName":"Tbl"})"), HasSubstr(R"("TableStatus":"DELETING")"));
  EXPECT_EQ(MustFail("DescribeTable", R"({"TableName":"Tbl"})"),
            "ResourceNotFoundException: Requested resource not found: Table: Tbl not found");
  CreateSimpleTable();
  EXPECT_EQ(MustCall("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})"), "{}");
}

TEST_F(TableOperations, ListTablesPagesInNameOrder) {
  for (const char* name : {"ccc", "aaa", "bbb"})
    MustCall("CreateTable", std::string(R"({"TableName":")") + name + R"(","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
  EXPECT_EQ(MustCall("ListTables", R"({"Limit":2})"), R"({"TableNames":["aaa","bbb"],"LastEvaluatedTableName":"bbb"})");
  EXPECT_EQ(MustCall("ListTables", R"({"ExclusiveStartTableName":"bbb"})"), R"({"TableNames":["ccc"]})");
}

TEST_F(TableOperations, TagsAreSetListedAndRemoved) {
  CreateSimpleTable();
  const std::string arn = R"("ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/Tbl")";
  EXPECT_EQ(MustCall("TagResource", "{" + arn + R"(,"Tags":[{"Key":"env","Value":"test"},{"Key":"a","Value":""}]})"),
            "");
  EXPECT_EQ(MustCall("ListTagsOfResource", "{" + arn + "}"),
            R"({"Tags":[{"Key":"a","Value":""},{"Key":"env","Value":"test"}]})");
  EXPECT_EQ(MustCall("UntagResource", "{" + arn + R"(,"TagKeys":["a","missing"]})"), "");
  EXPECT_EQ(MustCall("ListTagsOfResource", "{" + arn + "}"), R"({"Tags":[{"Key":"env","Value":"test"}]})");
  EXPECT_THAT(MustFail("TagResource", "{" + arn + R"(,"Tags":[]})"), HasSubstr("Atleast one Tag needs to be provided"));
  EXPECT_THAT(MustFail("TagResource", "{" + arn + R"(,"Tags":[{"Key":"aws:x","Value":"v"}]})"), HasSubstr("aws:"));
  EXPECT_THAT(MustFail("ListTagsOfResource", R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tbl"})"),
              HasSubstr("AccessDeniedException"));
}

class SlowControlPlane : public ApiFixture {
 protected:
  SlowControlPlane() : ApiFixture(1000) {}
};

TEST_F(SlowControlPlane, StatesLastAsLongAsAsked) {
  CreateSimpleTable();
  EXPECT_EQ(MustFail("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"}}})"),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_THAT(MustFail("DeleteTable", R"({"TableName":"Tbl"})"), HasSubstr("Table is being created: Tbl"));
  clock_.AdvanceMillis(1000);
  MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"}}})");
  MustCall("UpdateTable", R"({"TableName":"Tbl","DeletionProtectionEnabled":false})");
  EXPECT_THAT(MustFail("UpdateTable", R"({"TableName":"Tbl","DeletionProtectionEnabled":false})"),
              HasSubstr("Table is being updated: Tbl"));
  MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"b"}}})");
  clock_.AdvanceMillis(1000);
  MustCall("DeleteTable", R"({"TableName":"Tbl"})");
  EXPECT_THAT(MustCall("DescribeTable", R"({"TableName":"Tbl"})"), HasSubstr(R"("TableStatus":"DELETING")"));
  EXPECT_EQ(MustFail("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})"),
            "ResourceNotFoundException: Requested resource not found");
  clock_.AdvanceMillis(1000);
  EXPECT_FALSE(Call("DescribeTable", R"({"TableName":"Tbl"})").ok);
  CreateSimpleTable();
}

}  // namespace
}  // namespace armature::api
