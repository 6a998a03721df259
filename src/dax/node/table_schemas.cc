#include "dax/node/table_schemas.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text/json_writer.h"
#include "wire/json/json_document.h"

namespace armature::dax {

namespace {

constexpr int64_t kLongAgoMillis = std::numeric_limits<int64_t>::min() / 2;

std::string NameOf(const Scope& scope, std::string_view table) {
  return fmt::format("{}/{}/{}", scope.account, scope.region, table);
}

BackendError Unreadable(std::string_view table) {
  BackendError error;
  error.name = "InternalServerError";
  error.message = fmt::format("The description of table {} could not be read", table);
  error.http_status = 500;
  return error;
}

std::string_view TextAt(simdjson::dom::element object, std::string_view member) {
  std::string_view text;
  return object[member].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// The type of a key attribute; false if the description does not say.
bool FindType(simdjson::dom::element table, std::string_view attribute, model::Type* type) {
  simdjson::dom::array definitions;
  if (table["AttributeDefinitions"].get(definitions) != simdjson::SUCCESS) return false;
  for (const simdjson::dom::element definition : definitions)
    if (TextAt(definition, "AttributeName") == attribute)
      return model::ParseTypeName(TextAt(definition, "AttributeType"), type);
  return false;
}

bool ReadKey(simdjson::dom::element table, TableSchema& schema) {
  simdjson::dom::array elements;
  if (table["KeySchema"].get(elements) != simdjson::SUCCESS) return false;
  for (const simdjson::dom::element element : elements) {
    KeyPart part{std::string(TextAt(element, "AttributeName"))};
    if (part.name.empty() || !FindType(table, part.name, &part.type)) return false;
    const bool is_hash = TextAt(element, "KeyType") == "HASH";
    schema.parts.insert(is_hash ? schema.parts.begin() : schema.parts.end(), std::move(part));
  }
  return !schema.parts.empty() && schema.parts.size() <= 2;
}

}  // namespace

TableSchemaPtr TableSchemas::Find(const Scope& scope, std::string_view table) const {
  const std::string name = NameOf(scope, table);
  ReadLock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end() || clock_.NowMillis() - found->second.asked_at_millis >= kKeptMillis) return nullptr;
  return found->second.schema;
}

TableSchemaPtr TableSchemas::Known(const Scope& scope, std::string_view table) const {
  const std::string name = NameOf(scope, table);
  ReadLock lock(mutex_);
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second.schema;
}

Task<Result<TableSchemaPtr, BackendError>> TableSchemas::Get(const Scope& scope, std::string_view table) {
  if (TableSchemaPtr known = Find(scope, table)) co_return known;
  std::string request;
  JsonWriter json(request);
  json.BeginObject();
  json.Member("TableName", table);
  json.EndObject();
  // A later answer may not be put behind an earlier one that was asked for later.
  const int64_t asked_at = clock_.NowMillis();
  BackendReply reply = co_await backend_.Call("DescribeTable", request, scope);
  if (!reply) {
    if (reply.error().name == "ResourceNotFoundException") Forget(scope, table);
    co_return std::move(reply).error();
  }
  const auto document = wire::JsonDocument::Parse(*reply);
  simdjson::dom::element description;
  TableSchema schema;
  schema.name = table;
  if (!document || document->root()["Table"].get(description) != simdjson::SUCCESS || !ReadKey(description, schema))
    co_return Unreadable(table);
  co_return Keep(NameOf(scope, table), std::move(schema), std::string(TextAt(description, "TableId")), asked_at);
}

TableSchemaPtr TableSchemas::Keep(const std::string& name, TableSchema schema, std::string table_id,
                                  int64_t now_millis) {
  WriteLock lock(mutex_);
  if (entries_.size() >= kMostTables && !entries_.contains(name)) entries_.erase(entries_.begin());
  Entry& entry = entries_[name];
  if (entry.schema && entry.asked_at_millis > now_millis) return entry.schema;  // somebody asked later
  const bool is_same =
      entry.schema && entry.table_id == table_id &&
      std::equal(entry.schema->parts.begin(), entry.schema->parts.end(), schema.parts.begin(), schema.parts.end(),
                 [](const KeyPart& a, const KeyPart& b) { return a.name == b.name && a.type == b.type; });
  if (!is_same) {
    schema.number = next_number_.fetch_add(1);
    entry.schema = std::make_shared<const TableSchema>(std::move(schema));
    entry.table_id = std::move(table_id);
  }
  entry.asked_at_millis = now_millis;
  return entry.schema;
}

void TableSchemas::Doubt(const Scope& scope, std::string_view table) {
  const std::string name = NameOf(scope, table);
  WriteLock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  if (found->second.table_id.empty()) entries_.erase(found);  // nobody could tell that it is another one
  else found->second.asked_at_millis = kLongAgoMillis;
}

void TableSchemas::Forget(const Scope& scope, std::string_view table) {
  const std::string name = NameOf(scope, table);
  WriteLock lock(mutex_);
  entries_.erase(name);
}

}  // namespace armature::dax
