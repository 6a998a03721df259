#include "dax/translate/json_request.h"

#include <fmt/core.h>
#include <simdjson.h>

#include "base/text/json_writer.h"
#include "dax/codec/item_blob.h"
#include "dax/codec/key_codec.h"
#include "dax/translate/expression_text.h"
#include "model/wording.h"
#include "wire/json/attribute_json.h"

namespace armature::dax {

namespace {

using Text = std::optional<std::string_view>;
using model::ApiResult;

constexpr std::string_view kConsumedCapacityNames[] = {"NONE", "TOTAL", "INDEXES"};
constexpr std::string_view kMetricsNames[] = {"NONE", "SIZE"};
constexpr std::string_view kReturnValuesNames[] = {"", "NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"};
constexpr std::string_view kOnFailureNames[] = {"", "NONE", "ALL_OLD"};
constexpr std::string_view kSelectNames[] = {"", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "COUNT",
                                             "SPECIFIC_ATTRIBUTES"};

std::string_view OperationOf(Method method) {
  switch (method) {
    case Method::kGetItem: return "GetItem";
    case Method::kPutItem: return "PutItem";
    case Method::kUpdateItem: return "UpdateItem";
    case Method::kDeleteItem: return "DeleteItem";
    case Method::kQuery: return "Query";
    case Method::kScan: return "Scan";
    case Method::kBatchGetItem: return "BatchGetItem";
    case Method::kBatchWriteItem: return "BatchWriteItem";
    case Method::kTransactGetItems: return "TransactGetItems";
    case Method::kTransactWriteItems: return "TransactWriteItems";
    default: return {};
  }
}

// In whose words DynamoDB would tell what is wrong with a value.
const model::Wording& WordingOf(Method method) {
  switch (method) {
    case Method::kPutItem:
    case Method::kUpdateItem:
    case Method::kDeleteItem: return model::kItemWriteWording;
    case Method::kScan: return model::kScanWording;
    case Method::kBatchWriteItem: return model::kBatchWriteWording;
    case Method::kTransactGetItems:
    case Method::kTransactWriteItems: return model::kTransactionWording;
    default: return model::kReadWording;
  }
}

class RequestWriter {
 public:
  RequestWriter(const ParsedRequest& request, std::span<const TableSchemaPtr> schemas, AttributeLists& lists,
                Arena& arena, const JsonRequestOptions& overrides)
      : request_(request), schemas_(schemas), lists_(lists), arena_(arena), overrides_(overrides), json_(body_) {}

  ApiResult<std::string> Write() {
    json_.BeginObject();
    ARMATURE_CHECK_OK(WriteMembers());
    json_.EndObject();
    // Names and texts came as bytes that nobody has looked at. What is no UTF-8 is no JSON either.
    if (!simdjson::validate_utf8(body_.data(), body_.size())) return model::SerializationException();
    return std::move(body_);
  }

 private:
  const Options& options() const { return request_.options; }

  ApiResult<void> WriteMembers() {
    switch (request_.method) {
      case Method::kGetItem: return WriteGet();
      case Method::kPutItem:
      case Method::kUpdateItem:
      case Method::kDeleteItem: return WriteSingleWrite();
      case Method::kQuery:
      case Method::kScan: return WriteSearch();
      case Method::kBatchGetItem: return WriteBatchGet();
      case Method::kBatchWriteItem: return WriteBatchWrite();
      case Method::kTransactGetItems: return WriteTransactGet();
      default: return WriteTransactWrite();
    }
  }

  // --- members that several operations have

  ApiResult<void> WriteEnum(std::string_view member, std::optional<int64_t> value,
                            std::span<const std::string_view> names) {
    if (!value) return {};
    if (*value < 0 || *value >= static_cast<int64_t>(names.size()) || names[static_cast<size_t>(*value)].empty())
      return model::ValidationException(fmt::format("{} has a value that is not known: {}", member, *value));
    json_.Key(member);
    json_.PlainString(names[static_cast<size_t>(*value)]);
    return {};
  }
  void WriteBool(std::string_view member, std::optional<bool> value) {
    if (value) json_.MemberBool(member, *value);
  }
  void WriteInt(std::string_view member, std::optional<int64_t> value) {
    if (value) json_.MemberInt(member, *value);
  }
  void WriteText(std::string_view member, const Text& text) {
    if (text) json_.Member(member, *text);
  }
  void WriteItem(std::string_view member, model::Item item) {
    json_.Key(member);
    json_.BeginValue();
    wire::AppendItemAsJson(item, body_);
  }

  ApiResult<void> WriteConsumedCapacity() {
    return WriteEnum("ReturnConsumedCapacity", options().return_consumed_capacity, kConsumedCapacityNames);
  }
  ApiResult<void> WriteMetrics() {
    return WriteEnum("ReturnItemCollectionMetrics", options().return_item_collection_metrics, kMetricsNames);
  }

  ApiResult<void> WriteCondition(std::string_view member, const Text& bytes, ExpressionWriter& expressions) {
    if (!bytes) return {};
    ARMATURE_TRY(const std::string text, expressions.Condition(*bytes, member));
    json_.Member(member, text);
    return {};
  }
  ApiResult<void> WriteUpdate(const Text& bytes, ExpressionWriter& expressions) {
    if (!bytes) return {};
    ARMATURE_TRY(const std::string text, expressions.Update(*bytes));
    json_.Member("UpdateExpression", text);
    return {};
  }
  ApiResult<void> WriteProjection(const Text& bytes, ExpressionWriter& expressions) {
    if (!bytes) return {};
    ARMATURE_TRY(const std::string text, expressions.Projection(*bytes));
    json_.Member("ProjectionExpression", text);
    return {};
  }

  ApiResult<void> WriteKey(std::string_view member, const RequestItem& item, const TableSchema& schema) {
    ARMATURE_TRY(const model::Item key, DecodeKey(item.key, schema, arena_));
    WriteItem(member, key);
    return {};
  }
  // What is put: its key and its blob in one.
  ApiResult<void> WritePut(const RequestItem& item, const TableSchema& schema) {
    ARMATURE_TRY(const model::Item key, DecodeKey(item.key, schema, arena_));
    ARMATURE_TRY(const model::Item whole,
                 DecodeItemBlob(item.blob.value_or(std::string_view()), key, lists_, arena_, wording_));
    WriteItem("Item", whole);
    return {};
  }

  // --- operations

  ApiResult<void> WriteGet() {
    ExpressionWriter expressions(arena_, wording_);
    json_.Member("TableName", request_.table);
    ARMATURE_CHECK_OK(WriteKey("Key", request_.items[0], *schemas_[0]));
    WriteBool("ConsistentRead", options().consistent_read);
    ARMATURE_CHECK_OK(WriteProjection(options().projection, expressions));
    expressions.WriteAttributeMaps(json_);
    return WriteConsumedCapacity();
  }

  ApiResult<void> WriteSingleWrite() {
    ExpressionWriter expressions(arena_, wording_);
    const RequestItem& item = request_.items[0];
    json_.Member("TableName", request_.table);
    if (request_.method == Method::kPutItem) ARMATURE_CHECK_OK(WritePut(item, *schemas_[0]));
    else ARMATURE_CHECK_OK(WriteKey("Key", item, *schemas_[0]));
    if (request_.method == Method::kUpdateItem) ARMATURE_CHECK_OK(WriteUpdate(options().update, expressions));
    ARMATURE_CHECK_OK(WriteCondition("ConditionExpression", options().condition, expressions));
    expressions.WriteAttributeMaps(json_);
    std::optional<int64_t> values = options().return_values;
    if (overrides_.return_values) values = static_cast<int64_t>(*overrides_.return_values);
    ARMATURE_CHECK_OK(WriteEnum("ReturnValues", values, kReturnValuesNames));
    ARMATURE_CHECK_OK(WriteMetrics());
    return WriteConsumedCapacity();
  }

  ApiResult<void> WriteSearch() {
    ExpressionWriter expressions(arena_, wording_);
    json_.Member("TableName", request_.table);
    WriteText("IndexName", options().index_name);
    if (request_.method == Method::kQuery)
      ARMATURE_CHECK_OK(WriteCondition("KeyConditionExpression", request_.key_condition, expressions));
    ARMATURE_CHECK_OK(WriteCondition("FilterExpression", options().filter, expressions));
    ARMATURE_CHECK_OK(WriteProjection(options().projection, expressions));
    expressions.WriteAttributeMaps(json_);
    ARMATURE_CHECK_OK(WriteStartKey());
    WriteBool("ConsistentRead", options().consistent_read);
    WriteInt("Limit", options().limit);
    if (request_.method == Method::kQuery) WriteBool("ScanIndexForward", options().scan_index_forward);
    ARMATURE_CHECK_OK(WriteEnum("Select", options().select, kSelectNames));
    WriteInt("Segment", options().segment);
    WriteInt("TotalSegments", options().total_segments);
    return WriteConsumedCapacity();
  }

  ApiResult<void> WriteStartKey() {
    if (!options().exclusive_start_key) return {};
    const std::string_view bytes = *options().exclusive_start_key;
    ARMATURE_TRY(const model::Item key,
                 options().index_name ? DecodeIndexKey(bytes, arena_) : DecodeKey(bytes, *schemas_[0], arena_));
    WriteItem("ExclusiveStartKey", key);
    return {};
  }

  ApiResult<void> WriteBatchGet() {
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

  ApiResult<void> WriteBatchWrite() {
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

  ApiResult<void> WriteTransactGet() {
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

  ApiResult<void> WriteTransactWrite() {
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

  ApiResult<void> WriteAction(const RequestItem& item, const TableSchema& schema) {
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

  const ParsedRequest& request_;
  const std::span<const TableSchemaPtr> schemas_;
  AttributeLists& lists_;
  Arena& arena_;
  const JsonRequestOptions& overrides_;
  const model::Wording& wording_ = WordingOf(request_.method);
  std::string body_;
  JsonWriter json_;
};

// Whether all that an update touches are whole attributes, so that what it changed can be told from the new item.
bool TouchesWholeAttributes(std::string_view update, Arena& arena) {
  const auto tree = ReadUpdate(update, arena);
  if (!tree) return false;
  for (const ExpressionNode* action : tree->actions)
    if (action->arguments[0]->path.size() != 1) return false;
  return true;
}

}  // namespace

model::ApiResult<JsonRequest> WriteJsonRequest(const ParsedRequest& request, std::span<const TableSchemaPtr> schemas,
                                               AttributeLists& lists, Arena& arena, const JsonRequestOptions& options) {
  auto body = RequestWriter(request, schemas, lists, arena, options).Write();
  if (body) return JsonRequest{OperationOf(request.method), *std::move(body)};
  const bool is_of_values = body.error().name == "ValidationException";
  return is_of_values ? model::Told(WordingOf(request.method), std::move(body).error()) : std::move(body).error();
}

std::optional<ReturnValues> ReturnValuesForCache(const ParsedRequest& request, Arena& arena) {
  if (request.method != Method::kUpdateItem) return std::nullopt;
  const auto asked = static_cast<ReturnValues>(request.options.return_values.value_or(1));
  if (asked == ReturnValues::kNone || asked == ReturnValues::kAllNew) return ReturnValues::kAllNew;
  if (asked == ReturnValues::kUpdatedNew && TouchesWholeAttributes(request.options.update.value_or(""), arena))
    return ReturnValues::kAllNew;
  return std::nullopt;
}

}  // namespace armature::dax
