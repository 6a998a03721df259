// What the tests of Query and Scan share: a table with local and global indexes, and replies as JSON. Test support
// only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "api/api_testing.h"

namespace armature::api {

// Table "Tbl" (pk S, sk N) with
//   local   ByA (pk, a S) KEYS_ONLY · ByB (pk, b N) INCLUDE x · ByAll (pk, a) ALL
//   global  OnG (g N, h S) INCLUDE x · OnKeys (h) KEYS_ONLY · OnAll (g, h) ALL · Multi (g, h | b, a) ALL
class QueryFixture : public ApiFixture {
 protected:
  void CreateIndexedTable() {
    MustCall("CreateTable", R"j({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},
        {"AttributeName":"a","AttributeType":"S"},{"AttributeName":"b","AttributeType":"N"},
        {"AttributeName":"g","AttributeType":"N"},{"AttributeName":"h","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
      "LocalSecondaryIndexes":[
        {"IndexName":"ByA","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"a","KeyType":"RANGE"}],
         "Projection":{"ProjectionType":"KEYS_ONLY"}},
        {"IndexName":"ByB","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"}],
         "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}},
        {"IndexName":"ByAll","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"a","KeyType":"RANGE"}],
         "Projection":{"ProjectionType":"ALL"}}],
      "GlobalSecondaryIndexes":[
        {"IndexName":"OnG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"},{"AttributeName":"h","KeyType":"RANGE"}],
         "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}},
        {"IndexName":"OnKeys","KeySchema":[{"AttributeName":"h","KeyType":"HASH"}],
         "Projection":{"ProjectionType":"KEYS_ONLY"}},
        {"IndexName":"OnAll","KeySchema":[{"AttributeName":"g","KeyType":"HASH"},{"AttributeName":"h","KeyType":"RANGE"}],
         "Projection":{"ProjectionType":"ALL"}},
        {"IndexName":"Multi","KeySchema":[{"AttributeName":"g","KeyType":"HASH"},{"AttributeName":"h","KeyType":"HASH"},
          {"AttributeName":"b","KeyType":"RANGE"},{"AttributeName":"a","KeyType":"RANGE"}],
         "Projection":{"ProjectionType":"ALL"}}]})j");
  }

  void Put(std::string_view item) { MustCall("PutItem", R"({"TableName":"Tbl","Item":)" + std::string(item) + "}"); }

  // `members` is what follows the table's name, as JSON.
  std::string Query(std::string_view members) { return MustCall("Query", Request(members)); }
  std::string Scan(std::string_view members = "") { return MustCall("Scan", Request(members)); }
  std::string QueryError(std::string_view members) { return Message("Query", members); }
  std::string ScanError(std::string_view members) { return Message("Scan", members); }

  static std::string Request(std::string_view members) {
    std::string request = R"({"TableName":"Tbl")";
    if (!members.empty()) request.append(",").append(members);
    return request + "}";
  }

  // A parsed reply; `error` when it was one.
  struct Page {
    std::vector<std::string> items;  // the JSON of each
    int64_t count = -1;
    int64_t scanned_count = -1;
    std::string last_key;  // empty: none
  };
  static Page Parse(const std::string& body) {
    simdjson::dom::parser parser;
    const simdjson::dom::element root = parser.parse(body);
    Page page;
    page.count = root["Count"].get_int64();
    page.scanned_count = root["ScannedCount"].get_int64();
    simdjson::dom::array items;
    if (root["Items"].get(items) == simdjson::SUCCESS)
      for (const auto item : items) page.items.push_back(simdjson::minify(item));
    simdjson::dom::element key;
    if (root["LastEvaluatedKey"].get(key) == simdjson::SUCCESS) page.last_key = simdjson::minify(key);
    return page;
  }

  // All pages of a request, one after the other.
  std::vector<Page> Pages(std::string_view operation, const std::string& members) {
    std::vector<Page> pages;
    std::string start;
    do {
      pages.push_back(Parse(MustCall(operation, Request(members + start))));
      start = (members.empty() ? R"("ExclusiveStartKey":)" : R"(,"ExclusiveStartKey":)") + pages.back().last_key;
    } while (!pages.back().last_key.empty() && pages.size() < 10000 && !HasFailure());
    return pages;
  }

 private:
  std::string Message(std::string_view operation, std::string_view members) {
    const std::string text = MustFail(operation, Request(members));
    constexpr std::string_view kName = "ValidationException: ";
    return text.starts_with(kName) ? text.substr(kName.size()) : text;
  }
};

}  // namespace armature::api
