// Requests of batches and transactions.
#include <fmt/core.h>

#include "dax/codec/key_codec.h"
#include "dax/translate/request_writer.h"
#include "wire/json/attribute_json.h"

namespace armature::dax {

using model::ApiResult;

namespace {

constexpr std::string_view kOnFailureNames[] = {"", "NONE", "ALL_OLD"};

}  // namespace

ApiResult<void> RequestWriter::WriteBatchGet() {
  json_.Key("RequestItems");
  json_.BeginObject();
  for (size_t i = 0; i < request_.tables.size(); ++i) {
    const BatchTable& table = request_.tables[i];
    ExpressionWriter expressions(arena_, wording_);
    json_.Key(table.table);
    json_.BeginObject();
    json_.Key("Keys");
    json_.BeginArray();
    for (const RequestItem& item : request_.items.subspan(table.first, table.count)) {
      ARMATURE_TRY(const model::Item key, DecodeKey(item.key, *schemas_[i], arena_));
      json_.BeginValue();
      wire::AppendItemAsJson(key, body_);
    }
    json_.EndArray();
    if (table.consistent_read) json_.MemberBool("ConsistentRead", true);
    ARMATURE_CHECK_OK(WriteProjection(table.projection, expressions));
    expressions.WriteAttributeMaps(json_);
    json_.EndObject();
  }
  json_.EndObject();
  return WriteConsumedCapacity();
}

ApiResult<void> RequestWriter::WriteBatchWrite() {
  json_.Key("RequestItems");
  json_.BeginObject();
  for (size_t i = 0; i < request_.tables.size(); ++i) {
    const BatchTable& table = request_.tables[i];
    json_.Key(table.table);
    json_.BeginArray();
    for (const RequestItem& item : request_.items.subspan(table.first, table.count)) {
      json_.BeginObject();
      json_.Key(item.blob ? "PutRequest" : "DeleteRequest");
      json_.BeginObject();
      if (item.blob) ARMATURE_CHECK_OK(WritePut(item, *schemas_[i]));
      else ARMATURE_CHECK_OK(WriteKey("Key", item, *schemas_[i]));
      json_.EndObject();
      json_.EndObject();
    }
    json_.EndArray();
  }
  json_.EndObject();
  ARMATURE_CHECK_OK(WriteMetrics());
  return WriteConsumedCapacity();
}

ApiResult<void> RequestWriter::WriteTransactGet() {
  json_.Key("TransactItems");
  json_.BeginArray();
  for (size_t i = 0; i < request_.items.size(); ++i) {
    const RequestItem& item = request_.items[i];
    ExpressionWriter expressions(arena_, wording_);
    json_.BeginObject();
    json_.Key("Get");
    json_.BeginObject();
    json_.Member("TableName", item.table);
    ARMATURE_CHECK_OK(WriteKey("Key", item, *schemas_[i]));
    ARMATURE_CHECK_OK(WriteProjection(item.projection, expressions));
    expressions.WriteAttributeMaps(json_);
    json_.EndObject();
    json_.EndObject();
  }
  json_.EndArray();
  return WriteConsumedCapacity();
}

ApiResult<void> RequestWriter::WriteTransactWrite() {
  json_.Key("TransactItems");
  json_.BeginArray();
  for (size_t i = 0; i < request_.items.size(); ++i) {
    json_.BeginObject();
    ARMATURE_CHECK_OK(WriteAction(request_.items[i], *schemas_[i]));
    json_.EndObject();
  }
  json_.EndArray();
  WriteText("ClientRequestToken", options().client_request_token);
  ARMATURE_CHECK_OK(WriteMetrics());
  return WriteConsumedCapacity();
}

ApiResult<void> RequestWriter::WriteAction(const RequestItem& item, const TableSchema& schema) {
  ExpressionWriter expressions(arena_, wording_);
  switch (static_cast<TransactAction>(item.action)) {
    case TransactAction::kPut: json_.Key("Put"); break;
    case TransactAction::kDelete: json_.Key("Delete"); break;
    case TransactAction::kUpdate: json_.Key("Update"); break;
    case TransactAction::kConditionCheck: json_.Key("ConditionCheck"); break;
    default: return model::ValidationException(fmt::format("Unknown action in a transaction: {}", item.action));
  }
  json_.BeginObject();
  json_.Member("TableName", item.table);
  if (item.action == static_cast<int64_t>(TransactAction::kPut)) ARMATURE_CHECK_OK(WritePut(item, schema));
  else ARMATURE_CHECK_OK(WriteKey("Key", item, schema));
  ARMATURE_CHECK_OK(WriteUpdate(item.update, expressions));
  ARMATURE_CHECK_OK(WriteCondition("ConditionExpression", item.condition, expressions));
  expressions.WriteAttributeMaps(json_);
  ARMATURE_CHECK_OK(WriteEnum("ReturnValuesOnConditionCheckFailure", item.return_values_on_failure, kOnFailureNames));
  json_.EndObject();
  return {};
}

}  // namespace armature::dax
