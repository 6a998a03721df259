// Indexes made and removed by UpdateTable: rules, words and states.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/api_testing.h"

namespace armature::api {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string CreateRequest(std::string_view definitions, std::string_view index, std::string_view keys,
                          std::string_view more = {}) {
  return fmt::format(R"({{"TableName":"Tbl","AttributeDefinitions":[{}],"GlobalSecondaryIndexUpdates":[{{"Create":{{
      "IndexName":"{}","KeySchema":[{}],"Projection":{{"ProjectionType":"ALL"}}{}}}}}]}})",
                     definitions, index, keys, more);
}
std::string DeleteRequest(std::string_view index) {
  return fmt::format(R"({{"TableName":"Tbl","GlobalSecondaryIndexUpdates":[{{"Delete":{{"IndexName":"{}"}}}}]}})",
                     index);
}
std::string Definition(std::string_view name, std::string_view type = "S") {
  return fmt::format(R"({{"AttributeName":"{}","AttributeType":"{}"}})", name, type);
}
std::string Key(std::string_view name, std::string_view role = "HASH") {
  return fmt::format(R"({{"AttributeName":"{}","KeyType":"{}"}})", name, role);
}
constexpr const char* kDescribe = R"({"TableName":"Tbl"})";
constexpr const char* kOneAtATime =
    "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
    "per table";

class IndexUpdates : public ApiFixture {
 protected:
  explicit IndexUpdates(int64_t delay = 0) : ApiFixture(delay) {
    CreateSimpleTable();
    clock_.AdvanceMillis(delay);
  }
};

TEST_F(IndexUpdates, ANewIndexPassesThroughCreatingAndIsThereAtOnce) {
  MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"g":{"S":"x"}}})");
  MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"b"},"g":{"N":"1"}}})");
  const std::string reply = MustCall("UpdateTable", CreateRequest(Definition("g"), "idx", Key("g")));
  EXPECT_THAT(reply, HasSubstr(R"("TableStatus":"UPDATING")"));
  EXPECT_THAT(reply, HasSubstr(R"("IndexStatus":"CREATING","Backfilling":false)"));
  const std::string described = MustCall("DescribeTable", kDescribe);
  EXPECT_THAT(described, HasSubstr(R"("IndexStatus":"ACTIVE")"));
  EXPECT_THAT(described, Not(HasSubstr("Backfilling")));
  EXPECT_THAT(described, HasSubstr(R"("IndexSizeBytes":5,"ItemCount":1)"));
  EXPECT_THAT(described, HasSubstr("table/Tbl/index/idx"));
  EXPECT_THAT(MustFail("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"c"},"g":{"N":"1"}}})"),
              HasSubstr("Type mismatch for Index Key g"));
}

TEST_F(IndexUpdates, IndexesMadeWithTheTableNeverShowBackfilling) {
  const std::string created = MustCall("CreateTable", R"({"TableName":"Other","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"GlobalSecondaryIndexes":[{"IndexName":"idx",
      "KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}]})");
  EXPECT_THAT(created, HasSubstr(R"("IndexStatus":"CREATING")"));
  EXPECT_THAT(created, Not(HasSubstr("Backfilling")));
  MustCall("PutItem", R"({"TableName":"Other","Item":{"pk":{"S":"a"},"g":{"S":"x"},"more":{"S":"yyy"}}})");
  MustCall("Scan", R"({"TableName":"Other","IndexName":"idx"})");  // where rows follow, now they are there
  EXPECT_THAT(MustCall("DescribeTable", R"({"TableName":"Other"})"), HasSubstr(R"("IndexSizeBytes":5,"ItemCount":1)"));
}

TEST_F(IndexUpdates, ARemovedIndexPassesThroughDeletingAndTakesItsDefinitions) {
  MustCall("UpdateTable",
           CreateRequest(Definition("g") + "," + Definition("n", "N"), "idx", Key("g") + "," + Key("n", "RANGE")));
  EXPECT_THAT(MustCall("UpdateTable", DeleteRequest("idx")), HasSubstr(R"("IndexStatus":"DELETING")"));
  const std::string described = MustCall("DescribeTable", kDescribe);
  EXPECT_THAT(described, Not(HasSubstr("GlobalSecondaryIndexes")));
  EXPECT_THAT(described, HasSubstr(R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}])"));
  MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"c"},"g":{"N":"1"}}})");
}

TEST_F(IndexUpdates, DefinitionsMustHoldTheNewKeysAndOthersAreIgnored) {
  EXPECT_EQ(
      MustFail("UpdateTable", CreateRequest("", "idx", Key("g"))),
      "ValidationException: One or more parameter values were invalid: Some index key attributes are not defined in "
      "AttributeDefinitions. Keys: [g], AttributeDefinitions: []");
  // Even a key of the table must be defined again.
  EXPECT_THAT(MustFail("UpdateTable", CreateRequest(Definition("g"), "idx", Key("g") + "," + Key("pk", "RANGE"))),
              HasSubstr("Keys: [g, pk], AttributeDefinitions: [g]"));
  EXPECT_THAT(MustFail("UpdateTable", CreateRequest(Definition("g") + "," + Definition("g"), "idx", Key("g"))),
              HasSubstr("Duplicate AttributeName in AttributeDefinitions: g"));
  MustCall("UpdateTable",
           CreateRequest(Definition("unused") + "," + Definition("pk", "N") + "," + Definition("g"), "idx", Key("g")));
  EXPECT_THAT(
      MustCall("DescribeTable", kDescribe),
      HasSubstr(
          R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}])"));
}

TEST_F(IndexUpdates, AnAttributeKeepsItsType) {
  MustCall("UpdateTable", CreateRequest(Definition("g"), "idx", Key("g")));
  EXPECT_EQ(
      MustFail("UpdateTable", CreateRequest(Definition("g", "N"), "idx2", Key("g"))),
      "ValidationException: One or more parameter values were invalid: Attributes cannot be redefined. Please check "
      "that "
      "your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{g:S:HASH}] "
      "New schema: Schema:[SchemaElement: key{g:N:HASH}]");
  MustCall("UpdateTable", CreateRequest(Definition("g"), "idx2", Key("g")));
}

TEST_F(IndexUpdates, NamesAndLimits) {
  MustCall("UpdateTable", CreateRequest(Definition("g"), "idx", Key("g")));
  EXPECT_THAT(MustFail("UpdateTable", CreateRequest(Definition("g"), "idx", Key("g"))), HasSubstr("already exists"));
  EXPECT_THAT(MustFail("UpdateTable", DeleteRequest("missing")), HasSubstr("ResourceNotFoundException"));
  EXPECT_EQ(
      MustFail(
          "UpdateTable",
          R"({"TableName":"Tbl","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"idx"}},{"Delete":{"IndexName":"idx2"}}]})"),
      kOneAtATime);
  EXPECT_THAT(
      MustFail(
          "UpdateTable",
          R"({"TableName":"Tbl","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"idx"}},{"Delete":{"IndexName":"idx"}}]})"),
      HasSubstr("Only one global secondary index update per index is allowed simultaneously. Index: idx"));
  EXPECT_THAT(MustFail("UpdateTable", R"({"TableName":"Tbl","GlobalSecondaryIndexUpdates":[{}]})"),
              HasSubstr("must not be null"));
  EXPECT_THAT(MustFail("UpdateTable",
                       CreateRequest(Definition("g"), "idx2", Key("g"),
                                     R"(,"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1})")),
              HasSubstr("ProvisionedThroughput should not be specified for index: idx2"));
  for (int i = 2; i <= 20; ++i)
    MustCall("UpdateTable", CreateRequest(Definition("g"), "idx" + std::to_string(i), Key("g")));
  EXPECT_THAT(MustFail("UpdateTable", CreateRequest(Definition("g"), "idx21", Key("g"))),
              HasSubstr("GlobalSecondaryIndex count exceeds the per-table limit of 20"));
}

class SlowIndexUpdates : public IndexUpdates {
 protected:
  SlowIndexUpdates() : IndexUpdates(1000) {}
  void Step() { RunBlocking(index_backfill_.Step()); }
};

TEST_F(SlowIndexUpdates, OneIndexAtATimeAndNoDeletionOfTheTableMeanwhile) {
  for (int i = 0; i < 600; ++i)
    MustCall("PutItem", fmt::format(R"({{"TableName":"Tbl","Item":{{"pk":{{"S":"k{}"}},"g":{{"S":"x"}}}}}})", i));
  MustCall("UpdateTable", CreateRequest(Definition("g"), "idx", Key("g")));
  EXPECT_THAT(MustCall("DescribeTable", kDescribe), HasSubstr(R"("IndexStatus":"CREATING","Backfilling":false)"));
  EXPECT_THAT(MustFail("UpdateTable", DeleteRequest("idx")), HasSubstr("Table is being updated"));
  clock_.AdvanceMillis(1000);
  Step();
  const std::string described = MustCall("DescribeTable", kDescribe);
  EXPECT_THAT(described, HasSubstr(R"("TableStatus":"ACTIVE")"));
  EXPECT_THAT(described, HasSubstr(R"("IndexStatus":"CREATING","Backfilling":true)"));
  EXPECT_EQ(MustFail("UpdateTable", CreateRequest(Definition("g"), "idx2", Key("g"))), kOneAtATime);
  EXPECT_THAT(MustFail("DeleteTable", kDescribe), HasSubstr("ResourceInUseException"));
  Step();
  EXPECT_THAT(MustCall("DescribeTable", kDescribe), HasSubstr(R"("ItemCount":600,"IndexArn")"));
  MustCall("UpdateTable", DeleteRequest("idx"));
  EXPECT_THAT(MustFail("DeleteTable", kDescribe), HasSubstr("ResourceInUseException"));
  clock_.AdvanceMillis(1000);
  EXPECT_THAT(MustFail("UpdateTable", DeleteRequest("idx")), HasSubstr("Index is being deleted: idx"));
  Step();
  EXPECT_THAT(MustCall("DescribeTable", kDescribe), Not(HasSubstr("GlobalSecondaryIndexes")));
  MustCall("DeleteTable", kDescribe);
}

TEST_F(SlowIndexUpdates, AnIndexBeingBuiltCanBeDeleted) {
  for (int i = 0; i < 600; ++i)
    MustCall("PutItem", fmt::format(R"({{"TableName":"Tbl","Item":{{"pk":{{"S":"k{}"}},"g":{{"S":"x"}}}}}})", i));
  MustCall("UpdateTable", CreateRequest(Definition("g"), "idx", Key("g")));
  clock_.AdvanceMillis(1000);
  Step();
  EXPECT_THAT(MustCall("UpdateTable", DeleteRequest("idx")), HasSubstr(R"("IndexStatus":"DELETING")"));
  clock_.AdvanceMillis(1000);
  Step();
  EXPECT_THAT(MustCall("DescribeTable", kDescribe), Not(HasSubstr("GlobalSecondaryIndexes")));
}

}  // namespace
}  // namespace armature::api
