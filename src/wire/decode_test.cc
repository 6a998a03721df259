#include "wire/decode.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/json/json_document.h"

namespace armature::wire {
namespace {

using ::testing::HasSubstr;

// Everything a decoded request points into.
struct Decoded {
  Arena arena;
  DecodeErrors errors;
  std::unique_ptr<JsonDocument> document;
};

template <class Input>
model::ApiResult<const Input*> DecodeOnly(Decoded& to, std::string_view json) {
  auto document = JsonDocument::Parse(json);
  if (!document) return document.error();
  to.document = std::make_unique<JsonDocument>(std::move(*document));
  Input* input = to.arena.New<Input>();
  auto result = DecodeRequest(SchemaOf(Input::kOperation), to.document->root(), to.arena, to.errors, input);
  if (!result) return result.error();
  return static_cast<const Input*>(input);
}

template <class Input>
std::string TypeError(std::string_view json) {
  Decoded decoded;
  auto result = DecodeOnly<Input>(decoded, json);
  if (result) return "no error";
  EXPECT_EQ(result.error().name, "SerializationException");
  return result.error().has_message ? result.error().message : "(bare)";
}

// The deferred error of PutItem's only attribute.
std::string ValueError(std::string_view attribute_json) {
  Decoded decoded;
  auto put = DecodeOnly<PutItemInput>(decoded, R"({"Item":{"a":)" + std::string(attribute_json) + "}}");
  if (!put) return "immediate: " + put.error().message;
  const AttributeMap& item = (*put)->Item;
  return item.first_error == nullptr ? "no error" : item.first_error->message;
}

TEST(DecodeTest, FillsMembersOfEveryKind) {
  Decoded decoded;
  auto result = DecodeOnly<CreateTableInput>(decoded, R"({
      "TableName": "t", "DeletionProtectionEnabled": "YES", "Unknown": [1, {"x": 2}], "BillingMode": null,
      "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
      "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6.9}})");
  ASSERT_TRUE(result);
  const CreateTableInput& request = **result;
  EXPECT_EQ(*request.TableName, "t");
  EXPECT_TRUE(request.DeletionProtectionEnabled.value_or(false));
  EXPECT_FALSE(request.BillingMode);
  EXPECT_FALSE(request.GlobalSecondaryIndexes);
  ASSERT_EQ(request.KeySchema.size(), 2u);
  EXPECT_EQ(*request.KeySchema[1].AttributeName, "sk");
  ASSERT_NE(request.ProvisionedThroughput, nullptr);
  EXPECT_EQ(*request.ProvisionedThroughput->ReadCapacityUnits, 5);
  EXPECT_EQ(*request.ProvisionedThroughput->WriteCapacityUnits, 6);
  EXPECT_EQ(request.StreamSpecification, nullptr);
}

TEST(DecodeTest, MapsKeepRequestOrderAndTheLastOfEqualKeys) {
  Decoded decoded;
  auto result = DecodeOnly<GetItemInput>(decoded, R"({"ExpressionAttributeNames":{"#b":"1","#a":"2","#b":"3"}})");
  ASSERT_TRUE(result);
  const auto& names = (*result)->ExpressionAttributeNames;
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names.begin()->key, "#a");
  ASSERT_NE(names.Find("#b"), nullptr);
  EXPECT_EQ(*names.Find("#b"), "3");
}

TEST(DecodeTest, LargeMapsWithRepeatedKeys) {
  std::string json = R"({"ExpressionAttributeNames":{)";
  for (int i = 0; i < 40; ++i) json += "\"#n" + std::to_string(i % 30) + "\":\"" + std::to_string(i) + "\",";
  json.back() = '}';
  json += "}";
  Decoded decoded;
  auto result = DecodeOnly<GetItemInput>(decoded, json);
  ASSERT_TRUE(result);
  EXPECT_EQ((*result)->ExpressionAttributeNames.size(), 30u);
  EXPECT_EQ(*(*result)->ExpressionAttributeNames.Find("#n3"), "33");
}

TEST(DecodeTest, NestedRequestsOfBatchesAndTransactions) {
  Decoded decoded;
  auto batch = DecodeOnly<BatchWriteItemInput>(
      decoded,
      R"({"RequestItems":{"t":[{"PutRequest":{"Item":{"k":{"S":"v"}}}},{"DeleteRequest":{"Key":{"k":{"N":"1"}}}}]}})");
  ASSERT_TRUE(batch);
  const auto* writes = (*batch)->RequestItems.Find("t");
  ASSERT_NE(writes, nullptr);
  ASSERT_EQ(writes->size(), 2u);
  EXPECT_EQ((*writes)[0].PutRequest->Item.entries[0].value.str(), "v");
  EXPECT_EQ((*writes)[0].DeleteRequest, nullptr);

  auto get =
      DecodeOnly<BatchGetItemInput>(decoded, R"({"RequestItems":{"t":{"Keys":[{"k":{"S":"a"}},{"k":{"S":"b"}}]}}})");
  ASSERT_TRUE(get);
  EXPECT_EQ((*get)->RequestItems.Find("t")->Keys[1].entries[0].value.str(), "b");

  auto transact = DecodeOnly<TransactWriteItemsInput>(
      decoded, R"({"TransactItems":[{"Delete":{"TableName":"t","Key":{"k":{"S":"a"}}}}]})");
  ASSERT_TRUE(transact);
  EXPECT_EQ(*(*transact)->TransactItems[0].Delete->TableName, "t");
}

TEST(DecodeTest, WrongTypesForStrings) {
  EXPECT_EQ(TypeError<GetItemInput>(R"({"TableName":1})"), "NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"TableName":1.5})"), "DECIMAL_VALUE cannot be converted to String");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"TableName":true})"), "TRUE_VALUE cannot be converted to String");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"TableName":false})"), "FALSE_VALUE cannot be converted to String");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"TableName":[]})"), "Unrecognized collection type class java.lang.String");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"TableName":{}})"), "Start of structure or map found where not expected");
}

TEST(DecodeTest, WrongTypesForNumbersAndBooleans) {
  EXPECT_EQ(TypeError<ScanInput>(R"({"Limit":"1"})"), "STRING_VALUE cannot be converted to Integer");
  EXPECT_EQ(TypeError<ScanInput>(R"({"Limit":[]})"), "Unrecognized collection type class java.lang.Integer");
  EXPECT_EQ(TypeError<CreateTableInput>(R"({"ProvisionedThroughput":{"ReadCapacityUnits":"1"}})"),
            "STRING_VALUE cannot be converted to Long");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"ConsistentRead":"maybe"})"), "Unexpected token received from parser");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"ConsistentRead":1})"), "NUMBER_VALUE cannot be converted to Boolean");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"ConsistentRead":"no"})"), "no error");
}

TEST(DecodeTest, WrongTypesForCollectionsAndStructures) {
  EXPECT_EQ(TypeError<GetItemInput>(R"({"AttributesToGet":"a"})"), "Unexpected field type");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"AttributesToGet":{}})"), "Start of structure or map found where not expected");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"AttributesToGet":[1]})"), "NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"ExpressionAttributeNames":[]})"),
            "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"Key":"k"})"), "Unexpected field type");
  EXPECT_EQ(
      TypeError<GetItemInput>(R"({"Key":[]})"),
      "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"Key":{"k":"v"}})"), "Unexpected value type in payload");
  EXPECT_EQ(TypeError<GetItemInput>(R"({"Key":{"k":[]}})"),
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
  EXPECT_EQ(TypeError<CreateTableInput>(R"({"ProvisionedThroughput":1})"), "Unexpected field type");
  EXPECT_EQ(TypeError<CreateTableInput>(R"({"KeySchema":[1]})"), "Unexpected value type in payload");
  EXPECT_EQ(TypeError<CreateTableInput>(R"({"KeySchema":[[]]})"),
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeySchemaElement");
  EXPECT_EQ(TypeError<PutItemInput>(R"({"Expected":{"a":{"Value":"x"}}})"), "Unexpected field type");
  EXPECT_EQ(TypeError<GetItemInput>("[]"),
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.GetItemInput");
  EXPECT_EQ(TypeError<GetItemInput>("\"x\""), "Unexpected value type in payload");
}

TEST(DecodeTest, WrongTypesInsideAttributeValues) {
  EXPECT_EQ(ValueError(R"({"N":3})"), "immediate: NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(ValueError(R"({"S":[]})"), "immediate: Unrecognized collection type class java.lang.String");
  EXPECT_EQ(ValueError(R"({"B":1})"), "immediate: only base-64-encoded strings are convertible to bytes");
  EXPECT_EQ(ValueError(R"({"B":"abc"})"),
            "immediate: Base64 encoded length is expected a multiple of 4 bytes but found: 3");
  EXPECT_EQ(ValueError(R"({"B":"ab=="})"), "immediate: Invalid last non-pad Base64 character dectected");
  EXPECT_EQ(ValueError(R"({"SS":"a"})"), "immediate: Unexpected field type");
  EXPECT_EQ(ValueError(R"({"SS":[1]})"), "immediate: NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(ValueError(R"({"L":[1]})"), "immediate: Unexpected value type in payload");
  EXPECT_EQ(ValueError(R"({"M":[]})"),
            "immediate: Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.AttributeValue>");
  EXPECT_EQ(ValueError(R"({"BOOL":5})"), "immediate: NUMBER_VALUE cannot be converted to Boolean");
}

TEST(DecodeTest, AttributeValuesOfEveryType) {
  Decoded decoded;
  auto put = DecodeOnly<PutItemInput>(decoded, R"({"Item":{
      "s":{"S":"x\u0000y"},"n":{"N":"1.50"},"b":{"B":"AAE="},"t":{"BOOL":true},"z":{"NULL":true},"ss":{"SS":["b","a"]},
      "ns":{"NS":["10","9"]},"bs":{"BS":["Yg==","YQ=="]},"l":{"L":[{"S":""},{"L":[]}]},"m":{"M":{"y":{"N":"1"},"x":{"N":"2"}}},
      "null-and-unknown":{"S":null,"Q":1,"N":"7"}}})");
  ASSERT_TRUE(put) << put.error().message;
  const AttributeMap& item = (*put)->Item;
  ASSERT_EQ(item.first_error, nullptr) << item.first_error->message;
  auto at = [&](std::string_view name) -> const model::Value& { return *model::FindAttribute(item.item(), name); };
  EXPECT_EQ(at("s").str(), std::string_view("x\0y", 3));
  EXPECT_EQ(at("n").number().ToString(), "1.5");
  EXPECT_EQ(at("b").str(), std::string_view("\0\1", 2));
  EXPECT_TRUE(at("t").boolean());
  EXPECT_TRUE(at("z").is(model::Type::kNull));
  EXPECT_EQ(at("ss").strings()[0], "a");
  EXPECT_EQ(at("ns").numbers()[0].ToString(), "9");
  EXPECT_EQ(at("bs").strings()[1], "b");
  EXPECT_EQ(at("l").list().size(), 2u);
  EXPECT_EQ(at("m").map()[0].name, "x");
  EXPECT_EQ(at("null-and-unknown").number().ToString(), "7");
}

TEST(DecodeTest, FaultsOfAttributeValuesAreKept) {
  EXPECT_EQ(ValueError("{}"), "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  EXPECT_EQ(ValueError(R"({"S":null})"),
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  EXPECT_EQ(
      ValueError(R"({"S":"a","N":"1"})"),
      "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes");
  EXPECT_EQ(ValueError(R"({"N":""})"), "The parameter cannot be converted to a numeric value: ");
  EXPECT_EQ(ValueError(R"({"N":"b"})"), "The parameter cannot be converted to a numeric value: b");
  EXPECT_EQ(ValueError(R"({"NULL":false})"),
            "One or more parameter values were invalid: Null attribute value types must have the value of true");
  EXPECT_EQ(ValueError(R"({"NULL":"no"})"),
            "One or more parameter values were invalid: Null attribute value types must have the value of true");
  EXPECT_EQ(ValueError(R"({"SS":[]})"), "One or more parameter values were invalid: An string set  may not be empty");
  EXPECT_EQ(ValueError(R"({"NS":[]})"), "One or more parameter values were invalid: An number set  may not be empty");
  EXPECT_EQ(ValueError(R"({"BS":[]})"), "One or more parameter values were invalid: Binary sets should not be empty");
  EXPECT_EQ(ValueError(R"({"SS":["b","a","b"]})"),
            "One or more parameter values were invalid: Input collection [\"a\", \"b\", \"b\"] contains duplicates.");
  EXPECT_EQ(ValueError(R"({"NS":["1","1.0"]})"),
            "One or more parameter values were invalid: Input collection contains duplicates.");
  EXPECT_EQ(ValueError(R"({"NS":["1","x"]})"), "The parameter cannot be converted to a numeric value: x");
  EXPECT_EQ(
      ValueError(R"({"BS":["Yg==","Yg=="]})"),
      "One or more parameter values were invalid: Input collection [\"Yg==\",\"Yg==\"]of type BS contains duplicates.");
  EXPECT_EQ(ValueError(R"({"L":[{"S":"a"},{"M":{"x":{"N":"q"}}}]})"),
            "The parameter cannot be converted to a numeric value: q");
}

TEST(DecodeTest, AttributeNamesMayNotBeEmpty) {
  const std::string empty_name = "One or more parameter values were invalid: Empty attribute name";
  EXPECT_EQ(ValueError(R"({"M":{"":{"S":"x"}}})"), empty_name);
  Decoded decoded;
  auto put = DecodeOnly<PutItemInput>(decoded, R"({"Item":{"":{"S":"x"}},"ExpressionAttributeValues":{"":{"S":"x"}}})");
  ASSERT_TRUE(put);
  ASSERT_NE((*put)->Item.first_error, nullptr);
  EXPECT_EQ((*put)->Item.first_error->message, empty_name);
  EXPECT_EQ((*put)->ExpressionAttributeValues.first_error, nullptr);  // its keys have a syntax of their own
}

TEST(DecodeTest, FaultsOfOneValueComeInDynamoDbsOrder) {
  EXPECT_EQ(ValueError(R"({"SS":[],"N":"b"})"), "The parameter cannot be converted to a numeric value: b");
  EXPECT_EQ(ValueError(R"({"SS":["a","a"],"NULL":false})"),
            "One or more parameter values were invalid: Null attribute value types must have the value of true");
  EXPECT_EQ(ValueError(R"({"L":[{}],"NS":[]})"),
            "One or more parameter values were invalid: An number set  may not be empty");
}

std::string NestedLists(int levels) {
  std::string json = R"({"S":"x"})";
  for (int i = 1; i < levels; ++i) json.insert(0, R"({"L":[)").append("]}");
  return json;
}

TEST(DecodeTest, NestingIsLimitedTo32Levels) {
  EXPECT_EQ(ValueError(NestedLists(32)), "no error");
  EXPECT_THAT(ValueError(NestedLists(33)), HasSubstr("Nesting Levels have exceeded supported limits"));
  EXPECT_THAT(ValueError(NestedLists(400)), HasSubstr("Nesting Levels have exceeded supported limits"));
  EXPECT_EQ(ValueError(NestedLists(600)),
            "immediate: ");  // beyond what the parser follows: a bare SerializationException
}

TEST(DecodeTest, TheFirstFaultOfAMapIsNamedByKey) {
  Decoded decoded;
  auto put = DecodeOnly<PutItemInput>(decoded, R"({"ExpressionAttributeValues":{":z":{"N":"x"},":a":{"SS":[]}}})");
  ASSERT_TRUE(put);
  const AttributeMap& values = (*put)->ExpressionAttributeValues;
  ASSERT_NE(values.first_error, nullptr);
  EXPECT_EQ(InvalidExpressionValue(model::kItemWriteWording, values).message,
            "The parameter cannot be converted to a numeric value: x");
  EXPECT_EQ(InvalidExpressionValue(model::kScanWording, values).message,
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: x "
            "for key :z");
}

TEST(DecodeTest, ABodyFullOfFaultsKeepsFewOfThem) {
  std::string json = R"({"Item":{"a":{"L":[{"N":"first"})";
  for (int i = 0; i < 10'000; ++i) json += R"(,{"N":"x"})";
  Decoded decoded;
  auto put = DecodeOnly<PutItemInput>(decoded, json + "]}}}");
  ASSERT_TRUE(put);
  EXPECT_EQ((*put)->Item.first_error->message, "The parameter cannot be converted to a numeric value: first");
  EXPECT_LT(decoded.errors.size(), 1000u);
}

TEST(DecodeTest, JsonThatDoesNotParseIsABareSerializationException) {
  for (std::string_view json :
       {"", "{", "{\"a\":1", "{\"a\":NaN}", "{'a':1}", "nul", "{\"a\":\"\xff\"}", "{\"a\":01}", "{}x"}) {
    auto document = JsonDocument::Parse(json);
    ASSERT_FALSE(document) << json;
    EXPECT_EQ(document.error().name, "SerializationException");
    EXPECT_FALSE(document.error().has_message);
  }
  EXPECT_FALSE(JsonDocument::Parse(std::string(5000, '[')));
}

TEST(DecodeTest, DocumentsAreIndependentOfEachOther) {
  auto first = JsonDocument::Parse(R"({"a":"first"})");
  auto second = JsonDocument::Parse(R"({"a":"second"})");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(std::string_view(first->root()["a"]), "first");
  EXPECT_EQ(std::string_view(second->root()["a"]), "second");
  const JsonDocument moved = std::move(*first);
  *second = std::move(*JsonDocument::Parse(std::string(300'000, ' ') + R"({"a":"large"})"));
  EXPECT_EQ(std::string_view(moved.root()["a"]), "first");
  EXPECT_EQ(std::string_view(second->root()["a"]), "large");
}

// Whatever bytes arrive, decoding ends with a request or an error.
TEST(DecodeTest, MutatedRequestsNeverCrash) {
  const std::string seeds[] = {
      R"({"TableName":"t","Item":{"k":{"S":"v"},"n":{"N":"-1.5e3"},"l":{"L":[{"SS":["a","b"]},{"M":{"x":{"NULL":true}}}]}},)"
      R"("ReturnValues":"ALL_OLD","Expected":{"a":{"Value":{"B":"AAE="},"Exists":true}},"ExpressionAttributeNames":{"#a":"b"}})",
      R"({"TableName":"t","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"ProvisionedThroughput":{"ReadCapacityUnits":1,)"
      R"("WriteCapacityUnits":2},"GlobalSecondaryIndexes":[{"IndexName":"i","Projection":{"NonKeyAttributes":["a"]}}],"Tags":[]})",
      R"({"RequestItems":{"t":[{"PutRequest":{"Item":{"a":{"NS":["1","2"]}}}}],"u":[]},"TransactItems":[{"Put":{"Item":{}}}]})"};
  const std::string_view pieces[] = {"{", "}", "[",  "]",  "null",  "1",       "1.5", "true", "\"",
                                     ",", ":", "{}", "[]", "\"x\"", "\\u0000", "e",   "-"};
  std::mt19937 random(20260815);
  for (int round = 0; round < 20'000; ++round) {
    std::string json = seeds[random() % std::size(seeds)];
    for (size_t change = 0, changes = 1 + random() % 4; change < changes && !json.empty(); ++change) {
      const size_t at = random() % json.size();
      switch (random() % 4) {
        case 0: json[at] = static_cast<char>(random()); break;
        case 1: json.erase(at, 1 + random() % 8); break;
        case 2: json.insert(at, pieces[random() % std::size(pieces)]); break;
        default: json.replace(at, 1 + random() % 6, pieces[random() % std::size(pieces)]);
      }
    }
    for (const OperationSchema& schema :
         {SchemaOf(OperationId::kPutItem), SchemaOf(OperationId::kCreateTable), SchemaOf(OperationId::kBatchWriteItem),
          SchemaOf(OperationId::kTransactWriteItems)}) {
      auto document = JsonDocument::Parse(json);
      if (!document) break;
      Arena arena;
      DecodeErrors errors;
      void* input = arena.Allocate(schema.input->size);
      if (!DecodeRequest(schema, document->root(), arena, errors, input)) continue;
      auto valid = ValidateRequest(schema, errors.WordingOf(schema), input);
      if (!valid) { EXPECT_EQ(valid.error().name, "ValidationException"); }
    }
  }
}

TEST(DecodeTest, TextIsANumberOnlyIfAsked) {
  auto document = JsonDocument::Parse(R"({"Limit": "25", "ExclusiveStartTableName": "t"})");
  ASSERT_TRUE(document);
  Arena arena;
  DecodeErrors errors;
  ListTablesInput* input = arena.New<ListTablesInput>();
  const OperationSchema& schema = SchemaOf(ListTablesInput::kOperation);
  EXPECT_FALSE(DecodeRequest(schema, document->root(), arena, errors, input));
  ASSERT_TRUE(DecodeRequest(schema, document->root(), arena, errors, input, NumberForm::kTextToo));
  EXPECT_EQ(*input->Limit, 25);
  for (const char* wrong : {R"({"Limit": ""})", R"({"Limit": "2x"})", R"({"Limit": "+2"})", R"({"Limit": true})"}) {
    auto bad = JsonDocument::Parse(wrong);
    EXPECT_FALSE(DecodeRequest(schema, bad->root(), arena, errors, input, NumberForm::kTextToo)) << wrong;
  }
}

}  // namespace
}  // namespace armature::wire
