#include "dax/translate/json_request.h"

#include <deque>

#include <gtest/gtest.h>

#include "dax/translate/translate_testing.h"

namespace armature::dax {
namespace {

class JsonRequestTest : public testing::Test {
 protected:
  // "PutItem {…}" of a message, or the error.
  std::string Json(std::string_view hex, const JsonRequestOptions& options = {}) {
    const ParsedRequest request = Read(hex);
    const auto json = WriteJsonRequest(request, SchemasOf(request), lists_, arena_, options);
    if (!json) return json.error().name + ": " + json.error().message;
    return std::string(json->operation) + " " + json->body;
  }
  ParsedRequest Read(std::string_view hex) {
    auto request = ReadRequest(messages_.emplace_back(Bytes(hex)), arena_);
    EXPECT_TRUE(request) << request.error().ToString();
    return request ? *request : ParsedRequest{};
  }
  std::span<const TableSchemaPtr> SchemasOf(const ParsedRequest& request) {
    schemas_.clear();
    for (const std::string_view table : TablesOf(request))
      schemas_.push_back(table == "Music" ? Music() : table == "Ids" ? Ids() : Series());
    return schemas_;
  }
  // Ids go up from 2.
  void Define(std::initializer_list<std::string_view> names) {
    ASSERT_TRUE(lists_.Intern(std::vector<std::string_view>(names)));
  }

  AttributeLists all_lists_{nullptr};
  const AccountLists lists_{all_lists_, "111122223333"};
  Arena arena_;
  std::deque<std::string> messages_;
  std::vector<TableSchemaPtr> schemas_;
};

constexpr char kHello[] = R"({"Artist":{"S":"Acme"},"Song":{"S":"Hello"}})";

TEST_F(JsonRequestTest, GetItem) {
  EXPECT_EQ(Json("01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f bf ff"),
            std::string(R"(GetItem {"TableName":"Music","Key":)") + kHello + "}");
  EXPECT_EQ(Json("01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f "
                 "bf 03 01 02 f5 00 51 82018282126459656172821264536f6e67 ff"),
            std::string(R"(GetItem {"TableName":"Music","Key":)") + kHello +
                R"(,"ConsistentRead":true,"ProjectionExpression":"#0,#1",)" +
                R"("ExpressionAttributeNames":{"#0":"Year","#1":"Song"},"ReturnConsumedCapacity":"TOTAL"})");
}

TEST_F(JsonRequestTest, PutItem) {
  Define({"Price", "Year"});
  EXPECT_EQ(Json("01 3a7d8e7e56 45 4d75736963 4a 6441636d6548656c6c6f 4d 02 fb3ff8000000000000 1907cf "
                 "bf 07 02 04 4e 8301820c82126641727469737480 06 01 ff"),
            R"(PutItem {"TableName":"Music","Item":{"Artist":{"S":"Acme"},"Price":{"N":"1.5"},"Song":{"S":"Hello"},)"
            R"x("Year":{"N":"1999"}},"ConditionExpression":"attribute_not_exists(#0)",)x"
            R"("ExpressionAttributeNames":{"#0":"Artist"},"ReturnValues":"ALL_OLD",)"
            R"("ReturnItemCollectionMetrics":"SIZE"})");
  EXPECT_EQ(Json("01 3a7d8e7e56 43 496473 41 07 41 01 bf ff"),
            R"(PutItem {"TableName":"Ids","Item":{"id":{"N":"7"}}})");
}

TEST_F(JsonRequestTest, UpdateItem) {
  constexpr std::string_view kUpdate =
      "01 1a54f89c0f 45 4d75736963 4a 6441636d6548656c6c6f "
      "bf 07 05 08 582d 8301828313821265506c6179738318198317821265506c61797382110082110182168212655072696365820001 ff";
  const std::string before = std::string(R"(UpdateItem {"TableName":"Music","Key":)") + kHello +
                             R"(,"UpdateExpression":"SET #0=if_not_exists(#0,:0)+:1 REMOVE #1",)"
                             R"("ExpressionAttributeNames":{"#0":"Plays","#1":"Price"},)"
                             R"("ExpressionAttributeValues":{":0":{"N":"0"},":1":{"N":"1"}},"ReturnValues":)";
  EXPECT_EQ(Json(kUpdate), before + R"("UPDATED_NEW"})");
  EXPECT_EQ(Json(kUpdate, {.return_values = ReturnValues::kAllNew}), before + R"("ALL_NEW"})");
  // An update of nothing, and one that makes an item of its key.
  EXPECT_EQ(Json("01 1a54f89c0f 43 496473 41 07 bf 08 44 83018080 ff"),
            R"(UpdateItem {"TableName":"Ids","Key":{"id":{"N":"7"}},"UpdateExpression":""})");
  EXPECT_EQ(Json("01 1a54f89c0f 43 496473 41 07 bf ff"), R"(UpdateItem {"TableName":"Ids","Key":{"id":{"N":"7"}}})");
}

TEST_F(JsonRequestTest, WhatAnUpdateIsAskedForTheCache) {
  const auto asks = [&](std::string_view options) {
    return ReturnValuesForCache(Read("01 1a54f89c0f 43 496473 41 07 " + std::string(options)), arena_);
  };
  EXPECT_EQ(asks("a0"), ReturnValues::kAllNew);
  EXPECT_EQ(asks("a1 07 01"), ReturnValues::kAllNew);
  EXPECT_EQ(asks("a1 07 04"), ReturnValues::kAllNew);
  EXPECT_EQ(asks("a1 07 02"), std::nullopt) << "ALL_OLD";
  EXPECT_EQ(asks("a1 07 03"), std::nullopt) << "UPDATED_OLD";
  EXPECT_EQ(asks("a2 07 05 08 4d 8301 81 82 16 82 12 64 59656172 80"), ReturnValues::kAllNew) << "REMOVE Year";
  EXPECT_EQ(asks("a2 07 05 08 4c 8301 81 82 16 83 12 616d 616e 80"), std::nullopt) << "REMOVE m.n is a part";
  EXPECT_EQ(ReturnValuesForCache(Read("01 1a3c696221 43 496473 41 07 a0"), arena_), std::nullopt) << "a deletion";
}

TEST_F(JsonRequestTest, DeleteItem) {
  EXPECT_EQ(Json("01 1a3c696221 45 4d75736963 4a 6441636d6548656c6c6f bf 07 02 ff"),
            std::string(R"(DeleteItem {"TableName":"Music","Key":)") + kHello + R"(,"ReturnValues":"ALL_OLD"})");
}

TEST_F(JsonRequestTest, Query) {
  EXPECT_EQ(Json("01 3a3781c2ae 46 536572696573 "
                 "581e 83018306830082126673656e736f72821100830482126174821101820529 bf 0e 00 0d 01 ff"),
            R"(Query {"TableName":"Series","KeyConditionExpression":"#0=:0 AND t>:1",)"
            R"("ExpressionAttributeNames":{"#0":"sensor"},)"
            R"("ExpressionAttributeValues":{":0":{"N":"5"},":1":{"N":"-10"}},"Limit":1,"ScanIndexForward":false})");
  EXPECT_EQ(
      Json("01 3a3781c2ae 46 536572696573 52 8301830082126673656e736f728211008105 bf 09 45 053ee3fff0 02 01 ff"),
      R"(Query {"TableName":"Series","KeyConditionExpression":"#0=:0","ExpressionAttributeNames":{"#0":"sensor"},)"
      R"("ExpressionAttributeValues":{":0":{"N":"5"}},)"
      R"("ExclusiveStartKey":{"sensor":{"N":"5"},"t":{"N":"-1"}},"ConsistentRead":true})");
  EXPECT_EQ(Json("01 3a3781c2ae 45 4d75736963 52 8301830082126459656172821100811907cf "
                 "bf 0b 46 627959656172 09 581a bf64596561721907cf64536f6e676141664172746973746142ff ff"),
            R"(Query {"TableName":"Music","IndexName":"byYear","KeyConditionExpression":"#0=:0",)"
            R"("ExpressionAttributeNames":{"#0":"Year"},"ExpressionAttributeValues":{":0":{"N":"1999"}},)"
            R"("ExclusiveStartKey":{"Artist":{"S":"B"},"Song":{"S":"A"},"Year":{"N":"1999"}}})");
  // DynamoDB says that the condition is missing.
  EXPECT_EQ(Json("01 3a3781c2ae 46 536572696573 f6 bf ff"), R"(Query {"TableName":"Series"})");
}

TEST_F(JsonRequestTest, ExpressionsOfOneRequestShareNamesAndValues) {
  EXPECT_EQ(Json("01 3a3781c2ae 46 536572696573 52 8301830082126673656e736f728211008105 "
                 "bf 0a 52 8301830082126673656e736f728211008105 00 4c 82018182126673656e736f72 ff"),
            R"(Query {"TableName":"Series","KeyConditionExpression":"#0=:0","FilterExpression":"#0=:0",)"
            R"("ProjectionExpression":"#0","ExpressionAttributeNames":{"#0":"sensor"},)"
            R"("ExpressionAttributeValues":{":0":{"N":"5"}}})");
}

TEST_F(JsonRequestTest, Scan) {
  EXPECT_EQ(Json("01 3a6fc8309b 46 536572696573 bf 11 04 10 00 0d 01 0a 4e 8301830e82126176821100816178 ff"),
            R"x(Scan {"TableName":"Series","FilterExpression":"begins_with(v,:0)",)x"
            R"("ExpressionAttributeValues":{":0":{"S":"x"}},"Limit":1,"Segment":0,"TotalSegments":4})");
  EXPECT_EQ(Json("01 3a6fc8309b 46 536572696573 bf 0f 03 ff"), R"(Scan {"TableName":"Series","Select":"COUNT"})");
}

TEST_F(JsonRequestTest, Batches) {
  EXPECT_EQ(Json("01 3a29985cdb a2 63 496473 83 f4 f6 82 41 08 41 07 "
                 "65 4d75736963 83 f5 4b 820181821265506c617973 81 4a 6441636d6548656c6c6f bf 03 01 ff"),
            std::string(R"(BatchGetItem {"RequestItems":{"Ids":{"Keys":[{"id":{"N":"8"}},{"id":{"N":"7"}}]},)"
                        R"("Music":{"Keys":[)") +
                kHello + R"(],"ConsistentRead":true,"ProjectionExpression":"#0",)" +
                R"("ExpressionAttributeNames":{"#0":"Plays"}}},"ReturnConsumedCapacity":"TOTAL"})");
  // Two forms of one key: DynamoDB finds that they are the same.
  EXPECT_EQ(Json("01 3a29985cdb a1 63 496473 83 f4 f6 82 41 0a 44 c4820101 bf 03 00 ff"),
            R"(BatchGetItem {"RequestItems":{"Ids":{"Keys":[{"id":{"N":"10"}},{"id":{"N":"10"}}]}},)"
            R"("ReturnConsumedCapacity":"NONE"})");
  Define({"v"});
  EXPECT_EQ(Json("01 1a06ed585f a1 63 496473 84 41 08 43 02 6177 41 07 f6 bf ff"),
            R"(BatchWriteItem {"RequestItems":{"Ids":[{"PutRequest":{"Item":{"id":{"N":"8"},"v":{"S":"w"}}}},)"
            R"({"DeleteRequest":{"Key":{"id":{"N":"7"}}}}]}})");
}

TEST_F(JsonRequestTest, Transactions) {
  EXPECT_EQ(Json("01 1a6f3d49db 82 43 496473 43 496473 82 41 09 41 08 82 f6 47 82018182126179 bf 03 01 ff"),
            R"(TransactGetItems {"TransactItems":[{"Get":{"TableName":"Ids","Key":{"id":{"N":"9"}}}},)"
            R"({"Get":{"TableName":"Ids","Key":{"id":{"N":"8"}},"ProjectionExpression":"y"}}],)"
            R"("ReturnConsumedCapacity":"TOTAL"})");
  Define({"v"});
  EXPECT_EQ(
      Json("01 3a4524c569 84 02 09 07 0c 84 43 496473 43 496473 43 496473 43 496473 84 41 09 41 08 41 0a 41 0b "
           "84 43 02 6171 f6 f6 f6 f6 84 01 01 01 02 84 f6 f6 f6 4a 8301820c821262696480 "
           "84 f6 4f 83018183138212617982110081616e f6 f6 bf 13 63 746f6b ff"),
      R"(TransactWriteItems {"TransactItems":[)"
      R"({"Put":{"TableName":"Ids","Item":{"id":{"N":"9"},"v":{"S":"q"}},"ReturnValuesOnConditionCheckFailure":"NONE"}},)"
      R"({"Update":{"TableName":"Ids","Key":{"id":{"N":"8"}},"UpdateExpression":"SET y=:0",)"
      R"("ExpressionAttributeValues":{":0":{"S":"n"}},"ReturnValuesOnConditionCheckFailure":"NONE"}},)"
      R"({"Delete":{"TableName":"Ids","Key":{"id":{"N":"10"}},"ReturnValuesOnConditionCheckFailure":"NONE"}},)"
      R"x({"ConditionCheck":{"TableName":"Ids","Key":{"id":{"N":"11"}},"ConditionExpression":"attribute_not_exists(#0)",)x"
      R"("ExpressionAttributeNames":{"#0":"id"},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}],)"
      R"("ClientRequestToken":"tok"})");
}

TEST_F(JsonRequestTest, WhatCannotBeToldToDynamoDb) {
  EXPECT_EQ(Json("01 3a6fc8309b 46 536572696573 bf 0f 09 ff"),
            "ValidationException: Select has a value that is not known: 9");
  EXPECT_EQ(Json("01 1a3c696221 43 496473 41 07 bf 07 00 ff"),
            "ValidationException: 1 validation error detected: ReturnValues has a value that is not known: 0");
  EXPECT_EQ(
      Json("01 1a3c696221 43 496473 41 07 bf 03 20 ff"),
      "ValidationException: 1 validation error detected: ReturnConsumedCapacity has a value that is not known: -1");
  EXPECT_EQ(Json("01 3a4524c569 81 03 81 43 496473 81 41 09 f6 f6 f6 f6 f6 f6"),
            "ValidationException: Unknown action in a transaction: 3");
  EXPECT_NE(Json("01 3a4524c569 81 02 81 43 496473 81 41 09 f6 f6 f6 f6 f6 f6").find("Exception: "), std::string::npos)
      << "a put of nothing";
  EXPECT_NE(Json("01 3a7d8e7e56 43 496473 41 07 43 1863 00 bf ff").find("Exception: "), std::string::npos)
      << "a list that nobody has defined";
  EXPECT_NE(Json("01 1a0fb0cc6a 43 496473 42 6161 bf ff").find("Exception: "), std::string::npos)
      << "a text for a number";
  EXPECT_EQ(Json("01 3a6fc8309b 41 ff bf ff").substr(0, 22), "SerializationException") << "no UTF-8";
}

}  // namespace
}  // namespace armature::dax
