#include "cli/shell/catalog.h"

#include <fmt/format.h>

#include "base/text/json_writer.h"
#include "cli/shell/execute_statement.h"
#include "cli/shell/statements/statement_scan.h"

namespace armature::cli::shell {
namespace {

// Enough to meet most attributes of a table, and half a read unit if items are small.
constexpr size_t kSampleItems = 20;
// So many names help nobody; a table with dynamic attribute names must not fill the memory.
constexpr size_t kMaxAttributes = 2000;

template <class Element>
std::string Text(Element value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

std::vector<std::string> Texts(simdjson::simdjson_result<simdjson::dom::element> list) {
  std::vector<std::string> texts;
  simdjson::dom::array array;
  if (list.get(array) != simdjson::SUCCESS) return texts;
  for (const auto item : array) texts.push_back(Text(item));
  return texts;
}

}  // namespace

TableNames ReadTableNames(simdjson::dom::element table) {
  TableNames names;
  simdjson::dom::array array;
  if (table["KeySchema"].get(array) == simdjson::SUCCESS) {
    for (const auto key : array) names.keys.push_back(Text(key["AttributeName"]));
  }
  if (table["AttributeDefinitions"].get(array) == simdjson::SUCCESS) {
    for (const auto definition : array) names.attributes.insert(Text(definition["AttributeName"]));
  }
  for (const char* kind : {"LocalSecondaryIndexes", "GlobalSecondaryIndexes"}) {
    if (table[kind].get(array) != simdjson::SUCCESS) continue;
    for (const auto index : array) names.indexes.push_back(Text(index["IndexName"]));
  }
  return names;
}

Result<std::vector<std::string>, CallError> ListTables(Client& client) {
  std::vector<std::string> tables;
  std::string start;
  do {
    std::string body;
    JsonWriter json(body);
    json.BeginObject();
    if (!start.empty()) json.Member("ExclusiveStartTableName", start);
    json.EndObject();
    ARMATURE_TRY(const Reply reply, client.Call("ListTables", body));
    for (std::string& name : Texts(reply.root["TableNames"])) tables.push_back(std::move(name));
    start = Text(reply.root["LastEvaluatedTableName"]);
  } while (!start.empty());
  return tables;
}

Result<Reply, CallError> DescribeTable(Client& client, std::string_view table) {
  std::string body;
  JsonWriter json(body);
  json.BeginObject();
  json.Member("TableName", table);
  json.EndObject();
  return client.Call("DescribeTable", body);
}

std::vector<std::string> Catalog::Tables() {
  if (!tables_) {
    auto listed = ListTables(client_);
    tables_ = listed ? std::move(*listed) : std::vector<std::string>();
  }
  return *tables_;
}

Catalog::Known& Catalog::Get(const std::string& table) {
  Known& known = known_[table];
  if (!known.names.keys.empty()) return known;
  simdjson::dom::element description;
  const auto reply = DescribeTable(client_, table);
  if (reply && reply->root["Table"].get(description) == simdjson::SUCCESS) {
    TableNames names = ReadTableNames(description);
    names.attributes.merge(known.names.attributes);
    known.names = std::move(names);
  }
  return known;
}

void Catalog::Sample(const std::string& table, Known& known) {
  known.is_sampled = true;
  const std::string statement = fmt::format("SELECT * FROM {}", QuoteName(table));
  const auto page = ExecuteStatement(client_, {.statement = statement, .next_token = {}, .limit = kSampleItems});
  if (page) Learn(table, page->rows);
}

std::vector<std::string> Catalog::Indexes(const std::string& table) { return Get(table).names.indexes; }

std::vector<std::string> Catalog::Attributes(const std::string& table) {
  std::set<std::string> names;
  if (table.empty()) {
    for (const auto& [name, known] : known_) names.insert(known.names.attributes.begin(), known.names.attributes.end());
  } else {
    Known& known = Get(table);
    if (has_sampling_ && !known.is_sampled && !known.names.keys.empty()) Sample(table, known);
    names = known.names.attributes;
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> Catalog::Keys(const std::string& table) { return Get(table).names.keys; }

void Catalog::Learn(const std::string& table, const std::vector<Row>& rows) {
  if (table.empty()) return;
  auto& attributes = Get(table).names.attributes;
  for (const Row& row : rows) {
    for (const auto& [name, value] : row) {
      if (attributes.size() < kMaxAttributes) attributes.insert(name);
    }
  }
}

void Catalog::Forget() {
  tables_.reset();
  known_.clear();
}

}  // namespace armature::cli::shell
