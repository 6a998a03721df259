// PartiQL statements: parsed, lowered and executed against tables in memory.
//
// Input: a statement, then, behind a line break, its parameters as a JSON array. Parsing any bytes gives a tree or an
// error, the same each time. Executing gives a reply or an error of the client's; a SELECT gives the same rows in one
// page and in pages of one, and leaves the tables as they were.
#include <memory>
#include <string>

#include "api/api_testing.h"
#include "base/testing/fuzz_check.h"
#include "base/text/json_writer.h"
#include "partiql/parser.h"

namespace armature::partiql {
namespace {

// Reads every node, so that a dangling view shows; the depth is what lowering will recurse into.
size_t Walk(const Node* node, int depth);

size_t WalkBody(const Body& body, int depth) {
  size_t sum = body.table.size() + body.index.size();
  for (const Column& column : body.columns) sum += column.name.size() + column.path.size();
  for (const OrderTerm& term : body.order_by) sum += term.attribute.size();
  for (const Assignment& assignment : body.assignments) sum += Walk(assignment.value, depth + 1);
  for (const InsertedAttribute& attribute : body.item) sum += attribute.name.size() + Walk(attribute.value, depth + 1);
  return sum + Walk(body.where, depth + 1);
}

size_t Walk(const Node* node, int depth) {
  if (node == nullptr) return 0;
  Require(depth < 2000, "a tree is no deeper than lowering may recurse");
  size_t sum = 1;
  for (const char c : node->text) sum += static_cast<uint8_t>(c);
  for (const Node* child : node->children) sum += Walk(child, depth + 1);
  if (node->body != nullptr) sum += WalkBody(*node->body, depth + 1);
  return sum;
}

void CheckParser(std::string_view text) {
  size_t sum = 0;
  std::string message;
  {
    // A copy of exactly this length: reading behind the text is then seen. The tree must not refer to it afterwards.
    const std::string copy(text);
    const auto parsed = Parse(copy);
    if (parsed) sum = WalkBody(**parsed, 0);
    else message = parsed.error().message;
    Require(parsed || !message.empty(), "an error has a text");
  }
  const auto again = Parse(text);
  Require(again.has_value() == message.empty(), "a statement is good or bad");
  if (again) Require(WalkBody(**again, 0) == sum, "and one tree");
  else Require(again.error().message == message, "or one error");
}

}  // namespace
}  // namespace armature::partiql

namespace armature::api {
namespace {

class Target final : public ApiFixture {
 public:
  Target() {
    MustCall("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},
        {"AttributeName":"g","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
      "GlobalSecondaryIndexes":[{"IndexName":"OnG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],
         "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}}]})");
    for (const std::string_view item : kItems)
      MustCall("PutItem", R"({"TableName":"Tbl","Item":)" + std::string(item) + "}");
  }

  // False: the tables may have changed.
  bool Run(std::string_view statement, std::string_view parameters) {
    std::string member = R"({"Statement":)";
    AppendJsonString(member, statement);
    if (!parameters.empty()) member.append(R"(,"Parameters":)").append(parameters);
    const Reply one = Execute("ExecuteStatement", member + "}");
    const auto parsed = partiql::Parse(statement);
    const bool is_select = parsed && (*parsed)->is_read();
    if (is_select && one.ok) {
      Require(Execute("ExecuteStatement", member + "}").body == one.body, "a SELECT can be repeated");
      CheckPages(member, one.body);
    }
    if (is_select) {
      Execute("BatchExecuteStatement", R"({"Statements":[)" + member + "}]}");
      Execute("ExecuteTransaction", R"({"TransactStatements":[)" + member + "}]}");
      return true;
    }
    const Reply batch = Execute("BatchExecuteStatement", R"({"Statements":[)" + member + "}]}");
    const Reply transaction = Execute("ExecuteTransaction", R"({"TransactStatements":[)" + member + "}]}");
    return !one.ok && !batch.ok && !transaction.ok;
  }

 private:
  static constexpr std::string_view kItems[] = {
      R"({"pk":{"S":"a"},"sk":{"N":"1"},"g":{"S":"x"},"l":{"L":[{"N":"1"},{"S":"z"}]},"m":{"M":{"k":{"S":"v"}}}})",
      R"({"pk":{"S":"a"},"sk":{"N":"2"},"n":{"N":"7"},"ss":{"SS":["p","q"]},"b":{"BOOL":true},"z":{"NULL":true}})",
      R"({"pk":{"S":"b"},"sk":{"N":"-1"},"g":{"S":"y"},"x":{"B":"AAE="}})"};

  void TestBody() override {}

  Reply Execute(std::string_view operation, const std::string& json) {
    Reply reply = Call(operation, json);
    if (!reply.ok) Require(reply.error.http_status == 400, "an error is the client's");
    if (reply.ok) Require(wire::JsonDocument::Parse(reply.body).has_value(), "a reply is JSON");
    return reply;
  }

  // The texts of all items of a reply, one behind the other.
  static std::string ItemsOf(const std::string& body, std::string* token) {
    const auto document = wire::JsonDocument::Parse(body);
    std::string out;
    simdjson::dom::array items;
    Require(document->root()["Items"].get(items) == simdjson::SUCCESS, "a SELECT has Items");
    for (const auto item : items) out += simdjson::minify(item) + "\n";
    std::string_view text;
    token->clear();
    if (document->root()["NextToken"].get(text) == simdjson::SUCCESS) *token = text;
    return out;
  }

  void CheckPages(const std::string& member, const std::string& whole) {
    std::string token;
    const std::string all = ItemsOf(whole, &token);
    if (!token.empty()) return;
    std::string paged;
    for (int pages = 0;; ++pages) {
      Require(pages < 20, "pages come to an end");
      std::string request = member + R"(,"Limit":1)";
      if (!token.empty()) request += R"(,"NextToken":")" + token + '"';
      const Reply reply = Execute("ExecuteStatement", request + "}");
      Require(reply.ok, "what can be read can be read in pages");
      paged += ItemsOf(reply.body, &token);
      if (token.empty()) break;
    }
    Require(paged == all, "pages of one are the whole");
  }
};

}  // namespace
}  // namespace armature::api

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = armature::FuzzText(data, size);
  const size_t line = std::min(text.find('\n'), text.size());
  const std::string_view statement = text.substr(0, line);
  armature::partiql::CheckParser(statement);
  // simdjson refuses what is no UTF-8, and statements come in JSON.
  static std::unique_ptr<armature::api::Target> target;
  if (!target) target = std::make_unique<armature::api::Target>();
  if (!target->Run(statement, text.substr(std::min(line + 1, text.size())))) target.reset();
  return 0;
}
