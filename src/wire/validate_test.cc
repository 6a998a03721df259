#include "wire/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/decode.h"
#include "wire/json/json_document.h"

namespace armature::wire {
namespace {

using ::testing::MatchesRegex;
using ::testing::StartsWith;

std::string Validate(OperationId operation, std::string_view json) {
  const OperationSchema& schema = SchemaOf(operation);
  auto document = JsonDocument::Parse(json);
  EXPECT_TRUE(document) << json;
  Arena arena;
  DecodeErrors errors;
  void* input = arena.Allocate(schema.input->size);
  auto decoded = DecodeRequest(schema, document->root(), arena, errors, input);
  if (!decoded) return "does not decode: " + decoded.error().message;
  auto result = ValidateRequest(schema, errors.WordingOf(schema), input);
  if (result) return "valid";
  EXPECT_EQ(result.error().name, "ValidationException");
  return result.error().message;
}

TEST(ValidateTest, AcceptsWhatIsRight) {
  EXPECT_EQ(Validate(OperationId::kGetItem, R"({"TableName":"t","Key":{"k":{"S":"v"}}})"), "valid");
  EXPECT_EQ(
      Validate(OperationId::kGetItem, R"({"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/t","Key":{}})"),
      "valid");
  EXPECT_EQ(Validate(OperationId::kDescribeLimits, "{}"), "valid");
}

TEST(ValidateTest, TableNamesOfDataOperations) {
  const auto get = [](const std::string& name) {
    return Validate(OperationId::kGetItem, R"({"TableName":")" + name + R"(","Key":{}})");
  };
  EXPECT_EQ(
      Validate(OperationId::kPutItem, R"({"Item":{}})"),
      "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(get(""),
            "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1");
  EXPECT_EQ(get(std::string(256, 'a')),
            "1 validation error detected: Value '" + std::string(256, 'a') +
                "' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255");
  EXPECT_EQ(get("bad table!@#"),
            "1 validation error detected: Value 'bad table!@#' at 'tableName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+");
  EXPECT_EQ(get("arn:" + std::string(1020, 'a')), "valid");
  EXPECT_THAT(get("arn:" + std::string(1021, 'a')),
              testing::EndsWith("Member must have length less than or equal to 1024"));
}

TEST(ValidateTest, ABadTableNameIsReportedAlone) {
  EXPECT_EQ(Validate(OperationId::kPutItem, R"({"TableName":"","Item":{},"ReturnValues":"INVALID"})"),
            "1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must have length "
            "greater than or equal to 1");
  EXPECT_EQ(Validate(OperationId::kGetItem, R"({"TableName":"","Key":{},"ReturnConsumedCapacity":"INVALID"})"),
            "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: Member must have "
            "length greater than or equal to 1");
}

TEST(ValidateTest, NewerReadersHaveTextsOfTheirOwn) {
  EXPECT_EQ(Validate(OperationId::kPutItem,
                     R"({"TableName":"t","Item":{},"ReturnValues":"a","ReturnItemCollectionMetrics":"b"})"),
            "2 validation errors detected: Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, "
            "UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]; ReturnItemCollectionMetrics can only be SIZE or NONE");
  EXPECT_EQ(Validate(OperationId::kUpdateItem,
                     R"({"TableName":"t","Key":{},"ReturnValues":"a","ReturnConsumedCapacity":"b"})"),
            "1 validation error detected: Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, "
            "UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]");
  EXPECT_EQ(Validate(OperationId::kQuery, R"({"TableName":"t","ConditionalOperator":"XOR","Select":"a"})"),
            "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]");
}

TEST(ValidateTest, WithoutTheirKeyTheyTellAllTheOlderWay) {
  EXPECT_EQ(Validate(OperationId::kDeleteItem, R"({"TableName":"","ConditionalOperator":"XOR"})"),
            "3 validation errors detected: Value '' at 'tableName' failed to satisfy constraint: Member must have "
            "length greater than or equal to 1; Value 'XOR' at 'conditionalOperator' failed to satisfy constraint: "
            "Member must satisfy enum value set: [OR, AND]; Value null at 'key' failed to satisfy constraint: Member "
            "must not be null");
}

TEST(ValidateTest, TableNamesOfTableOperations) {
  EXPECT_EQ(Validate(OperationId::kCreateTable, "{}"),
            "The parameter 'TableName' is required but was not present in the request");
  EXPECT_EQ(
      Validate(OperationId::kCreateTable, R"({"TableName":"ab","KeySchema":[]})"),
      "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length "
      "greater than or equal to 3");
  EXPECT_EQ(Validate(OperationId::kDescribeTable, "{}"),
            "The parameter 'TableName' is required but was not present in the request");
  EXPECT_EQ(Validate(OperationId::kDescribeTable, R"({"TableName":"x!"})"),
            "TableName must be at least 3 characters long and at most 255 characters long");
  EXPECT_EQ(Validate(OperationId::kDeleteTable, R"({"TableName":"abc!"})"),
            "1 validation error detected: Value 'abc!' at 'tableName' failed to satisfy constraint: Member must "
            "satisfy regular "
            "expression pattern: [a-zA-Z0-9_.-]+");
}

TEST(ValidateTest, SeveralFaultsComeInAwsOrder) {
  EXPECT_EQ(
      Validate(
          OperationId::kPutItem,
          R"({"TableName":"t","ReturnValues":"a","ReturnItemCollectionMetrics":"b","ReturnConsumedCapacity":"c"})"),
      "4 validation errors detected: "
      "Value 'c' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: "
      "[INDEXES, TOTAL, NONE]; "
      "Value null at 'item' failed to satisfy constraint: Member must not be null; "
      "Value 'a' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: "
      "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; "
      "Value 'b' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: "
      "[SIZE, NONE]");
}

TEST(ValidateTest, ListElementsAndMapEntriesInPaths) {
  EXPECT_EQ(Validate(OperationId::kCreateTable,
                     R"({"TableName":"abc","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"X"}],
                                                    "KeySchema":[{"AttributeName":"pk","KeyType":"Y"}]})"),
            "2 validation errors detected: "
            "Value 'X' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must "
            "satisfy enum value set: [B, N, S]; "
            "Value 'Y' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value "
            "set: [HASH, RANGE]");
  EXPECT_EQ(
      Validate(OperationId::kPutItem, R"({"TableName":"t","Item":{},"Expected":{"attr":{"ComparisonOperator":"X"}}})"),
      "1 validation error detected: Value 'X' at 'expected.attr.member.comparisonOperator' failed to satisfy "
      "constraint: Member must "
      "satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, "
      "CONTAINS]");
}

TEST(ValidateTest, NumbersAndLengths) {
  EXPECT_EQ(Validate(OperationId::kScan, R"({"TableName":"t","Limit":0})"),
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value "
            "greater than or equal to 1");
  EXPECT_EQ(Validate(OperationId::kQuery, R"({"TableName":"t","Limit":0})"),
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value "
            "greater than or equal to 1");
  EXPECT_EQ(Validate(OperationId::kListTables, R"({"Limit":101,"ExclusiveStartTableName":"a;"})"),
            "3 validation errors detected: "
            "Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100; "
            "Value 'a;' at 'exclusiveStartTableName' failed to satisfy constraint: Member must satisfy regular "
            "expression pattern: [a-zA-Z0-9_.-]+; "
            "Value 'a;' at 'exclusiveStartTableName' failed to satisfy constraint: Member must have length greater "
            "than or equal to 3");
  EXPECT_EQ(Validate(OperationId::kTransactGetItems, R"({"TransactItems":[]})"),
            "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have "
            "length greater than or equal to 1");
}

TEST(ValidateTest, StringLengthsAreCountedInUtf16Units) {
  // Four bytes each, two UTF-16 units each: 64 of them are exactly 128 units.
  std::string key;
  for (int i = 0; i < 64; ++i) key += "\xF0\x9F\x98\x80";
  const auto tag = [](const std::string& k) {
    return Validate(OperationId::kTagResource, R"({"ResourceArn":"arn:x","Tags":[{"Key":")" + k + R"(","Value":""}]})");
  };
  EXPECT_EQ(tag(key), "valid");
  EXPECT_THAT(
      tag(key + "a"),
      testing::EndsWith(
          "at 'tags.1.member.key' failed to satisfy constraint: Member must have length less than or equal to 128"));
}

TEST(ValidateTest, ListsPrintAsJavaPrintsThem) {
  EXPECT_EQ(
      Validate(OperationId::kCreateTable,
               R"({"TableName":"abc","AttributeDefinitions":[],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"},
                     {"AttributeName":"b","KeyType":"RANGE"},{"AttributeName":"c","KeyType":"RANGE"}]})"),
      "1 validation error detected: Value '[KeySchemaElement(attributeName=a, keyType=HASH), "
      "KeySchemaElement(attributeName=b, "
      "keyType=RANGE), KeySchemaElement(attributeName=c, keyType=RANGE)]' at 'keySchema' failed to satisfy constraint: "
      "Member must have "
      "length less than or equal to 2");
}

TEST(ValidateTest, CreateTableNeedsItsKeysUnlessItJoinsAGlobalTable) {
  EXPECT_THAT(Validate(OperationId::kCreateTable, R"({"TableName":"abc"})"),
              StartsWith("2 validation errors detected: Value null at 'attributeDefinitions'"));
  EXPECT_EQ(Validate(OperationId::kCreateTable,
                     R"({"TableName":"abc","GlobalTableSourceArn":"arn:aws:dynamodb:a:b:table/abc"})"),
            "valid");
}

TEST(ValidateTest, Batches) {
  EXPECT_EQ(
      Validate(OperationId::kBatchGetItem, R"({"RequestItems":{}})"),
      "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: Member must have length "
      "greater than or equal to 1");
  EXPECT_THAT(Validate(OperationId::kBatchGetItem,
                       R"({"RequestItems":{"a b":{"Keys":[{"k":{"B":"AA=="}}],"AttributesToGet":["x","y"]}}})"),
              StartsWith(R"(1 validation error detected: Value '{"a b":{"Keys":[{"k":{"B":"AA=="}}],"AttributesToGet":)"
                         R"(["x","y"]}}' at 'requestItems')"));
  EXPECT_EQ(Validate(OperationId::kBatchWriteItem, R"({"RequestItems":{}})"),
            "The requestItems parameter is required for BatchWriteItem");
  EXPECT_THAT(Validate(OperationId::kBatchWriteItem, R"({"RequestItems":{},"ReturnConsumedCapacity":"x"})"),
              StartsWith("1 validation error detected: Value 'x'"));
  std::string keys = R"({"k":{"S":"a"}})";
  std::string puts = R"({"PutRequest":{"Item":{"k":{"S":"a"}}}})";
  for (int i = 0; i < 100; ++i) keys += R"(,{"k":{"S":"a"}})";
  for (int i = 0; i < 25; ++i) puts += R"(,{"PutRequest":{"Item":{"k":{"S":"a"}}}})";
  EXPECT_EQ(Validate(OperationId::kBatchGetItem, R"({"RequestItems":{"tab":{"Keys":[)" + keys + "]}}}"),
            "1 validation error detected: Value at 'RequestItems.tab.member.Keys' failed to satisfy constraint: Member "
            "must have length less than or "
            "equal to 100");
  EXPECT_THAT(
      Validate(OperationId::kBatchWriteItem, R"({"RequestItems":{"tab":[)" + puts + "]}}"),
      MatchesRegex(
          R"(1 validation error detected: Value '\{tab=\[.+\]\}' at 'requestItems' failed to satisfy constraint: Map value must satisfy )"
          R"(constraint: \[Member must have length less than or equal to 25, Member must have length greater than or equal to 1\])"));
  EXPECT_EQ(Validate(OperationId::kBatchWriteItem, R"({"RequestItems":{"a b":[{}]}})"),
            "1 validation error detected: Value '{a b=[WriteRequest()]}' at 'requestItems' failed to satisfy "
            "constraint: Map keys must satisfy constraint: "
            "[Member must have length less than or equal to 255, Member must have length greater than or equal to 3, "
            "Member must satisfy regular "
            "expression pattern: [a-zA-Z0-9_.-]+]");
}

TEST(ValidateTest, AtMostTenFaults) {
  std::string definitions = "{}";
  for (int i = 0; i < 20; ++i) definitions += ",{}";
  EXPECT_THAT(
      Validate(OperationId::kCreateTable, R"({"TableName":"abc","AttributeDefinitions":[)" + definitions + "]}"),
      StartsWith("10 validation errors detected: Value null at 'attributeDefinitions.1.member.attributeName'"));
}

TEST(ValidateTest, AHugeRejectedValueIsCut) {
  std::string item = R"({"PutRequest":{"Item":{"k":{"S":")" + std::string(10'000, 'x') + R"("}}}})";
  std::string puts = item;
  for (int i = 0; i < 25; ++i) puts += "," + item;
  const std::string message = Validate(OperationId::kBatchWriteItem, R"({"RequestItems":{"tab":[)" + puts + "]}}");
  EXPECT_LT(message.size(), 20'000u);
  EXPECT_THAT(message, testing::HasSubstr("]}' at 'requestItems'"));
}

TEST(ValidateTest, Patterns) {
  EXPECT_TRUE(MatchesPattern(Pattern::kResourceName, "aZ09_.-"));
  EXPECT_FALSE(MatchesPattern(Pattern::kResourceName, "a b"));
  EXPECT_TRUE(MatchesPattern(Pattern::kPrintable, "a b~"));
  EXPECT_FALSE(MatchesPattern(Pattern::kPrintable, "\n"));
  EXPECT_FALSE(MatchesPattern(Pattern::kRoleArn, std::string_view("\0", 1)));
  EXPECT_FALSE(MatchesPattern(Pattern::kNoDollar, "a$"));
  EXPECT_TRUE(MatchesPattern(Pattern::kInsightsRule, "a-b"));
  EXPECT_FALSE(MatchesPattern(Pattern::kInsightsRule, "-a"));
  EXPECT_TRUE(MatchesPattern(Pattern::kCsvDelimiter, "\t"));
  EXPECT_FALSE(MatchesPattern(Pattern::kCsvHeader, "a,b"));
  EXPECT_TRUE(MatchesPattern(Pattern::kHexGroups, "0123456789abcdef"));
  EXPECT_FALSE(MatchesPattern(Pattern::kHexGroups, "0123456789abcde"));
  EXPECT_TRUE(MatchesPattern(Pattern::kS3Bucket, "my.bucket"));
  EXPECT_FALSE(MatchesPattern(Pattern::kS3Bucket, "my.bucket."));
  EXPECT_TRUE(MatchesPattern(Pattern::kAccountId, "123456789012"));
}

}  // namespace
}  // namespace armature::wire
