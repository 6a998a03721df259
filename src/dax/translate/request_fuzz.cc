// DAX messages from hostile bytes, as far as DynamoDB's JSON.
//
// Input: a byte that chooses a method, then the message, or what follows its method's number. Whatever is read as a
// request becomes an error for the client or JSON that parses. Tables all have one schema of five, by their names'
// lengths; attribute lists are as in the examples of the protocol.
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/fuzz_check.h"
#include "dax/codec/cbor.h"
#include "dax/translate/json_request.h"
#include "wire/json/json_document.h"

namespace armature::dax {
namespace {

constexpr Method kMethods[] = {Method::kGetItem,           Method::kPutItem,        Method::kUpdateItem,
                               Method::kDeleteItem,        Method::kQuery,          Method::kScan,
                               Method::kBatchGetItem,      Method::kBatchWriteItem, Method::kTransactGetItems,
                               Method::kTransactWriteItems};

TableSchemaPtr SchemaOf(std::string_view table) {
  using model::Type;
  static const auto make = [](std::vector<KeyPart> parts) {
    return std::make_shared<TableSchema>(TableSchema{.name = "table", .parts = std::move(parts)});
  };
  static const TableSchemaPtr schemas[] = {
      make({{"Song", Type::kS}, {"Artist", Type::kS}}), make({{"sensor", Type::kN}, {"t", Type::kN}}),
      make({{"b", Type::kB}, {"t", Type::kN}}), make({{"id", Type::kN}}), make({{"id", Type::kS}})};
  return schemas[table.size() % std::size(schemas)];
}

AccountLists Lists() {
  static AttributeLists all(nullptr);
  static const AccountLists lists(all, "111122223333");
  static const bool is_filled = [] {
    for (const std::vector<std::string_view>& names :
         {std::vector<std::string_view>{"a"}, {"Price", "Year"}, {"id", "x"}, {"a", "b", "c", "d", "e", "f", "g", "h"}})
      (void)lists.Intern(names);
    return true;
  }();
  (void)is_filled;
  return lists;
}

void CheckMessage(std::string_view message) {
  Arena arena;
  const auto request = ReadRequest(message, arena);
  if (!request) return;
  switch (request->method) {
    case Method::kAuthorizeConnection:
    case Method::kEndpoints:
    case Method::kDefineKeySchema:
    case Method::kDefineAttributeListId:
    case Method::kDefineAttributeList: return;
    default: break;
  }
  std::vector<TableSchemaPtr> schemas;
  for (const std::string_view table : TablesOf(*request)) schemas.push_back(SchemaOf(table));
  const JsonRequestOptions options{.return_values = ReturnValuesForCache(*request, arena)};
  const auto json = WriteJsonRequest(*request, schemas, Lists(), arena, options);
  if (!json) return Require(json.error().http_status < 500, "the error is the client's");
  Require(!json->operation.empty(), "a data method has an operation");
  const auto document = wire::JsonDocument::Parse(json->body);
  Require(document.has_value() && document->root().is_object(), "the request is JSON");
}

}  // namespace
}  // namespace armature::dax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace dax = armature::dax;
  if (size == 0) return 0;
  const std::string_view bytes = armature::FuzzText(data + 1, size - 1);
  const size_t choice = data[0] % (std::size(dax::kMethods) + 1);
  if (choice == std::size(dax::kMethods)) {
    dax::CheckMessage(bytes);
    return 0;
  }
  std::string message;
  dax::AppendCborInt(message, 1);
  dax::AppendCborInt(message, static_cast<int64_t>(dax::kMethods[choice]));
  message += bytes;
  dax::CheckMessage(message);
  return 0;
}
