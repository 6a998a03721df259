// What every operation tells the Authorizer, and that it does nothing when it is told no.
#include "api/access.h"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <simdjson.h>

#include "api/access_testing.h"
#include "api/api_testing.h"

namespace armature::api {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

using Lines = std::vector<std::string>;

struct Case {
  std::string_view operation;
  std::string json;
  Lines accesses;
};

const std::string kTable = "arn:aws:dynamodb:us-east-1:123456789012:table/Games";
const std::string kKinesis = "arn:aws:kinesis:us-east-1:123456789012:stream/s";

// The table of AWS's own examples.
class AccessTest : public ApiFixture {
 protected:
  AccessTest() {
    MustCall("CreateTable", R"j({"TableName":"Games","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"UserId","AttributeType":"S"},
          {"AttributeName":"Title","AttributeType":"S"},{"AttributeName":"Score","AttributeType":"N"}],
        "KeySchema":[{"AttributeName":"UserId","KeyType":"HASH"},{"AttributeName":"Title","KeyType":"RANGE"}],
        "LocalSecondaryIndexes":[{"IndexName":"ByScore","Projection":{"ProjectionType":"ALL"},
          "KeySchema":[{"AttributeName":"UserId","KeyType":"HASH"},{"AttributeName":"Score","KeyType":"RANGE"}]}],
        "GlobalSecondaryIndexes":[{"IndexName":"ByTitle","Projection":{"ProjectionType":"ALL"},
          "KeySchema":[{"AttributeName":"Title","KeyType":"HASH"},{"AttributeName":"Score","KeyType":"RANGE"}]},
         {"IndexName":"ByBoth","Projection":{"ProjectionType":"ALL"},
          "KeySchema":[{"AttributeName":"Title","KeyType":"HASH"},{"AttributeName":"Score","KeyType":"HASH"}]}],
        "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})j");
    MustCall("PutItem",
             R"j({"TableName":"Games","Item":{"UserId":{"S":"u1"},"Title":{"S":"chess"},"Wins":{"N":"1"},
        "Played":{"N":"2"}}})j");
    stream_ = TextOf(MustCall("DescribeTable", R"j({"TableName":"Games"})j"), "/Table/LatestStreamArn");
    const std::string described = MustCall("DescribeStream", fmt::format(R"j({{"StreamArn":"{}"}})j", stream_));
    shard_ = TextOf(described, "/StreamDescription/Shards/0/ShardId");
    iterator_ = TextOf(MustCall("GetShardIterator", IteratorJson()), "/ShardIterator");
    const auto table = catalog_.Find({"123456789012", "us-east-1"}, "Games");
    partition_ = table->partitions().Find(0)->id();
    services_.authorizer = &authorizer_;
  }

  static std::string TextOf(const std::string& json, const char* pointer) {
    simdjson::dom::parser parser;
    return std::string(std::string_view(parser.parse(json).at_pointer(pointer)));
  }
  std::string IteratorJson() const {
    return fmt::format(R"j({{"StreamArn":"{}","ShardId":"{}","ShardIteratorType":"TRIM_HORIZON"}})j", stream_, shard_);
  }

  Lines Accesses(std::string_view operation, std::string_view json) {
    authorizer_.lines.clear();
    last_ = Call(operation, json);
    return authorizer_.lines;
  }
  std::string Access(std::string_view operation, std::string_view json) {
    const Lines lines = Accesses(operation, json);
    EXPECT_EQ(lines.size(), 1u) << operation << " " << json;
    EXPECT_TRUE(last_.ok) << operation << " " << json << " " << last_.ErrorText();
    return lines.empty() ? "" : lines[0];
  }

  std::vector<Case> Cases() const;

  RecordingAuthorizer authorizer_;
  std::string stream_, shard_, iterator_;
  storage::PartitionId partition_ = 0;
  Reply last_;
};

// At least one for every operation, in an order in which all of them succeed.
std::vector<Case> AccessTest::Cases() const {
  const std::string key = R"j("Key":{"UserId":{"S":"u1"},"Title":{"S":"chess"}})j";
  const std::string games = R"j({"TableName":"Games")j";
  const std::string items = " names=Title,UserId";
  const std::string arn = fmt::format(R"j({{"ResourceArn":"{}")j", kTable);
  const std::string kinesis = games + R"j(,"StreamArn":")j" + kKinesis + "\"";
  return {
      {"GetItem",
       games + "," + key + "}",
       {"dynamodb:GetItem " + kTable + " keys=u1" + items + " select=ALL_ATTRIBUTES capacity=NONE"}},
      {"GetItem",
       games + "," + key + R"j(,"ProjectionExpression":"Wins, #n.a","ExpressionAttributeNames":{"#n":"Notes"},
          "ReturnConsumedCapacity":"TOTAL"})j",
       {"dynamodb:GetItem " + kTable +
        " keys=u1 names=Notes,Title,UserId,Wins select=SPECIFIC_ATTRIBUTES capacity=TOTAL"}},
      {"PutItem",
       games + R"j(,"Item":{"UserId":{"S":"u1"},"Title":{"S":"go"},"Wins":{"N":"1"}},
          "ConditionExpression":"attribute_not_exists(Notes)"})j",
       {"dynamodb:PutItem " + kTable + " keys=u1 names=Notes,Title,UserId,Wins returns=NONE capacity=NONE"}},
      {"UpdateItem",
       games + "," + key + R"j(,"UpdateExpression":"SET Wins = Played + :o, Notes = :o",
          "ConditionExpression":"Wins = :o OR attribute_exists(Title)",
          "ExpressionAttributeValues":{":o":{"N":"1"}},"ReturnValues":"ALL_NEW"})j",
       {"dynamodb:UpdateItem " + kTable +
        " keys=u1 names=Notes,Played,Title,UserId,Wins returns=ALL_NEW capacity=NONE"}},
      {"UpdateItem",
       games + "," + key + R"j(,"AttributeUpdates":{"Wins":{"Value":{"N":"2"}}},
          "Expected":{"Title":{"Exists":true,"Value":{"S":"chess"}}}})j",
       {"dynamodb:UpdateItem " + kTable + " keys=u1 names=Title,UserId,Wins returns=NONE capacity=NONE"}},
      {"DeleteItem",
       games + R"j(,"Key":{"UserId":{"S":"u9"},"Title":{"S":"x"}},"ReturnValues":"ALL_OLD"})j",
       {"dynamodb:DeleteItem " + kTable + " keys=u9" + items + " returns=ALL_OLD capacity=NONE"}},
      {"DeleteItem",
       games + R"j(,"Key":{"UserId":{"S":"u9"},"Title":{"S":"x"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"})j",
       {"dynamodb:DeleteItem " + kTable + " keys=u9" + items + " returns=ALL_OLD capacity=NONE"}},
      // Once for what is given back, and once for what a failed condition shows.
      {"UpdateItem",
       games + "," + key + R"j(,"UpdateExpression":"SET Wins = :o","ConditionExpression":"attribute_exists(UserId)",
          "ExpressionAttributeValues":{":o":{"N":"1"}},"ReturnValues":"UPDATED_OLD",
          "ReturnValuesOnConditionCheckFailure":"ALL_OLD"})j",
       {"dynamodb:UpdateItem " + kTable + " keys=u1 names=Title,UserId,Wins returns=UPDATED_OLD capacity=NONE",
        "dynamodb:UpdateItem " + kTable + " keys=u1 names=Title,UserId,Wins returns=ALL_OLD capacity=NONE"}},
      {"Query",
       games + R"j(,"KeyConditionExpression":"UserId = :u AND Title > :t","FilterExpression":"Wins > :n",
          "ExpressionAttributeValues":{":u":{"S":"u1"},":t":{"S":"a"},":n":{"N":"0"}},
          "ExclusiveStartKey":{"UserId":{"S":"u1"},"Title":{"S":"b"}}})j",
       {"dynamodb:Query " + kTable + " keys=u1 names=Title,UserId,Wins select=ALL_ATTRIBUTES capacity=NONE"}},
      {"Query",
       games + R"j(,"IndexName":"ByScore","KeyConditionExpression":"UserId = :u",
          "ExpressionAttributeValues":{":u":{"S":"u1"}}})j",
       {"dynamodb:Query " + kTable +
        "/index/ByScore keys=u1 names=UserId select=ALL_PROJECTED_ATTRIBUTES capacity=NONE"}},
      {"Query",
       games + R"j(,"IndexName":"ByTitle","Select":"COUNT","KeyConditions":{"Title":
          {"ComparisonOperator":"EQ","AttributeValueList":[{"S":"chess"}]}}})j",
       {"dynamodb:Query " + kTable + "/index/ByTitle keys=chess names=Title select=COUNT capacity=NONE"}},
      {"Query",
       games + R"j(,"IndexName":"ByBoth","KeyConditionExpression":"Title = :t AND Score = :s",
          "ExpressionAttributeValues":{":t":{"S":"chess"},":s":{"N":"1.50"}}})j",
       {"dynamodb:Query " + kTable +
        "/index/ByBoth keys=chess second=1.5 names=Score,Title select=ALL_PROJECTED_ATTRIBUTES capacity=NONE"}},
      {"Scan",
       games + R"j(,"FilterExpression":"Wins > :n","ExpressionAttributeValues":{":n":{"N":"0"}}})j",
       {"dynamodb:Scan " + kTable + " names=Wins select=ALL_ATTRIBUTES capacity=NONE"}},
      {"Scan",
       games + R"j(,"IndexName":"ByTitle","AttributesToGet":["Wins"]})j",
       {"dynamodb:Scan " + kTable + "/index/ByTitle names=Wins select=SPECIFIC_ATTRIBUTES capacity=NONE"}},
      {"BatchGetItem",
       R"j({"RequestItems":{"Games":{"Keys":[{"UserId":{"S":"u2"},"Title":{"S":"b"}},
          {"UserId":{"S":"u1"},"Title":{"S":"a"}},{"UserId":{"S":"u1"},"Title":{"S":"c"}}]}}})j",
       {"dynamodb:BatchGetItem " + kTable + " keys=u1,u2" + items + " select=ALL_ATTRIBUTES capacity=NONE"}},
      {"BatchWriteItem",
       R"j({"RequestItems":{"Games":[
          {"PutRequest":{"Item":{"UserId":{"S":"u1"},"Title":{"S":"go"},"Wins":{"N":"1"}}}},
          {"DeleteRequest":{"Key":{"UserId":{"S":"u2"},"Title":{"S":"b"}}}}]}})j",
       {"dynamodb:BatchWriteItem " + kTable + " keys=u1,u2 names=Title,UserId,Wins capacity=NONE"}},
      {"TransactGetItems",
       R"j({"TransactItems":[{"Get":{"TableName":"Games","ProjectionExpression":"Wins",)j" + key + R"j(}},
          {"Get":{"TableName":"Games","Key":{"UserId":{"S":"u2"},"Title":{"S":"b"}}}}]})j",
       {"dynamodb:GetItem " + kTable +
            " keys=u1 names=Title,UserId,Wins select=SPECIFIC_ATTRIBUTES capacity=NONE in=TransactGetItems",
        "dynamodb:GetItem " + kTable + " keys=u2" + items +
            " select=ALL_ATTRIBUTES capacity=NONE in=TransactGetItems"}},
      {"TransactWriteItems",
       R"j({"TransactItems":[
          {"Update":{"TableName":"Games",)j" +
           key + R"j(,"UpdateExpression":"SET Wins = :o",
            "ExpressionAttributeValues":{":o":{"N":"1"}}}},
          {"ConditionCheck":{"TableName":"Games","Key":{"UserId":{"S":"u2"},"Title":{"S":"b"}},
            "ConditionExpression":"attribute_not_exists(Notes)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},
          {"Put":{"TableName":"Games","Item":{"UserId":{"S":"u3"},"Title":{"S":"c"}}}},
          {"Delete":{"TableName":"Games","Key":{"UserId":{"S":"u4"},"Title":{"S":"d"}}}}]})j",
       {"dynamodb:UpdateItem " + kTable +
            " keys=u1 names=Title,UserId,Wins returns=NONE capacity=NONE in=TransactWriteItems",
        "dynamodb:ConditionCheckItem " + kTable +
            " keys=u2 names=Notes,Title,UserId returns=ALL_OLD capacity=NONE in=TransactWriteItems",
        "dynamodb:PutItem " + kTable + " keys=u3" + items + " returns=NONE capacity=NONE in=TransactWriteItems",
        "dynamodb:DeleteItem " + kTable + " keys=u4" + items + " returns=NONE capacity=NONE in=TransactWriteItems"}},
      {"ExecuteStatement",
       R"j({"Statement":"SELECT * FROM Games WHERE UserId='u1' AND Title='chess'"})j",
       {"dynamodb:PartiQLSelect " + kTable + " keys=u1" + items + " select=ALL_ATTRIBUTES scan=no"}},
      {"ExecuteStatement",
       R"j({"Statement":"SELECT Wins FROM Games WHERE UserId='u1'"})j",
       {"dynamodb:PartiQLSelect " + kTable + " keys=u1 names=UserId,Wins select=SPECIFIC_ATTRIBUTES scan=no"}},
      {"ExecuteStatement",
       R"j({"Statement":"SELECT * FROM Games WHERE UserId IN ['u1','u2']"})j",
       {"dynamodb:PartiQLSelect " + kTable + " keys=u1,u2 names=UserId select=ALL_ATTRIBUTES scan=no"}},
      {"ExecuteStatement",
       R"j({"Statement":"SELECT * FROM Games WHERE Wins > 3"})j",
       {"dynamodb:PartiQLSelect " + kTable + " names=Wins select=ALL_ATTRIBUTES scan=yes"}},
      {"ExecuteStatement",
       R"j({"Statement":"SELECT * FROM Games.ByTitle WHERE Title='chess'"})j",
       {"dynamodb:PartiQLSelect " + kTable +
        "/index/ByTitle keys=chess names=Title select=ALL_PROJECTED_ATTRIBUTES scan=no"}},
      {"ExecuteStatement",
       R"j({"Statement":"INSERT INTO Games VALUE {'UserId':'u7','Title':'a','Wins':1,'Played':2}"})j",
       {"dynamodb:PartiQLInsert " + kTable + " keys=u7 names=Played,Title,UserId,Wins"}},
      {"ExecuteStatement",
       R"j({"Statement":"UPDATE Games SET Wins=Played+1 WHERE UserId='u7' AND Title='a' AND Wins=1 RETURNING ALL OLD *"})j",
       {"dynamodb:PartiQLUpdate " + kTable + " keys=u7 names=Played,Title,UserId,Wins returns=ALL_OLD"}},
      {"ExecuteStatement",
       R"j({"Statement":"DELETE FROM Games WHERE UserId='u7' AND Title='a'"})j",
       {"dynamodb:PartiQLDelete " + kTable + " keys=u7" + items + " returns=NONE"}},
      {"ExecuteStatement",
       R"j({"Statement":"UPDATE Games SET Wins=1 WHERE UserId='u1' AND Title='chess'",
          "ReturnValuesOnConditionCheckFailure":"ALL_OLD"})j",
       {"dynamodb:PartiQLUpdate " + kTable + " keys=u1 names=Title,UserId,Wins returns=ALL_OLD"}},
      {"BatchExecuteStatement",
       R"j({"Statements":[{"Statement":"SELECT * FROM Games WHERE UserId='u1' AND Title='a'"},
          {"Statement":"SELECT Wins FROM Games WHERE UserId=? AND Title='b'","Parameters":[{"S":"u2"}]}]})j",
       {"dynamodb:PartiQLSelect " + kTable + " keys=u1" + items + " select=ALL_ATTRIBUTES scan=no",
        "dynamodb:PartiQLSelect " + kTable + " keys=u2 names=Title,UserId,Wins select=SPECIFIC_ATTRIBUTES scan=no"}},
      {"ExecuteTransaction",
       R"j({"TransactStatements":[
          {"Statement":"EXISTS(SELECT * FROM Games WHERE UserId='u1' AND Title='chess' AND Wins > 0)"},
          {"Statement":"INSERT INTO Games VALUE {'UserId':'u8','Title':'a'}"}]
})j",
       {"dynamodb:PartiQLSelect " + kTable + " keys=u1 names=Title,UserId,Wins in=ExecuteTransaction",
        "dynamodb:PartiQLInsert " + kTable + " keys=u8" + items + " in=ExecuteTransaction"}},
      {"DescribeTable", games + "}", {"dynamodb:DescribeTable " + kTable}},
      {"ListTables", "{}", {"dynamodb:ListTables *"}},
      {"DescribeLimits", "{}", {"dynamodb:DescribeLimits *"}},
      {"DescribeEndpoints", "{}", {"dynamodb:DescribeEndpoints *"}},
      {"UpdateTimeToLive",
       games + R"j(,"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"Ends"}})j",
       {"dynamodb:UpdateTimeToLive " + kTable}},
      {"DescribeTimeToLive", games + "}", {"dynamodb:DescribeTimeToLive " + kTable}},
      {"TagResource",
       arn + R"j(,"Tags":[{"Key":"team","Value":"red"}]})j",
       {"dynamodb:TagResource " + kTable + " tag=team:red"}},
      {"UntagResource", arn + R"j(,"TagKeys":["team"]})j", {"dynamodb:UntagResource " + kTable + " untag=team"}},
      {"ListTagsOfResource", arn + "}", {"dynamodb:ListTagsOfResource " + kTable}},
      // Asked once more: whether he still could under the new policy.
      {"PutResourcePolicy",
       arn +
           R"j(,"Policy":"{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\"123456789012\"},\"Action\":\"dynamodb:*\",\"Resource\":\"*\"}]}"})j",
       {"dynamodb:PutResourcePolicy " + kTable, "dynamodb:PutResourcePolicy " + kTable}},
      {"GetResourcePolicy", arn + "}", {"dynamodb:GetResourcePolicy " + kTable}},
      {"DeleteResourcePolicy", arn + "}", {"dynamodb:DeleteResourcePolicy " + kTable}},
      {"EnableKinesisStreamingDestination",
       kinesis + "}",
       {"dynamodb:EnableKinesisStreamingDestination " + kTable, "kinesis:DescribeStream " + kKinesis,
        "kinesis:PutRecord " + kKinesis, "kinesis:PutRecords " + kKinesis}},
      {"DescribeKinesisStreamingDestination", games + "}", {"dynamodb:DescribeKinesisStreamingDestination " + kTable}},
      {"UpdateKinesisStreamingDestination",
       kinesis + R"j(,"UpdateKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"}})j",
       {"dynamodb:UpdateKinesisStreamingDestination " + kTable}},
      {"DisableKinesisStreamingDestination", kinesis + "}", {"dynamodb:DisableKinesisStreamingDestination " + kTable}},
      {"ListStreams", R"j({"TableName":"Games"})j", {"dynamodb:ListStreams *"}},
      {"DescribeStream", fmt::format(R"j({{"StreamArn":"{}"}})j", stream_), {"dynamodb:DescribeStream " + stream_}},
      {"GetShardIterator", IteratorJson(), {"dynamodb:GetShardIterator " + stream_}},
      {"GetRecords", fmt::format(R"j({{"ShardIterator":"{}"}})j", iterator_), {"dynamodb:GetRecords " + stream_}},
      {"ListPartitions", games + "}", {"armature:ListPartitions " + kTable}},
      {"SplitPartition",
       fmt::format(R"j({},"PartitionId":{}}})j", games, partition_),
       {"armature:SplitPartition " + kTable}},
      {"CreateTable",
       R"j({"TableName":"More","BillingMode":"PAY_PER_REQUEST",
          "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],
          "KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],"Tags":[{"Key":"k","Value":"v"}]})j",
       {"dynamodb:CreateTable arn:aws:dynamodb:us-east-1:123456789012:table/More tag=k:v",
        "dynamodb:TagResource arn:aws:dynamodb:us-east-1:123456789012:table/More tag=k:v"}},
      {"UpdateTable", games + R"j(,"DeletionProtectionEnabled":false})j", {"dynamodb:UpdateTable " + kTable}},
      {"DeleteTable", games + "}", {"dynamodb:DeleteTable " + kTable}},
  };
}

TEST_F(AccessTest, EveryOperationTellsWhatItTouches) {
  std::set<std::string_view> told;
  for (const Case& one : Cases()) {
    SCOPED_TRACE(fmt::format("{} {}", one.operation, one.json));
    EXPECT_THAT(Accesses(one.operation, one.json), ElementsAreArray(one.accesses));
    // Those of a Kinesis stream that nobody delivers to are refused after they were authorised.
    const bool is_refused =
        one.operation.find("ateKinesis") != std::string_view::npos || one.operation.starts_with("DisableKinesis");
    EXPECT_TRUE(last_.ok || is_refused) << last_.ErrorText();
    told.insert(one.operation);
  }
  for (const wire::OperationSchema& schema : wire::AllOperations())
    EXPECT_EQ(told.contains(schema.name), FindOperation(schema) != nullptr) << schema.name << " has no case";
}

TEST_F(AccessTest, WhoMayNotDoesNothing) {
  services_.authorizer = nullptr;
  const std::string before = MustCall("Scan", R"j({"TableName":"Games"})j");
  const std::string table_before = MustCall("DescribeTable", R"j({"TableName":"Games"})j");
  services_.authorizer = &authorizer_;
  authorizer_.refuses = true;
  for (const Case& one : Cases()) {
    SCOPED_TRACE(fmt::format("{} {}", one.operation, one.json));
    Accesses(one.operation, one.json);
    if (one.operation == "BatchExecuteStatement") {
      EXPECT_THAT(last_.body, HasSubstr(R"j("Code":"AccessDenied")j"));
      EXPECT_THAT(last_.body, Not(HasSubstr("Item")));
    } else {
      EXPECT_FALSE(last_.ok);
      EXPECT_EQ(last_.error.name, "AccessDeniedException");
    }
  }
  services_.authorizer = nullptr;
  EXPECT_EQ(MustCall("Scan", R"j({"TableName":"Games"})j"), before);
  EXPECT_EQ(MustCall("DescribeTable", R"j({"TableName":"Games"})j"), table_before);
  EXPECT_EQ(MustCall("ListTables", "{}"), R"j({"TableNames":["Games"]})j");
}

TEST_F(AccessTest, WhetherATableIsThereIsNotTold) {
  const std::string get = R"j({"TableName":"Nowhere","Key":{"UserId":{"S":"u1"}}})j";
  const std::string query = R"j({"TableName":"Nowhere","IndexName":"Idx","KeyConditionExpression":"a = :a",
      "ExpressionAttributeValues":{":a":{"S":"u1"}}})j";
  const std::string select = R"j({"Statement":"SELECT * FROM Nowhere WHERE UserId='u1'"})j";
  const std::string nowhere = "arn:aws:dynamodb:us-east-1:123456789012:table/Nowhere";
  EXPECT_THAT(Accesses("GetItem", get),
              ElementsAre("dynamodb:GetItem " + nowhere + " names=UserId select=ALL_ATTRIBUTES capacity=NONE"));
  EXPECT_THAT(
      Accesses("Query", query),
      ElementsAre("dynamodb:Query " + nowhere + "/index/Idx names=a select=ALL_PROJECTED_ATTRIBUTES capacity=NONE"));
  authorizer_.refuses = true;
  for (const auto& [operation, json] : {std::pair<std::string_view, std::string>{"GetItem", get},
                                        {"Query", query},
                                        {"ExecuteStatement", select},
                                        {"DescribeTable", R"j({"TableName":"Nowhere"})j"}})
    EXPECT_EQ(MustFail(operation, json).substr(0, 21), "AccessDeniedException") << operation;
}

// What statements cannot read says so to those only who may read it.
TEST_F(AccessTest, WhichIndexesATableHasIsNotToldByStatements) {
  authorizer_.refuses = true;
  for (const std::string_view what : {"*", "COUNT(*)"}) {  // the second is a fault by itself
    const auto fails = [&](std::string_view table) {
      return MustFail("ExecuteStatement",
                      fmt::format(R"j({{"Statement":"SELECT {} FROM {}.ByBoth WHERE Title='chess'"}})j", what, table));
    };
    EXPECT_EQ(fails("Games"), fails("Nowhere")) << what;
  }
  EXPECT_THAT(Accesses("ExecuteStatement", R"j({"Statement":"SELECT * FROM Games.ByBoth WHERE Title='chess'"})j"),
              ElementsAre("dynamodb:PartiQLSelect " + kTable +
                          "/index/ByBoth names=Title select=ALL_PROJECTED_ATTRIBUTES scan=no"));
  authorizer_.refuses = false;
  EXPECT_THAT(MustFail("ExecuteStatement", R"j({"Statement":"SELECT COUNT(*) FROM Games.ByBoth"})j"),
              HasSubstr("multi-attribute HASH keys"));
}

TEST_F(AccessTest, AnArnIsTheResourceItNames) {
  const std::string other = "arn:aws:dynamodb:eu-west-1:999999999999:table/Games";
  const auto get = [](const std::string& arn) {
    return fmt::format(R"j({{"TableName":"{}","Key":{{"UserId":{{"S":"u1"}},"Title":{{"S":"a"}}}}}})j", arn);
  };
  EXPECT_EQ(Access("GetItem", get(kTable)),
            "dynamodb:GetItem " + kTable + " keys=u1 names=Title,UserId select=ALL_ATTRIBUTES capacity=NONE");
  EXPECT_THAT(Accesses("GetItem", get(other)),
              ElementsAre("dynamodb:GetItem " + other + " names=Title,UserId select=ALL_ATTRIBUTES capacity=NONE"));
  EXPECT_FALSE(last_.ok);
}

TEST_F(AccessTest, WhereTablesAreSharedAnArnOfAnywhereIsTheTableItFinds) {
  services_.shares_tables = true;
  const std::string other = "arn:aws:dynamodb:eu-west-1:999999999999:table/Games";
  EXPECT_EQ(Access("DescribeTable", R"j({"TableName":")j" + other + "\"}"), "dynamodb:DescribeTable " + kTable);
  EXPECT_EQ(Access("Scan", R"j({"IndexName":"ByTitle","TableName":")j" + other + "\"}"),
            "dynamodb:Scan " + kTable + "/index/ByTitle select=ALL_PROJECTED_ATTRIBUTES capacity=NONE");
  EXPECT_EQ(Access("ExecuteStatement", R"j({"Statement":"SELECT * FROM \")j" + other + R"j(\""})j"),
            "dynamodb:PartiQLSelect " + kTable + " select=ALL_ATTRIBUTES scan=yes");
  EXPECT_EQ(Access("ListTagsOfResource", R"j({"ResourceArn":")j" + other + "\"}"),
            "dynamodb:ListTagsOfResource " + kTable);
  EXPECT_THAT(Accesses("GetResourcePolicy", R"j({"ResourceArn":")j" + other + "\"}"),
              ElementsAre("dynamodb:GetResourcePolicy " + kTable));
}

TEST_F(AccessTest, EachTableOfABatchIsOneAccess) {
  services_.authorizer = nullptr;
  CreateSimpleTable();
  services_.authorizer = &authorizer_;
  const Lines lines = Accesses("BatchWriteItem", R"j({"RequestItems":{
      "Games":[{"DeleteRequest":{"Key":{"UserId":{"S":"u1"},"Title":{"S":"a"}}}},
               {"DeleteRequest":{"Key":{"UserId":{"S":"u2"},"Title":{"S":"a"}}}}],
      "Tbl":[{"PutRequest":{"Item":{"pk":{"S":"k"},"x":{"N":"1"}}}}]}})j");
  EXPECT_THAT(lines, ElementsAre("dynamodb:BatchWriteItem " + kTable + " keys=u1,u2 names=Title,UserId capacity=NONE",
                                 "dynamodb:BatchWriteItem arn:aws:dynamodb:us-east-1:123456789012:table/Tbl keys=k "
                                 "names=pk,x capacity=NONE"));
  EXPECT_TRUE(last_.ok);
}

}  // namespace
}  // namespace armature::api
