#include <set>

#include <gmock/gmock.h>

#include "api/query/query_testing.h"

namespace armature::api {
namespace {

using testing::HasSubstr;

class ScanTest : public QueryFixture {
 protected:
  ScanTest() { CreateIndexedTable(); }

  void PutMany(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      Put(R"({"pk":{"S":"p)" + n + R"("},"sk":{"N":"1"},"n":{"N":")" + n + R"("},"b":{"N":"5"},"g":{"N":")" +
          std::to_string(i % 3) + R"("},"h":{"S":"h"}})");
    }
  }
};

TEST_F(ScanTest, ReturnsEveryItemOnceOverPages) {
  PutMany(50);
  for (const std::string_view index : {"", R"(,"IndexName":"ByB")", R"(,"IndexName":"OnG")"}) {
    std::multiset<std::string> seen;
    for (const auto& page : Pages("Scan", R"("Limit":7)" + std::string(index))) {
      EXPECT_LE(page.scanned_count, 7);
      seen.insert(page.items.begin(), page.items.end());
    }
    EXPECT_EQ(seen.size(), 50u);
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 50u);
  }
}

TEST_F(ScanTest, SegmentsAreDisjointAndComplete) {
  PutMany(60);
  for (const int total : {1, 2, 3, 7}) {
    std::multiset<std::string> seen;
    for (int segment = 0; segment < total; ++segment) {
      const std::string part =
          R"("Segment":)" + std::to_string(segment) + R"(,"TotalSegments":)" + std::to_string(total);
      std::vector<std::string> at_once = Parse(Scan(part)).items, in_pages;
      for (const auto& page : Pages("Scan", part + R"(,"Limit":4)"))
        in_pages.insert(in_pages.end(), page.items.begin(), page.items.end());
      EXPECT_EQ(at_once, in_pages);
      seen.insert(at_once.begin(), at_once.end());
    }
    EXPECT_EQ(seen.size(), 60u);
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 60u);
  }
}

TEST_F(ScanTest, SegmentsAreChecked) {
  EXPECT_EQ(
      ScanError(R"("Segment":0)"),
      "The TotalSegments parameter is required but was not present in the request when Segment parameter is present");
  EXPECT_EQ(
      ScanError(R"("TotalSegments":4)"),
      "The Segment parameter is required but was not present in the request when parameter TotalSegments is present");
  EXPECT_EQ(ScanError(R"("Segment":5,"TotalSegments":5)"),
            "The Segment parameter is zero-based and must be less than parameter TotalSegments");
  EXPECT_EQ(
      ScanError(R"("Limit":0)"),
      "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater "
      "than or equal to 1");
}

TEST_F(ScanTest, FiltersMayUseKeys) {
  PutMany(10);
  const auto page = Parse(
      Scan(R"("FilterExpression":"pk = :p OR n > :n","ExpressionAttributeValues":{":p":{"S":"p1"},":n":{"N":"7"}})"));
  EXPECT_EQ(page.count, 3);
  EXPECT_EQ(page.scanned_count, 10);
  EXPECT_EQ(Scan(R"("Select":"COUNT")"), R"({"Count":10,"ScannedCount":10})");
  EXPECT_EQ(Parse(Scan(R"("ScanFilter":{"n":{"ComparisonOperator":"LT","AttributeValueList":[{"N":"4"}]}})")).count, 4);
  EXPECT_EQ(ScanError(R"j("FilterExpression":"attribute_exists(pk.x)")j"),
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk");
  EXPECT_EQ(ScanError(R"("ScanFilter":{},"FilterExpression":"a = b")"),
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
            "{ScanFilter} Expression parameters: {FilterExpression}");
  EXPECT_EQ(ScanError(R"("ExpressionAttributeValues":{":p":{"S":"p"}})"),
            "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null");
}

TEST_F(ScanTest, SelectsAttributes) {
  PutMany(1);
  EXPECT_EQ(Scan(R"("ProjectionExpression":"n")"), R"({"Items":[{"n":{"N":"0"}}],"Count":1,"ScannedCount":1})");
  EXPECT_EQ(Scan(R"("AttributesToGet":["n","none"])"), R"({"Items":[{"n":{"N":"0"}}],"Count":1,"ScannedCount":1})");
  EXPECT_THAT(Scan(R"("IndexName":"ByB","Select":"ALL_ATTRIBUTES")"), HasSubstr(R"("n":{"N":"0"})"));
  EXPECT_EQ(ScanError(R"("IndexName":"OnG","ProjectionExpression":"n")"),
            "One or more parameter values were invalid: Global secondary index OnG does not project [n]");
  EXPECT_EQ(
      ScanError(R"("Select":"SPECIFIC_ATTRIBUTES")"),
      "1 validation error detected: Must specify the AttributesToGet or ProjectionExpression when choosing to get "
      "SPECIFIC_ATTRIBUTES");
  EXPECT_EQ(ScanError(R"("Select":"ALL_PROJECTED_ATTRIBUTES","ProjectionExpression":"n")"),
            "Cannot specify the ProjectionExpression when choosing to get ALL_PROJECTED_ATTRIBUTES");
  EXPECT_EQ(ScanError(R"("IndexName":"OnG","ConsistentRead":true)"),
            "Consistent reads are not supported on global secondary indexes");
  EXPECT_EQ(ScanError(R"("IndexName":"None")"), "The table does not have the specified index: None");
  EXPECT_EQ(MustFail("Scan", R"({"TableName":"None"})"), "ResourceNotFoundException: Requested resource not found");
}

TEST_F(ScanTest, TheStartKeyIsChecked) {
  PutMany(20);
  const std::string mismatch = "The provided starting key is invalid";
  EXPECT_EQ(ScanError(R"("ExclusiveStartKey":{"pk":{"S":"p"}})"), mismatch);
  EXPECT_EQ(ScanError(R"("ExclusiveStartKey":{"pk":{"S":"p"},"sk":{"S":"1"}})"), mismatch);
  EXPECT_EQ(ScanError(R"("IndexName":"OnG","ExclusiveStartKey":{"pk":{"S":"p"},"sk":{"N":"1"}})"),
            "The provided starting key is invalid");
  const std::string last = Parse(Scan(R"("Limit":1,"Segment":1,"TotalSegments":2)")).last_key;
  ASSERT_NE(last, "");
  EXPECT_EQ(
      ScanError(R"("Segment":0,"TotalSegments":2,"ExclusiveStartKey":)" + last),
      "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct "
      "Segment. TotalSegments: 2 Segment: 0");
}

TEST_F(ScanTest, EveryPartitionOnDemandCostsAUnit) {
  const auto units = [&](std::string_view members) {
    const std::string body = Scan(R"("ReturnConsumedCapacity":"TOTAL")" + std::string(members));
    const size_t at = body.find(R"("CapacityUnits":)") + 16;
    return std::stod(body.substr(at));
  };
  EXPECT_EQ(units(""), 2.0);
  EXPECT_EQ(units(R"(,"ConsistentRead":true)"), 4.0);
  EXPECT_EQ(units(R"(,"ConsistentRead":true,"Segment":1,"TotalSegments":4)"), 1.0);
  EXPECT_EQ(units(R"(,"ConsistentRead":true,"Segment":0,"TotalSegments":2)"), 2.0);
  const std::string payload(9000, 'x');
  for (int i = 0; i < 4; ++i)
    Put(R"({"pk":{"S":"p"},"sk":{"N":")" + std::to_string(i) + R"("},"z":{"S":")" + payload + R"("}})");
  EXPECT_EQ(units(R"(,"ConsistentRead":true)"), 9.0);  // 36 KB and a little

  MustCall("CreateTable",
           R"({"TableName":"Fixed","ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":5},
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})");
  EXPECT_THAT(MustCall("Scan", R"({"TableName":"Fixed","ReturnConsumedCapacity":"TOTAL"})"),
              HasSubstr(R"("CapacityUnits":0.5)"));
}

}  // namespace
}  // namespace armature::api
