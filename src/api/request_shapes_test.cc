// Every list and map of every operation's request, with everything in it that should not be, through the operation.
#include <set>

#include <gmock/gmock.h>

#include "api/api_testing.h"
#include "wire/testing/request_samples.h"

namespace armature::api {
namespace {

using ::testing::HasSubstr;
using wire::JsonTree;

constexpr std::string_view kEmptyValue =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";

class RequestShapesTest : public ApiFixture {
 protected:
  RequestShapesTest() {
    MustCall("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}],
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
        "GlobalSecondaryIndexes":[{"IndexName":"byN","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],
          "Projection":{"ProjectionType":"ALL"}}],
        "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})");
    MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"a":{"S":"b"},"n":{"N":"1"},"ss":{"SS":["x"]}}})");
  }
};

TEST_F(RequestShapesTest, NoHostileElementPassesOrFails500) {
  size_t requests = 0;
  for (const wire::OperationSchema& schema : wire::AllOperations()) {
    if (FindOperation(schema) == nullptr) continue;
    for (const wire::ShapePath& path : wire::CollectionPaths(schema)) {
      const bool is_element = path.steps.back() == nullptr;
      uint64_t seed = 0;
      for (const JsonTree& value : wire::HostileValues()) {
        SeededRandom random(++seed);
        for (int variant = 0; variant < 12; ++variant) {
          const std::string json =
              wire::SampleWith(schema, path, value, [&](size_t count) { return random.Below(count); }).ToString();
          SCOPED_TRACE(std::string(schema.name) + " " + json);
          const Reply reply = Call(schema.name, json);
          ++requests;
          ASSERT_TRUE(reply.ok || reply.error.http_status == 400) << reply.ErrorText();
          const bool is_null = value.kind == JsonTree::Kind::kLiteral && value.text == "null";
          // A batch of statements reports it for the one that has it.
          const bool is_told = !reply.ok || reply.body.find(kEmptyValue) != std::string::npos;
          ASSERT_TRUE(is_told || !is_null || !is_element) << reply.body;
        }
      }
    }
  }
  EXPECT_GT(requests, 10000u);
}

// The shapes in which a null element was once a null pointer.
TEST_F(RequestShapesTest, ANullAmongAttributeValuesIsAnEmptyValue) {
  const std::string condition = R"({"a":{"ComparisonOperator":"IN","AttributeValueList":[null]}})";
  const std::string key = R"("TableName":"Tbl","Key":{"pk":{"S":"a"}},)";
  for (const auto& [operation, json] : std::initializer_list<std::pair<std::string_view, std::string>>{
           {"Scan", R"({"TableName":"Tbl","ScanFilter":)" + condition + "}"},
           {"Query", R"({"TableName":"Tbl","KeyConditions":{"pk":{"ComparisonOperator":"EQ",)"
                     R"("AttributeValueList":[null]}}})"},
           {"Query", R"({"TableName":"Tbl","KeyConditions":{"pk":{"ComparisonOperator":"EQ",)"
                     R"("AttributeValueList":[{"S":"a"}]}},"QueryFilter":)" +
                         condition + "}"},
           {"PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"}},"Expected":)" + condition + "}"},
           {"UpdateItem", "{" + key + R"("Expected":)" + condition + "}"},
           {"DeleteItem", "{" + key + R"("Expected":)" + condition + "}"},
           {"ExecuteStatement", R"({"Statement":"SELECT * FROM Tbl WHERE pk = ?","Parameters":[null]})"},
           {"ExecuteTransaction",
            R"({"TransactStatements":[{"Statement":"DELETE FROM Tbl WHERE pk = ?","Parameters":[null]}]})"},
       }) {
    EXPECT_THAT(MustFail(operation, json), HasSubstr(kEmptyValue)) << operation << " " << json;
  }
  EXPECT_THAT(MustCall("BatchExecuteStatement",
                       R"({"Statements":[{"Statement":"SELECT * FROM Tbl WHERE pk = ?","Parameters":[null]}]})"),
              HasSubstr(kEmptyValue));
}

}  // namespace
}  // namespace armature::api
