// BatchGetItem: up to 100 items of several tables.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "api/handlers.h"
#include "api/item/distinct_items.h"
#include "api/item/expressions.h"
#include "api/item/item_reply.h"
#include "api/item/key_checks.h"
#include "api/reply_cost.h"
#include "api/table_lookup.h"
#include "base/tasks/heavy_lane.h"
#include "expr/apply/projection.h"
#include "model/codec/item_codec.h"
#include "model/messages/expressions.h"
#include "model/messages/items.h"
#include "wire/json/attribute_json.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;

namespace {

constexpr size_t kMaxKeys = 100;
constexpr size_t kMaxReplyBytes = 16 << 20;
// Items may be large: what is read ahead of the limit of the reply is bounded by this many of them.
constexpr size_t kKeysPerRead = 25;
// The first read of a table shows how large its items are.
constexpr size_t kKeysOfFirstRead = 5;
// A reply beyond this is a heavy one: made one after the other, with a pause for others behind each portion.
constexpr size_t kHeavyBytes = 1 << 20;
constexpr size_t kPortionBytes = 512 * 1024;

// What is asked of one table, and how far it has come.
struct TableRequest {
  std::string_view name;  // as the request has it
  const wire::KeysAndAttributes* request = nullptr;
  const expr::BoundProjection* projection = nullptr;
  std::shared_ptr<table::Table> table;
  size_t keys_done = 0;           // from the front; the rest is unprocessed,
  std::vector<size_t> refused{};  // and so are these, for which there was no capacity
  double read_units = 0;
};

// One style for the whole request: expression parameters of one table do not go with legacy ones of another.
ApiResult<void> CheckOneStyle(const wire::BatchGetItemInput& request) {
  bool has_legacy = false;
  bool has_expression = false;
  for (const auto& entry : request.RequestItems) {
    has_legacy = has_legacy || entry.value.AttributesToGet.present;
    has_expression = has_expression || entry.value.ProjectionExpression;
  }
  if (has_legacy && has_expression)
    return ValidationException(
        fmt::format(model::messages::kMixedExpressions, "AttributesToGet", "ProjectionExpression"));
  return {};
}

ApiResult<void> CheckKeysOnce(const wire::KeysAndAttributes& request) {
  DistinctItems seen;
  for (const auto& key : request.Keys) {
    if (key.first_error) return *key.first_error;
    if (!seen.Add(0, key.item()))  // all of one table
      return ValidationException(std::string(model::messages::kDuplicateItemKeys));
  }
  return {};
}

// Everything that needs no table.
ApiResult<std::vector<TableRequest>> Validate(const wire::BatchGetItemInput& request, const model::Wording& wording,
                                              Arena& arena) {
  std::vector<TableRequest> tables;
  size_t key_count = 0;
  ARMATURE_CHECK_OK(CheckOneStyle(request));
  for (const auto& entry : request.RequestItems) {
    const ExpressionParameters expressions(entry.value, wording);
    ARMATURE_CHECK_OK(expressions.CheckParameters());
    ARMATURE_CHECK_OK(CheckKeysOnce(entry.value));
    ARMATURE_TRY(const auto bound, expressions.Bind(arena));
    key_count += entry.value.Keys.size();
    tables.push_back({entry.key, &entry.value, bound.projection, nullptr});
  }
  if (key_count > kMaxKeys) return ValidationException(std::string(model::messages::kBatchGetTooManyItems));
  return tables;
}

// What is asked of one table is one access, with all its keys.
ApiResult<void> FindTables(const RequestContext& context, const wire::BatchGetItemInput& request,
                           std::vector<TableRequest>& tables) {
  for (auto& table : tables) {
    const auto touch = [&](AccessDetails& details) {
      for (const auto& key : table.request->Keys) details.Item(key.item());
      if (table.projection) details.Paths(table.projection->paths);
      details.Returns(request);
      details.out.select = table.projection ? "SPECIFIC_ATTRIBUTES" : "ALL_ATTRIBUTES";
    };
    ARMATURE_TRY(table.table, FindDataTable(context, table.name, touch));
  }
  for (const auto& table : tables) {
    for (const auto& key : table.request->Keys) ARMATURE_CHECK_OK(CheckKey(table.table->key_schema(), key.item()));
  }
  return {};
}

// What has been made of the reply.
struct Reply {
  size_t bytes = 0;  // of items
  size_t keys_read = 0;
  std::optional<model::ApiError> refusal;  // of the first key there was no capacity for
  HeavyLane::Pass pass;
};

// Reads a table's keys and writes the items found, until the reply is full.
Task<ApiResult<void>> ReadTable(RequestContext& context, TableRequest& table, Reply& reply, JsonWriter& json) {
  const auto& keys = table.request->Keys;
  const bool is_consistent = table.request->ConsistentRead.value_or(false);
  const table::ReadView view = context.services.reads.ViewFor(is_consistent);
  size_t keys_per_read = kKeysOfFirstRead;
  while (table.keys_done < keys.size()) {
    std::vector<model::Item> some;
    for (size_t i = table.keys_done; i < keys.size() && some.size() < keys_per_read; ++i)
      some.push_back(keys[i].item());
    table::ItemsRead read;
    read.table = table.table.get();
    read.keys = some;
    read.at = view.at;
    read.is_consistent = is_consistent;
    read.room_bytes = kMaxReplyBytes - reply.bytes;
    ARMATURE_CO_CHECK_OK(co_await context.services.reads.GetMany(read));
    if (read.refusal && !reply.refusal) reply.refusal = std::move(read.refusal);
    for (size_t i = 0; i < read.taken; ++i) {
      if (read.is_refused(i)) table.refused.push_back(table.keys_done + i);
      else ++reply.keys_read;
    }
    table.keys_done += read.taken;
    table.read_units += read.read_units;
    reply.bytes += read.item_bytes;
    for (size_t i = 0; i < read.taken; ++i) {
      if (read.is_refused(i) || !read.found(i)) continue;
      auto decoded = model::DecodeItem(read.record(i), context.arena);
      if (!decoded) co_return UnreadableItem(table.name, decoded.error());
      json.BeginValue();
      wire::AppendItemAsJson(
          table.projection ? expr::Project(*table.projection, decoded->item, context.arena) : decoded->item,
          json.out());
    }
    if (read.taken < some.size()) {
      reply.bytes = kMaxReplyBytes;  // full: nothing more, not even smaller ones
      co_return ApiResult<void>{};
    }
    const size_t portion_bytes = read.item_bytes;
    keys_per_read = portion_bytes < kPortionBytes / 4 ? kKeysPerRead : kKeysOfFirstRead;
    if (reply.bytes > kHeavyBytes && table.keys_done < keys.size() && !reply.pass.is_held()) {
      co_await reply.pass.Take();
      // Room for the rest at once: a text that grows by doubling touches three times its memory.
      const size_t expected = std::min(reply.bytes / table.keys_done * keys.size(), kMaxReplyBytes);
      context.body.reserve(context.body.size() + expected + expected / 16);
    }
    if (portion_bytes > kPortionBytes) co_await HeavyLane::Yield();
  }
  co_return ApiResult<void>{};
}

// The rest of a table's request, to be sent again as it is.
void WriteUnprocessed(JsonWriter& json, const TableRequest& table) {
  const wire::KeysAndAttributes& request = *table.request;
  json.Key(table.name);
  json.BeginObject();
  json.Key("Keys");
  json.BeginArray();
  const auto write_key = [&](size_t i) {
    json.BeginValue();
    wire::AppendItemAsJson(request.Keys[i].item(), json.out());
  };
  for (const size_t i : table.refused) write_key(i);
  for (size_t i = table.keys_done; i < request.Keys.size(); ++i) write_key(i);
  json.EndArray();
  if (request.ConsistentRead) json.MemberBool("ConsistentRead", *request.ConsistentRead);
  if (request.ProjectionExpression) json.Member("ProjectionExpression", *request.ProjectionExpression);
  if (request.AttributesToGet.present) {
    json.Key("AttributesToGet");
    json.BeginArray();
    for (const auto& name : request.AttributesToGet) json.String(name);
    json.EndArray();
  }
  if (request.ExpressionAttributeNames.present) {
    json.Key("ExpressionAttributeNames");
    json.BeginObject();
    for (const auto& entry : request.ExpressionAttributeNames) json.Member(entry.key, entry.value);
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

Task<ApiResult<void>> BatchGetItem(RequestContext& context, const wire::BatchGetItemInput& request) {
  ARMATURE_CO_TRY(auto tables, Validate(request, *context.wording, context.arena));
  ARMATURE_CO_CHECK_OK(FindTables(context, request, tables));

  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("Responses");
  json.BeginObject();
  Reply reply;
  for (auto& table : tables) {
    json.Key(table.name);
    json.BeginArray();
    if (reply.bytes < kMaxReplyBytes) ARMATURE_CO_CHECK_OK(co_await ReadTable(context, table, reply, json));
    json.EndArray();
  }
  json.EndObject();
  if (reply.refusal && reply.keys_read == 0) co_return std::move(*reply.refusal);

  json.Key("UnprocessedKeys");
  json.BeginObject();
  for (const auto& table : tables)
    if (!table.refused.empty() || table.keys_done < table.request->Keys.size()) WriteUnprocessed(json, table);
  json.EndObject();

  std::vector<ConsumedCapacity> consumed;
  for (const auto& table : tables) {
    if (table.keys_done == table.refused.size()) continue;  // nothing was read of it
    consumed.emplace_back();
    consumed.back().table_name = table.name;
    consumed.back().table_units = table.read_units;
  }
  WriteConsumedCapacities(json, request.ReturnConsumedCapacity, consumed);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
