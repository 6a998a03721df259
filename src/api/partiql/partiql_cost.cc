// Calls one operation many times, classic or as a PartiQL statement, without a network: for counting instructions.
//
//   partiql_cost get|query|put|update|delete classic|partiql TIMES
//
// bench/partiql_cost.py runs it under valgrind and compares the two; not part of the tests.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "api/api_testing.h"

namespace armature::api {
namespace {

class Caller : public ApiFixture {
 public:
  Caller() {
    CreateSimpleTable(/*with_sort_key=*/true);
    for (int i = 0; i < 10; ++i)
      MustCall("PutItem", fmt::format(R"({{"TableName":"Tbl","Item":{{"pk":{{"S":"partition"}},"sk":{{"N":"{}"}},)"
                                      R"("name":{{"S":"someone"}},"n":{{"N":"1"}}}}}})",
                                      i));
  }

  void Run(const std::string& operation, bool is_partiql, int times) {
    for (int i = 0; i < times; ++i) is_partiql ? Partiql(operation, i) : Classic(operation, i);
  }

 private:
  void TestBody() override {}

  void Classic(const std::string& operation, int i) {
    constexpr std::string_view kKey = R"("TableName":"Tbl","Key":{"pk":{"S":"partition"},"sk":{"N":"5"}})";
    if (operation == "get") {
      Must("GetItem", fmt::format("{{{}}}", kKey));
    } else if (operation == "query") {
      Must("Query", R"({"TableName":"Tbl","KeyConditionExpression":"pk = :p AND sk > :s",)"
                    R"("ExpressionAttributeValues":{":p":{"S":"partition"},":s":{"N":"4"}}})");
    } else if (operation == "put") {
      Must(
          "PutItem",
          fmt::format(R"({{"TableName":"Tbl","Item":{{"pk":{{"S":"new"}},"sk":{{"N":"{}"}},"name":{{"S":"someone"}}}},)"
                      R"j("ConditionExpression":"attribute_not_exists(pk)"}})j",
                      i));
    } else if (operation == "update") {
      Must("UpdateItem", fmt::format(R"({{{},"UpdateExpression":"SET n = n + :one",)"
                                     R"j("ConditionExpression":"attribute_exists(pk)",)j"
                                     R"("ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}})",
                                     kKey));
    } else {
      Must("DeleteItem", fmt::format(R"({{"TableName":"Tbl","Key":{{"pk":{{"S":"none"}},"sk":{{"N":"{}"}}}}}})", i));
    }
  }

  void Partiql(const std::string& operation, int i) {
    constexpr std::string_view kWhere = R"(\"pk\" = ? AND sk = ?","Parameters":[{"S":"partition"},{"N":"5"}])";
    if (operation == "get") {
      Must("ExecuteStatement", fmt::format(R"({{"Statement":"SELECT * FROM \"Tbl\" WHERE {}}})", kWhere));
    } else if (operation == "query") {
      Must("ExecuteStatement", R"({"Statement":"SELECT * FROM \"Tbl\" WHERE pk = ? AND sk > ?",)"
                               R"("Parameters":[{"S":"partition"},{"N":"4"}]})");
    } else if (operation == "put") {
      Must("ExecuteStatement",
           fmt::format(R"({{"Statement":"INSERT INTO \"Tbl\" VALUE {{'pk': ?, 'sk': ?, 'name': ?}}",)"
                       R"("Parameters":[{{"S":"new"}},{{"N":"{}"}},{{"S":"someone"}}]}})",
                       i));
    } else if (operation == "update") {
      Must("ExecuteStatement", fmt::format(R"({{"Statement":"UPDATE \"Tbl\" SET n = n + 1 WHERE {}}})", kWhere));
    } else {
      Must("ExecuteStatement", fmt::format(R"({{"Statement":"DELETE FROM \"Tbl\" WHERE pk = ? AND sk = ?",)"
                                           R"("Parameters":[{{"S":"none"}},{{"N":"{}"}}]}})",
                                           i));
    }
  }

  void Must(std::string_view operation, const std::string& json) {
    const Reply reply = Call(operation, json);
    if (reply.ok) return;
    fmt::print(stderr, "{} {}: {}\n", operation, json, reply.ErrorText());
    std::exit(1);
  }
};

}  // namespace
}  // namespace armature::api

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  armature::api::Caller().Run(argv[1], std::string(argv[2]) == "partiql", std::atoi(argv[3]));
  return 0;
}
