// Requests as the audit shows them: nothing of items, no secret, whichever operation.
#include "audit/parameters.h"

#include <deque>
#include <string>

#include <gmock/gmock.h>

#include "audit/event.h"
#include "base/memory/arena.h"
#include "base/random.h"
#include "wire/decode.h"
#include "wire/json/json_document.h"
#include "wire/query/form_decode.h"
#include "wire/query/query_schema.h"
#include "wire/requests.h"
#include "wire/testing/request_samples.h"

namespace armature::audit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Names what it is asked for instead of hashing it.
class NamingHasher final : public Hasher {
 public:
  std::string OfKey(std::string_view table, model::Item attributes, bool is_whole_item) const override {
    std::string text = "key of " + std::string(table) + ":";
    for (const auto& attribute : attributes) text.append(" ").append(attribute.name);
    return is_whole_item && table == "unknown" ? std::string() : text;
  }
  std::string OfText(std::string_view) const override { return "hash of text"; }
};

class ParametersTest : public ::testing::Test {
 protected:
  std::string Of(std::string_view operation, std::string_view json, bool hides_expressions = false) {
    const wire::OperationSchema* schema = wire::FindOperation("DynamoDB_20120810", operation);
    EXPECT_NE(schema, nullptr);
    documents_.push_back(*wire::JsonDocument::Parse(json));
    void* const request = arena_.Allocate(schema->input->size);
    const auto decoded = wire::DecodeRequest(*schema, documents_.back().root(), arena_, errors_, request);
    EXPECT_TRUE(decoded) << decoded.error().message;
    return ParametersOf(*schema->input, request, {hasher_, hides_expressions});
  }
  std::string OfForm(size_t service, std::string_view operation, std::string_view body) {
    const auto* schema = wire::FindQueryOperation(wire::QueryServices()[service], operation);
    EXPECT_NE(schema, nullptr) << operation;
    const auto form = wire::FormParameters::Parse({}, body, arena_);
    EXPECT_TRUE(form);
    const auto input = wire::DecodeForm(*schema, *form, arena_);
    if (!input) return input.error().message;
    return ParametersOf(*schema->input, *input, {hasher_});
  }

  Arena arena_;
  wire::DecodeErrors errors_;
  std::deque<wire::JsonDocument> documents_;
  NamingHasher hasher_;
};

TEST_F(ParametersTest, AreShownBySmallNames) {
  EXPECT_EQ(
      Of("CreateTable", R"({"TableName":"T","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
                        R"("BillingMode":"PAY_PER_REQUEST","StreamSpecification":{"StreamEnabled":true},"Junk":1})"),
      R"({"tableName":"T","billingMode":"PAY_PER_REQUEST","keySchema":[{"attributeName":"pk","keyType":"HASH"}],)"
      R"("streamSpecification":{"streamEnabled":true}})");
}

TEST_F(ParametersTest, KeysAreHashedAndItemsAreNotThere) {
  EXPECT_EQ(Of("GetItem", R"({"TableName":"T","Key":{"pk":{"S":"SECRETVALUE"}}})"),
            R"({"tableName":"T","key":"key of T: pk"})");
  const std::string put = Of("PutItem", R"({"TableName":"T","Item":{"pk":{"S":"SECRETVALUE"},"v":{"N":"4711"}},)"
                                        R"("ExpressionAttributeValues":{":v":{"S":"SECRETVALUE"}},)"
                                        R"("Expected":{"a":{"Value":{"S":"SECRETVALUE"}}}})");
  EXPECT_THAT(put, HasSubstr(R"("key":"key of T: pk v","item":"HIDDEN_DUE_TO_SECURITY_REASONS")"));
  EXPECT_THAT(put, Not(HasSubstr("SECRETVALUE")));
  EXPECT_THAT(put, Not(HasSubstr("4711")));
  EXPECT_THAT(Of("PutItem", R"({"TableName":"unknown","Item":{"pk":{"S":"SECRETVALUE"}}})"), Not(HasSubstr("\"key\"")));
}

TEST_F(ParametersTest, EveryTableOfABatchHasItsKeys) {
  EXPECT_THAT(Of("BatchGetItem", R"({"RequestItems":{"A":{"Keys":[{"pk":{"S":"x"}},{"q":{"S":"y"}}]},)"
                                 R"("B":{"Keys":[{"pk":{"S":"z"}}]}}})"),
              HasSubstr(R"("A":{"keys":["key of A: pk","key of A: q"]},"B":{"keys":["key of B: pk"]})"));
  EXPECT_THAT(Of("BatchWriteItem", R"({"RequestItems":{"A":[{"PutRequest":{"Item":{"pk":{"S":"x"}}}},)"
                                   R"({"DeleteRequest":{"Key":{"pk":{"S":"y"}}}}]}})"),
              HasSubstr(R"({"putRequest":{"key":"key of A: pk","item":"HIDDEN_DUE_TO_SECURITY_REASONS"}},)"
                        R"({"deleteRequest":{"key":"key of A: pk"}})"));
  EXPECT_THAT(Of("TransactWriteItems", R"({"TransactItems":[{"Delete":{"TableName":"C","Key":{"pk":{"S":"x"}}}}]})"),
              HasSubstr("key of C: pk"));
}

TEST_F(ParametersTest, StatementsAndTokensAreNotRead) {
  const std::string text = Of("ExecuteStatement", R"({"Statement":"SELECT * FROM T WHERE pk = 'SECRETVALUE'",)"
                                                  R"("Parameters":[{"S":"SECRETVALUE"}],"NextToken":"SECRETVALUE"})");
  EXPECT_THAT(text, HasSubstr(R"("statement":"hash of text")"));
  EXPECT_THAT(text, Not(HasSubstr("SECRETVALUE")));
}

TEST_F(ParametersTest, WhatIsNoExpressionMayBeAnything) {
  constexpr std::string_view kQuery = R"({"TableName":"T","KeyConditionExpression":"pk = 'SECRETVALUE'"})";
  EXPECT_THAT(Of("Query", kQuery), HasSubstr("SECRETVALUE"));
  EXPECT_THAT(Of("Query", kQuery, /*hides_expressions=*/true), Not(HasSubstr("SECRETVALUE")));
}

TEST_F(ParametersTest, OfIamAndStsHaveNoSecrets) {
  EXPECT_EQ(OfForm(0, "CreateUser", "UserName=bob&Path=%2Fstaff%2F&Tags.member.1.Key=a&Tags.member.1.Value=b"),
            R"({"path":"/staff/","tags":[{"key":"a","value":"b"}],"userName":"bob"})");
  const std::string text = OfForm(1, "AssumeRoleWithWebIdentity",
                                  "RoleArn=arn%3Aaws%3Aiam%3A%3A111122223333%3Arole%2Fr&RoleSessionName=web&"
                                  "WebIdentityToken=SECRETVALUE");
  EXPECT_THAT(text, HasSubstr(R"("webIdentityToken":"HIDDEN_DUE_TO_SECURITY_REASONS")"));
  EXPECT_THAT(text, Not(HasSubstr("SECRETVALUE")));
}

std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// Whatever is added to the schemas: a member that holds values of items is hidden without anybody's thinking of it.
TEST_F(ParametersTest, NoOperationShowsAValueOfAnItem) {
  int with_values = 0;
  SeededRandom random(1);
  for (const wire::OperationSchema& schema : wire::AllOperations()) {
    for (int round = 0; round < 20; ++round) {
      // Of optional members mostly all are there; which of several values stands somewhere is drawn.
      const wire::Choose choose = [&](size_t count) {
        return count == 2 && random.Below(4) > 0 ? 1 : static_cast<size_t>(random.Below(count));
      };
      std::string json = wire::SampleValue(*schema.input, choose).ToString();
      json =
          Replaced(Replaced(json, R"({"S":"a"})", R"({"S":"SECRETVALUE"})"), R"({"N":"1"})", R"({"N":"98765432101"})");
      json = Replaced(json, R"(["a","b"])", R"(["SECRETVALUE","b"])");
      with_values += json.find("SECRETVALUE") != std::string::npos ? 1 : 0;
      const auto document = wire::JsonDocument::Parse(json);
      ASSERT_TRUE(document) << json;
      Arena arena;
      wire::DecodeErrors errors;
      void* const request = arena.Allocate(schema.input->size);
      ASSERT_TRUE(wire::DecodeRequest(schema, document->root(), arena, errors, request)) << json;
      const std::string shown = ParametersOf(*schema.input, request, {hasher_});
      EXPECT_THAT(shown, Not(HasSubstr("SECRETVALUE"))) << schema.name << json;
      EXPECT_THAT(shown, Not(HasSubstr("98765432101"))) << schema.name << json;
      EXPECT_TRUE(wire::JsonDocument::Parse(shown)) << shown;
    }
  }
  EXPECT_GT(with_values, 100);
}

TEST_F(ParametersTest, WhatIsTooLongIsLeftOut) {
  std::string json = R"({"TableName":"T","AttributesToGet":[)";
  for (int i = 0; i < 3000; ++i) json += "\"" + std::string(100, 'a') + "\",";
  json.back() = ']';
  EXPECT_THAT(Of("Scan", json + "}"), HasSubstr("\"omitted\":true"));
}

}  // namespace
}  // namespace armature::audit
