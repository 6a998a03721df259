#include <gmock/gmock.h>

#include "api/query/query_testing.h"

namespace armature::api {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kOfP = R"("KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}})";

class QueryTest : public QueryFixture {
 protected:
  QueryTest() { CreateIndexedTable(); }

  // Items of partition p: sk 1, 2, 3, with a = c, b, a.
  void PutThree() {
    Put(R"({"pk":{"S":"p"},"sk":{"N":"1"},"a":{"S":"c"},"b":{"N":"1"},"g":{"N":"7"},"h":{"S":"x"},"x":{"S":"X"},"y":{"S":"Y"}})");
    Put(R"({"pk":{"S":"p"},"sk":{"N":"2"},"a":{"S":"b"},"b":{"N":"2"},"g":{"N":"7"},"h":{"S":"x"},"x":{"S":"X"},"y":{"S":"Z"}})");
    Put(R"({"pk":{"S":"p"},"sk":{"N":"3"},"a":{"S":"a"}})");
  }

  // The sk values of a reply, in order.
  static std::string SortKeys(const std::string& body) {
    std::string keys;
    for (const std::string& item : Parse(body).items) {
      const size_t at = item.find(R"("sk":{"N":")");
      if (at != std::string::npos) keys += item.substr(at + 11, item.find('"', at + 11) - at - 11) + " ";
    }
    return keys;
  }

  std::string Keys(std::string_view condition, std::string_view values, std::string_view more = "") {
    return SortKeys(Query(R"("KeyConditionExpression":")" + std::string(condition) +
                          R"(","ExpressionAttributeValues":{)" + std::string(values) + "}" + std::string(more)));
  }
};

TEST_F(QueryTest, ReturnsItemsInSortOrderWithCounts) {
  PutThree();
  Put(R"({"pk":{"S":"q"},"sk":{"N":"1"}})");
  const std::string body = Query(kOfP);
  EXPECT_EQ(SortKeys(body), "1 2 3 ");
  EXPECT_THAT(body, HasSubstr(R"("Count":3,"ScannedCount":3})"));
  EXPECT_EQ(Query(R"("KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"none"}})"),
            R"({"Items":[],"Count":0,"ScannedCount":0})");
}

TEST_F(QueryTest, TakesEveryOperatorOnTheSortKey) {
  PutThree();
  Put(R"({"pk":{"S":"p"},"sk":{"N":"-10"}})");
  Put(R"({"pk":{"S":"p"},"sk":{"N":"10"}})");
  const std::string p = R"(":p":{"S":"p"})", v = p + R"(,":v":{"N":"2"})", w = v + R"(,":w":{"N":"10.0"})";
  EXPECT_EQ(Keys("pk = :p", p), "-10 1 2 3 10 ");
  EXPECT_EQ(Keys("pk = :p AND sk = :v", v), "2 ");
  EXPECT_EQ(Keys("pk = :p AND sk < :v", v), "-10 1 ");
  EXPECT_EQ(Keys("pk = :p AND sk <= :v", v), "-10 1 2 ");
  EXPECT_EQ(Keys("sk > :v AND pk = :p", v), "3 10 ");
  EXPECT_EQ(Keys("pk = :p AND :v <= sk", v), "2 3 10 ");
  EXPECT_EQ(Keys("pk = :p AND sk BETWEEN :v AND :w", w), "2 3 10 ");
  EXPECT_EQ(Keys("pk = :p", p, R"(,"ScanIndexForward":false)"), "10 3 2 1 -10 ");
  EXPECT_EQ(Keys("pk = :p AND begins_with(a, :a)", p + R"(,":a":{"S":"b"})", R"(,"IndexName":"ByAll")"), "2 ");
}

TEST_F(QueryTest, TakesLegacyKeyConditions) {
  PutThree();
  const std::string hash = R"("KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"p"}]})";
  EXPECT_EQ(SortKeys(Query(hash + "}")), "1 2 3 ");
  EXPECT_EQ(SortKeys(Query(hash + R"(,"sk":{"ComparisonOperator":"GE","AttributeValueList":[{"N":"2"}]}})")), "2 3 ");
  EXPECT_EQ(QueryError(hash + R"(,"sk":{"ComparisonOperator":"NE","AttributeValueList":[{"N":"2"}]}})"),
            "Attempted conditional constraint is not an indexable operation");
  EXPECT_EQ(QueryError(R"("KeyConditions":{})"), "Conditions can be of length 1 or 2 only");
  const std::string filter = R"(,"QueryFilter":{"y":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"Z"}]})";
  EXPECT_EQ(SortKeys(Query(hash + "}" + filter + "}")), "2 ");
  EXPECT_EQ(SortKeys(Query(
                hash + "}" + filter +
                R"(,"a":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"a"}]}},"ConditionalOperator":"OR")")),
            "2 3 ");
  EXPECT_EQ(QueryError(hash + R"(},"QueryFilter":{"sk":{"ComparisonOperator":"NOT_NULL"}})"),
            "QueryFilter can only contain non-primary key attributes: Primary key attribute: sk");
  EXPECT_EQ(QueryError(hash + R"(},"ConditionalOperator":"AND")"),
            "ConditionalOperator cannot be used without Filter or Expected");
  EXPECT_EQ(
      Query(hash + R"(},"AttributesToGet":["y"],"Limit":1)"),
      R"({"Items":[{"y":{"S":"Y"}}],"Count":1,"ScannedCount":1,"LastEvaluatedKey":{"pk":{"S":"p"},"sk":{"N":"1"}}})");
  EXPECT_EQ(QueryError(hash + R"(},"AttributesToGet":["y","y"])"),
            "One or more parameter values were invalid: Duplicate value in attribute name: y");
}

TEST_F(QueryTest, ParametersThatDoNotGoTogetherAreRefusedFirst) {
  EXPECT_EQ(
      QueryError(
          R"("KeyConditions":{},"KeyConditionExpression":"pk = :p","ProjectionExpression":"a","ConditionalOperator":"OR",
      "QueryFilter":{},"AttributesToGet":["a"],"FilterExpression":"a = b")"),
      "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
      "{AttributesToGet, QueryFilter, ConditionalOperator, KeyConditions} Expression parameters: "
      "{ProjectionExpression, FilterExpression, KeyConditionExpression}");
  EXPECT_EQ(QueryError(R"("ExpressionAttributeValues":{":p":{"S":"p"}})"),
            "ExpressionAttributeValues can only be specified when using expressions: FilterExpression and "
            "KeyConditionExpression are null");
  EXPECT_EQ(QueryError(""),
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
  EXPECT_EQ(
      QueryError(R"("KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"},":q":{"S":"p"}})"),
      "Value provided in ExpressionAttributeValues unused in expressions: keys: {:q}");
  EXPECT_EQ(QueryError(R"("KeyConditionExpression":"","ExpressionAttributeValues":{":p":{"S":"p"}})"),
            "Invalid KeyConditionExpression: The expression can not be empty;");
}

TEST_F(QueryTest, KeyConditionsFitTheSchema) {
  const auto error = [&](std::string_view condition, std::string_view values, std::string_view more = "") {
    return QueryError(R"("KeyConditionExpression":")" + std::string(condition) + R"(","ExpressionAttributeValues":{)" +
                      std::string(values) + "}" + std::string(more));
  };
  EXPECT_EQ(error("sk = :v", R"(":v":{"N":"1"})"), "Query condition missed key schema element: pk");
  EXPECT_EQ(error("pk = :v AND a = :v", R"(":v":{"S":"1"})"), "Query condition missed key schema element: sk");
  EXPECT_EQ(error("pk = :v OR pk = :v", R"(":v":{"S":"1"})"), "Invalid operator used in KeyConditionExpression: OR");
  EXPECT_EQ(error("pk = :v AND sk = :v", R"(":v":{"S":"1"})"),
            "One or more parameter values were invalid: Condition parameter type does not match schema type");
  EXPECT_EQ(
      error("pk = :v", R"(":v":{"S":""})"),
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
      "string value. Key: pk");
  EXPECT_EQ(
      error("h = :v", R"(":v":{"S":""})", R"(,"IndexName":"OnKeys")"),
      "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The "
      "AttributeValue for a key attribute cannot contain an empty string value. IndexName: OnKeys, IndexKey: h");
  EXPECT_EQ(
      error("pk = :v", R"(":v":{"S":")" + std::string(2049, 'x') + R"("})"),
      "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes");
}

TEST_F(QueryTest, TableAndIndexMustExist) {
  EXPECT_EQ(MustFail("Query", R"({"TableName":"None",)" + std::string(kOfP) + "}"),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(QueryError(std::string(kOfP) + R"(,"IndexName":"None")"),
            "The table does not have the specified index: None");
  EXPECT_EQ(
      QueryError(
          R"("IndexName":"OnG","ConsistentRead":true,"KeyConditionExpression":"g = :g","ExpressionAttributeValues":{":g":{"N":"7"}})"),
      "Consistent reads are not supported on global secondary indexes");
  EXPECT_EQ(Query(std::string(kOfP) + R"(,"IndexName":"ByA","ConsistentRead":true)"),
            R"({"Items":[],"Count":0,"ScannedCount":0})");
}

TEST_F(QueryTest, FiltersAfterReadingAndBeforeCounting) {
  PutThree();
  const std::string filtered =
      R"("KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"},":y":{"S":"Z"}},
      "FilterExpression":"y = :y")";
  EXPECT_THAT(Query(filtered), HasSubstr(R"("Count":1,"ScannedCount":3})"));
  // A page without items still goes on.
  EXPECT_EQ(Query(filtered + R"(,"Limit":1)"),
            R"({"Items":[],"Count":0,"ScannedCount":1,"LastEvaluatedKey":{"pk":{"S":"p"},"sk":{"N":"1"}}})");
  const auto error = [&](std::string_view filter, std::string_view index) {
    return QueryError(std::string(kOfP) + R"(,"FilterExpression":")" + std::string(filter) + '"' + std::string(index));
  };
  EXPECT_EQ(error("a = sk", ""),
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk");
  EXPECT_EQ(error("attribute_exists(pk.x)", ""),
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: pk");
  EXPECT_EQ(error("a = x", R"(,"IndexName":"ByA")"),
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: a");
  EXPECT_EQ(error("attribute_exists(g.x)", ""),
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: g");
  // The table's own key may be filtered where the index does not use it.
  EXPECT_EQ(Keys("g = :g", R"(":g":{"N":"7"},":s":{"N":"2"})", R"(,"IndexName":"OnG","FilterExpression":"sk = :s")"),
            "2 ");
}

TEST_F(QueryTest, SelectsAttributes) {
  PutThree();
  const std::string first = std::string(kOfP) + R"(,"Limit":1)";
  EXPECT_THAT(Query(first + R"(,"ProjectionExpression":"y")"), HasSubstr(R"("Items":[{"y":{"S":"Y"}}])"));
  EXPECT_THAT(Query(first + R"(,"ProjectionExpression":"y","Select":"SPECIFIC_ATTRIBUTES")"), HasSubstr(R"("y")"));
  EXPECT_EQ(Query(std::string(kOfP) + R"(,"Select":"COUNT")"), R"({"Count":3,"ScannedCount":3})");
  const std::string prefix = "1 validation error detected: ";
  EXPECT_EQ(
      QueryError(std::string(kOfP) + R"(,"Select":"SPECIFIC_ATTRIBUTES")"),
      prefix + "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES");
  EXPECT_EQ(QueryError(std::string(kOfP) + R"(,"Select":"ALL_PROJECTED_ATTRIBUTES")"),
            prefix + "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
  EXPECT_EQ(QueryError(std::string(kOfP) + R"(,"Select":"ALL_ATTRIBUTES","ProjectionExpression":"y")"),
            prefix + "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES");
  EXPECT_EQ(QueryError(std::string(kOfP) + R"(,"Select":"COUNT","ProjectionExpression":"y")"),
            prefix + "Cannot specify the ProjectionExpression when choosing to get only the Count");
}

TEST_F(QueryTest, AGlobalIndexHasOnlyWhatItProjects) {
  PutThree();
  const std::string on_g =
      R"("IndexName":"OnG","KeyConditionExpression":"g = :g","ExpressionAttributeValues":{":g":{"N":"7"}})";
  const std::string body = Query(on_g);
  EXPECT_THAT(body, HasSubstr(R"({"g":{"N":"7"},"h":{"S":"x"},"pk":{"S":"p"},"sk":{"N":"1"},"x":{"S":"X"}})"));
  EXPECT_THAT(body, Not(HasSubstr(R"("y")")));
  EXPECT_THAT(body, HasSubstr(R"("Count":2)"));  // sparse
  EXPECT_EQ(QueryError(on_g + R"(,"ProjectionExpression":"y, pk, z.q")"),
            "One or more parameter values were invalid: Global secondary index OnG does not project [y, z]");
  EXPECT_EQ(
      QueryError(on_g + R"(,"Select":"ALL_ATTRIBUTES")"),
      "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary "
      "index OnG because its projection type is not ALL");
  EXPECT_THAT(Query(R"("IndexName":"OnAll","Select":"ALL_ATTRIBUTES","KeyConditionExpression":"g = :g",
      "ExpressionAttributeValues":{":g":{"N":"7"}})"),
              HasSubstr(R"("y":{"S":"Y"})"));
}

TEST_F(QueryTest, ALocalIndexFetchesWhatItDoesNotProject) {
  PutThree();
  const std::string by_b = std::string(kOfP) + R"(,"IndexName":"ByB","ReturnConsumedCapacity":"INDEXES")";
  std::string body = Query(by_b);
  EXPECT_THAT(body, HasSubstr(R"({"b":{"N":"1"},"pk":{"S":"p"},"sk":{"N":"1"},"x":{"S":"X"}})"));
  EXPECT_THAT(
      body,
      HasSubstr(
          R"("ConsumedCapacity":{"TableName":"Tbl","CapacityUnits":0.5,"Table":{"CapacityUnits":0.0},"LocalSecondaryIndexes":{"ByB":{"CapacityUnits":0.5}}})"));
  body = Query(by_b + R"(,"Select":"ALL_ATTRIBUTES","ConsistentRead":true)");
  EXPECT_THAT(body, HasSubstr(R"("y":{"S":"Y"})"));
  EXPECT_THAT(
      body,
      HasSubstr(
          R"("CapacityUnits":3.0,"Table":{"CapacityUnits":2.0},"LocalSecondaryIndexes":{"ByB":{"CapacityUnits":1.0}})"));
  EXPECT_THAT(Query(by_b + R"(,"ProjectionExpression":"y")"),
              HasSubstr(R"("Items":[{"y":{"S":"Y"}},{"y":{"S":"Z"}}])"));
  EXPECT_THAT(Query(by_b + R"(,"ProjectionExpression":"x")"), HasSubstr(R"("Table":{"CapacityUnits":0.0})"));
  EXPECT_THAT(Query(by_b + R"(,"Select":"COUNT")"), HasSubstr(R"("Table":{"CapacityUnits":0.0})"));
  // Not for the sake of a filter.
  EXPECT_EQ(QueryError(R"("IndexName":"ByB","KeyConditionExpression":"pk = :p","FilterExpression":"y = :y",
      "ExpressionAttributeValues":{":p":{"S":"p"},":y":{"S":"Z"}})"),
            "One or more parameter values were invalid: Secondary index ByB does not project one or more filter "
            "attributes: [y]");
}

TEST_F(QueryTest, PagesCarryTheWholeKeyOfTheLastRow) {
  PutThree();
  const auto last_key = [&](std::string_view members) {
    return Parse(Query(std::string(members) + R"(,"Limit":1)")).last_key;
  };
  EXPECT_EQ(last_key(kOfP), R"({"pk":{"S":"p"},"sk":{"N":"1"}})");
  EXPECT_EQ(last_key(std::string(kOfP) + R"(,"IndexName":"ByA")"), R"({"a":{"S":"a"},"pk":{"S":"p"},"sk":{"N":"3"}})");
  EXPECT_EQ(
      last_key(R"("IndexName":"OnG","KeyConditionExpression":"g = :g","ExpressionAttributeValues":{":g":{"N":"7"}})"),
      R"({"g":{"N":"7"},"h":{"S":"x"},"pk":{"S":"p"},"sk":{"N":"1"}})");
  // A full key names one item; there is nothing behind it.
  EXPECT_EQ(
      last_key(
          R"("KeyConditionExpression":"pk = :p AND sk = :s","ExpressionAttributeValues":{":p":{"S":"p"},":s":{"N":"1"}})"),
      "");
}

TEST_F(QueryTest, TheStartKeyIsChecked) {
  PutThree();
  const auto error = [&](std::string_view key, std::string_view members = kOfP) {
    return QueryError(std::string(members) + R"(,"ExclusiveStartKey":)" + std::string(key));
  };
  EXPECT_EQ(error(R"({"pk":{"S":"p"},"sk":{"N":"x"}})"), "The parameter cannot be converted to a numeric value: x");
  EXPECT_EQ(error(R"({"pk":{"S":"p"}})"), "The provided starting key is invalid");
  EXPECT_EQ(error(R"({"pk":{"S":"p"},"sk":{"N":"1"},"z":{"N":"1"}})"), "The provided starting key is invalid");
  EXPECT_EQ(error(R"({"pk":{"S":"p"},"sk":{"S":"1"}})"), "The provided key element does not match the schema");
  EXPECT_EQ(error(R"({"pk":{"S":"q"},"sk":{"N":"1"}})"),
            "The provided starting key is outside query boundaries based on provided conditions");
  const std::string_view above =
      R"("KeyConditionExpression":"pk = :p AND sk > :s","ExpressionAttributeValues":{":p":{"S":"p"},":s":{"N":"1"}})";
  EXPECT_EQ(error(R"({"pk":{"S":"p"},"sk":{"N":"1"}})", above),
            "The provided starting key does not match the range key predicate");
  EXPECT_EQ(error(R"({"pk":{"S":"q"},"sk":{"N":"2"}})", above),
            "The query can return at most one row and cannot be restarted");
  const std::string_view one =
      R"("KeyConditionExpression":"pk = :p AND sk = :s","ExpressionAttributeValues":{":p":{"S":"p"},":s":{"N":"1"}})";
  EXPECT_EQ(error(R"({"pk":{"S":"p"},"sk":{"N":"1"}})", one),
            "The query can return at most one row and cannot be restarted");
  const std::string by_a = std::string(kOfP) + R"(,"IndexName":"ByA")";
  EXPECT_EQ(error(R"({"pk":{"S":"p"},"sk":{"N":"1"}})", by_a), "The provided starting key is invalid");
  EXPECT_EQ(error(R"({"pk":{"S":"p"},"sk":{"S":"1"},"a":{"S":"a"}})", by_a),
            "The provided starting key is invalid: The provided key element does not match the schema");
  // It need not exist.
  EXPECT_EQ(SortKeys(Query(std::string(kOfP) + R"(,"ExclusiveStartKey":{"pk":{"S":"p"},"sk":{"N":"1.5"}})")), "2 3 ");
  EXPECT_EQ(SortKeys(Query(std::string(kOfP) +
                           R"(,"ScanIndexForward":false,"ExclusiveStartKey":{"pk":{"S":"p"},"sk":{"N":"1.5"}})")),
            "1 ");
}

TEST_F(QueryTest, AHashTableCannotBeRestarted) {
  MustCall("CreateTable",
           R"({"TableName":"Hash","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})");
  MustCall("PutItem", R"({"TableName":"Hash","Item":{"pk":{"S":"p"}}})");
  const std::string request = R"({"TableName":"Hash","Limit":1,)" + std::string(kOfP);
  EXPECT_EQ(MustCall("Query", request + "}"), R"({"Items":[{"pk":{"S":"p"}}],"Count":1,"ScannedCount":1})");
  EXPECT_EQ(MustFail("Query", request + R"(,"ExclusiveStartKey":{"pk":{"S":"p"}}})"),
            "ValidationException: The provided exclusive start key is invalid: ExclusiveStartKey: {pk=AttributeValue: "
            "{S:p}}");
}

TEST_F(QueryTest, APageEndsAtOneMegabyte) {
  const std::string payload(100 * 1024, 'x');
  for (int i = 10; i < 35; ++i)
    Put(R"({"pk":{"S":"p"},"sk":{"N":")" + std::to_string(i) + R"("},"x":{"S":")" + payload + R"("}})");
  for (const std::string_view direction : {"", R"(,"ScanIndexForward":false)"}) {
    const auto pages = Pages("Query", std::string(kOfP) + std::string(direction));
    ASSERT_EQ(pages.size(), 3u);
    EXPECT_EQ(pages[0].count, 11);  // the item that reaches the megabyte is the last
    EXPECT_EQ(pages[1].count, 11);
    EXPECT_EQ(pages[2].count, 3);
  }
}

TEST_F(QueryTest, CapacityIsRoundedOverTheWholePage) {
  const std::string payload(3000, 'x');
  for (int i = 1; i <= 3; ++i)
    Put(R"({"pk":{"S":"p"},"sk":{"N":")" + std::to_string(i) + R"("},"z":{"S":")" + payload + R"("}})");
  const std::string total = std::string(kOfP) + R"(,"ReturnConsumedCapacity":"TOTAL")";
  EXPECT_THAT(Query(total), HasSubstr(R"("ConsumedCapacity":{"TableName":"Tbl","CapacityUnits":1.5})"));
  EXPECT_THAT(Query(total + R"(,"ConsistentRead":true)"), HasSubstr(R"("CapacityUnits":3.0})"));
  EXPECT_THAT(Query(total + R"(,"ConsistentRead":true,"ProjectionExpression":"pk")"),
              HasSubstr(R"("CapacityUnits":3.0})"));
  EXPECT_THAT(
      Query(
          R"("KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"none"}},"ReturnConsumedCapacity":"INDEXES")"),
      HasSubstr(R"("CapacityUnits":0.5,"Table":{"CapacityUnits":0.5}})"));
  EXPECT_THAT(
      Query(
          R"("IndexName":"OnG","KeyConditionExpression":"g = :g","ExpressionAttributeValues":{":g":{"N":"7"}},"ReturnConsumedCapacity":"INDEXES")"),
      HasSubstr(
          R"("CapacityUnits":0.5,"Table":{"CapacityUnits":0.0},"GlobalSecondaryIndexes":{"OnG":{"CapacityUnits":0.5}}})"));
}

TEST_F(QueryTest, KeysOfSeveralAttributes) {
  PutThree();
  const auto keys = [&](std::string_view condition, std::string_view values) {
    return Keys(condition, R"(":g":{"N":"7"},":h":{"S":"x"})" + std::string(values), R"(,"IndexName":"Multi")");
  };
  EXPECT_EQ(keys("h = :h AND g = :g", ""), "1 2 ");
  EXPECT_EQ(keys("b > :b AND h = :h AND g = :g", R"(,":b":{"N":"1"})"), "2 ");
  EXPECT_EQ(keys("g = :g AND h = :h AND b = :b AND begins_with(a, :a)", R"(,":b":{"N":"1"},":a":{"S":"c"})"), "1 ");
  EXPECT_EQ(
      QueryError(
          R"("IndexName":"Multi","KeyConditionExpression":"g = :g","ExpressionAttributeValues":{":g":{"N":"7"}})"),
      "Query condition missed key schema element: h");
  const auto page = Parse(Query(R"("IndexName":"Multi","Limit":1,"KeyConditionExpression":"g = :g AND h = :h",
      "ExpressionAttributeValues":{":g":{"N":"7"},":h":{"S":"x"}})"));
  EXPECT_EQ(page.last_key,
            R"({"a":{"S":"c"},"b":{"N":"1"},"g":{"N":"7"},"h":{"S":"x"},"pk":{"S":"p"},"sk":{"N":"1"}})");
}

class UnbuiltIndexTest : public ApiFixture {
 protected:
  static constexpr int64_t kDelayMillis = 1000;
  UnbuiltIndexTest() : ApiFixture(kDelayMillis) {}
};

TEST_F(UnbuiltIndexTest, IsNotRead) {
  CreateSimpleTable();
  clock_.AdvanceMillis(kDelayMillis);
  MustCall("UpdateTable", R"({"TableName":"Tbl","AttributeDefinitions":[{"AttributeName":"g","AttributeType":"S"}],
      "GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"idx","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],
      "Projection":{"ProjectionType":"ALL"}}}]})");
  const std::string error = "ValidationException: Cannot read from backfilling global secondary index: idx";
  EXPECT_EQ(MustFail("Query", R"({"TableName":"Tbl","IndexName":"idx","KeyConditionExpression":"g = :g",
      "ExpressionAttributeValues":{":g":{"S":"x"}}})"),
            error);
  EXPECT_EQ(MustFail("Scan", R"({"TableName":"Tbl","IndexName":"idx"})"), error);
}

}  // namespace
}  // namespace armature::api
