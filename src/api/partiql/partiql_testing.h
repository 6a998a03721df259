// What the tests of PartiQL share: statements without the JSON around them. Test support only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "api/api_testing.h"

namespace armature::api {

class PartiqlFixture : public ApiFixture {
 protected:
  // "Hash" (pk S), "Tbl" (pk S, sk S; local index ByL on l KEYS_ONLY; global OnG on g INCLUDE x).
  PartiqlFixture() {
    MustCall("CreateTable", R"({"TableName":"Hash","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
    MustCall("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},
        {"AttributeName":"l","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
      "LocalSecondaryIndexes":[
        {"IndexName":"ByL","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"l","KeyType":"RANGE"}],
         "Projection":{"ProjectionType":"KEYS_ONLY"}}],
      "GlobalSecondaryIndexes":[
        {"IndexName":"OnG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],
         "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}},
        {"IndexName":"Multi","KeySchema":[{"AttributeName":"g","KeyType":"HASH"},{"AttributeName":"l","KeyType":"HASH"}],
         "Projection":{"ProjectionType":"ALL"}}]})");
  }

  static std::string Quote(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out.push_back('\\');
      if (c == '\n') out += "\\n";
      else out.push_back(c);
    }
    return out + "\"";
  }
  // `more` is what follows the statement, as JSON.
  static std::string Request(std::string_view statement, std::string_view more = "") {
    std::string request = R"({"Statement":)" + Quote(statement);
    if (!more.empty()) request.append(",").append(more);
    return request + "}";
  }

  std::string Run(std::string_view statement, std::string_view more = "") {
    return MustCall("ExecuteStatement", Request(statement, more));
  }
  // "Name: message", without the name if it is ValidationException.
  std::string Fault(std::string_view statement, std::string_view more = "") {
    return Plain(MustFail("ExecuteStatement", Request(statement, more)));
  }
  static std::string Plain(const std::string& text) {
    constexpr std::string_view kName = "ValidationException: ";
    return text.starts_with(kName) ? text.substr(kName.size()) : text;
  }

  static std::string Members(const std::vector<std::string>& statements) {
    std::string members;
    for (const auto& statement : statements) members += (members.empty() ? "" : ",") + Request(statement);
    return members;
  }
  std::string Batch(const std::vector<std::string>& statements, std::string_view more = "") {
    return MustCall("BatchExecuteStatement",
                    R"({"Statements":[)" + Members(statements) + "]" + std::string(more) + "}");
  }
  Reply Transact(const std::vector<std::string>& statements, std::string_view more = "") {
    return Call("ExecuteTransaction",
                R"({"TransactStatements":[)" + Members(statements) + "]" + std::string(more) + "}");
  }
  std::string TransactFault(const std::vector<std::string>& statements) {
    Reply reply = Transact(statements);
    EXPECT_FALSE(reply.ok) << reply.body;
    return Plain(reply.ErrorText());
  }

  void Put(std::string_view table, std::string_view item) {
    MustCall("PutItem", R"({"TableName":")" + std::string(table) + R"(","Item":)" + std::string(item) + "}");
  }
  std::string Get(std::string_view table, std::string_view key) {
    return MustCall("GetItem", R"({"TableName":")" + std::string(table) + R"(","Key":)" + std::string(key) + "}");
  }

  // One attribute of every item of a reply, in order, as "pk/sk".
  static std::vector<std::string> Keys(const std::string& body) {
    simdjson::dom::parser parser;
    const simdjson::dom::element root = parser.parse(body);
    std::vector<std::string> keys;
    simdjson::dom::array items;
    if (root["Items"].get(items) != simdjson::SUCCESS) return {"no Items"};
    for (const auto item : items) {
      std::string key;
      simdjson::dom::element value;
      if (item["pk"]["S"].get(value) == simdjson::SUCCESS) key = std::string(value.get_string().value());
      if (item["sk"]["S"].get(value) == simdjson::SUCCESS) key += "/" + std::string(value.get_string().value());
      keys.push_back(key);
    }
    return keys;
  }
  static std::string Token(const std::string& body) {
    simdjson::dom::parser parser;
    std::string_view token;
    return parser.parse(body)["NextToken"].get(token) == simdjson::SUCCESS ? std::string(token) : "";
  }
};

}  // namespace armature::api
