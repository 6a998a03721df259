#include "dax/translate/json_request.h"

#include <fmt/core.h>
#include <simdjson.h>

#include "dax/codec/item_blob.h"
#include "dax/codec/key_codec.h"
#include "dax/translate/expressions/touched_attributes.h"
#include "dax/translate/request_writer.h"
#include "wire/json/attribute_json.h"

namespace armature::dax {

using model::ApiResult;

namespace {

constexpr std::string_view kConsumedCapacityNames[] = {"NONE", "TOTAL", "INDEXES"};
constexpr std::string_view kMetricsNames[] = {"NONE", "SIZE"};
constexpr std::string_view kReturnValuesNames[] = {"", "NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"};
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

}  // namespace

ApiResult<std::string> RequestWriter::Write() {
  json_.BeginObject();
  ARMATURE_CHECK_OK(WriteMembers());
  json_.EndObject();
  // Names and texts came as bytes that nobody has looked at. What is no UTF-8 is no JSON either.
  if (!simdjson::validate_utf8(body_.data(), body_.size())) return model::SerializationException();
  return std::move(body_);
}

ApiResult<void> RequestWriter::WriteMembers() {
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

ApiResult<void> RequestWriter::WriteEnum(std::string_view member, std::optional<int64_t> value,
                                         std::span<const std::string_view> names) {
  if (!value) return {};
  if (*value < 0 || *value >= static_cast<int64_t>(names.size()) || names[static_cast<size_t>(*value)].empty())
    return model::ValidationException(fmt::format("{} has a value that is not known: {}", member, *value));
  json_.Key(member);
  json_.PlainString(names[static_cast<size_t>(*value)]);
  return {};
}

void RequestWriter::WriteItem(std::string_view member, model::Item item) {
  json_.Key(member);
  json_.BeginValue();
  wire::AppendItemAsJson(item, body_);
}

ApiResult<void> RequestWriter::WriteConsumedCapacity() {
  return WriteEnum("ReturnConsumedCapacity", options().return_consumed_capacity, kConsumedCapacityNames);
}

ApiResult<void> RequestWriter::WriteMetrics() {
  return WriteEnum("ReturnItemCollectionMetrics", options().return_item_collection_metrics, kMetricsNames);
}

ApiResult<void> RequestWriter::WriteCondition(std::string_view member, MaybeText bytes, ExpressionWriter& expressions) {
  if (!bytes) return {};
  ARMATURE_TRY(const std::string text, expressions.Condition(*bytes, member));
  json_.Member(member, text);
  return {};
}

ApiResult<void> RequestWriter::WriteUpdate(MaybeText bytes, ExpressionWriter& expressions) {
  if (!bytes) return {};
  ARMATURE_TRY(const std::string text, expressions.Update(*bytes));
  json_.Member("UpdateExpression", text);
  return {};
}

ApiResult<void> RequestWriter::WriteProjection(MaybeText bytes, ExpressionWriter& expressions) {
  if (!bytes) return {};
  ARMATURE_TRY(const std::string text, expressions.Projection(*bytes));
  json_.Member("ProjectionExpression", text);
  return {};
}

ApiResult<void> RequestWriter::WriteKey(std::string_view member, const RequestItem& item, const TableSchema& schema) {
  ARMATURE_TRY(const model::Item key, DecodeKey(item.key, schema, arena_));
  WriteItem(member, key);
  return {};
}

ApiResult<void> RequestWriter::WritePut(const RequestItem& item, const TableSchema& schema) {
  ARMATURE_TRY(const model::Item key, DecodeKey(item.key, schema, arena_));
  ARMATURE_TRY(const model::Item whole,
               DecodeItemBlob(item.blob.value_or(std::string_view()), key, lists_, arena_, wording_));
  WriteItem("Item", whole);
  return {};
}

// --- single items and searches

ApiResult<void> RequestWriter::WriteGet() {
  ExpressionWriter expressions(arena_, wording_);
  json_.Member("TableName", request_.table);
  ARMATURE_CHECK_OK(WriteKey("Key", request_.items[0], *schemas_[0]));
  WriteBool("ConsistentRead", options().consistent_read);
  ARMATURE_CHECK_OK(WriteProjection(options().projection, expressions));
  expressions.WriteAttributeMaps(json_);
  return WriteConsumedCapacity();
}

ApiResult<void> RequestWriter::WriteSingleWrite() {
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

ApiResult<void> RequestWriter::WriteSearch() {
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

ApiResult<void> RequestWriter::WriteStartKey() {
  if (!options().exclusive_start_key) return {};
  const std::string_view bytes = *options().exclusive_start_key;
  ARMATURE_TRY(const model::Item key,
               options().index_name ? DecodeIndexKey(bytes, arena_) : DecodeKey(bytes, *schemas_[0], arena_));
  WriteItem("ExclusiveStartKey", key);
  return {};
}

// --- the public ones

model::ApiResult<JsonRequest> WriteJsonRequest(const ParsedRequest& request, std::span<const TableSchemaPtr> schemas,
                                               const AccountLists& lists, Arena& arena,
                                               const JsonRequestOptions& options) {
  auto body = RequestWriter(request, schemas, lists, arena, options, WordingOf(request.method)).Write();
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
