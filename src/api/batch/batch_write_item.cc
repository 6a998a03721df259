// BatchWriteItem: up to 25 puts and deletes in several tables, each by itself.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "api/handlers.h"
#include "api/item/distinct_items.h"
#include "api/item/item_reply.h"
#include "api/item/key_checks.h"
#include "api/reply_cost.h"
#include "api/table_lookup.h"
#include "model/item_size.h"
#include "model/messages/items.h"
#include "table/throttle/throttle_error.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;

namespace {

constexpr size_t kMaxWrites = 25;

// One member of the request.
struct Member {
  std::string_view table_name;  // as the request has it
  const wire::WriteRequest* request = nullptr;
  std::shared_ptr<table::Table> table;
  size_t item_size = 0;  // of a put
  model::Item key;

  bool is_put() const { return request->PutRequest != nullptr; }
  const wire::AttributeMap& attributes() const {
    return is_put() ? request->PutRequest->Item : request->DeleteRequest->Key;
  }
};

ApiResult<void> CheckMember(Member& member) {
  const wire::WriteRequest& request = *member.request;
  if (request.PutRequest && request.DeleteRequest)
    return ValidationException(std::string(model::messages::kMoreThanOneDatatype));
  if (!request.PutRequest && !request.DeleteRequest)
    return ValidationException(std::string(model::messages::kEmptyAttributeValue));
  if (member.attributes().first_error) return *member.attributes().first_error;
  if (!member.is_put()) return {};
  member.item_size = model::ItemSize(member.attributes().item());
  if (member.item_size > model::kMaxItemBytes) return ValidationException(std::string(model::messages::kItemTooLarge));
  return {};
}

// Everything that needs no table.
ApiResult<std::vector<Member>> Validate(const wire::BatchWriteItemInput& request) {
  std::vector<Member> members;
  members.reserve(kMaxWrites);
  for (const auto& entry : request.RequestItems) {
    for (const auto& write : entry.value) {
      members.push_back({entry.key, &write, nullptr, 0, {}});
      ARMATURE_CHECK_OK(CheckMember(members.back()));
    }
  }
  if (members.size() > kMaxWrites) return ValidationException(std::string(model::messages::kBatchWriteTooManyItems));
  return members;
}

// Keys and index keys. One bad member rejects the whole batch before anything is written.
ApiResult<void> CheckAgainstTable(Member& member, Arena& arena) {
  const auto& key_schema = member.table->key_schema();
  const model::Item attributes = member.attributes().item();
  member.key = member.is_put() ? ExtractKey(key_schema, attributes, arena) : attributes;
  // A put is told in the same words as a delete here, other than by PutItem.
  ARMATURE_CHECK_OK(CheckKey(key_schema, member.key));
  if (!member.is_put()) return {};
  return table::CheckIndexedItem(*member.table->schema(), nullptr, attributes, member.item_size, /*is_update=*/false,
                                 arena);
}

// The members of one table stand together and are one access, with all their keys.
ApiResult<void> FindTables(const RequestContext& context, const wire::BatchWriteItemInput& request,
                           std::span<Member> members) {
  while (!members.empty()) {
    const auto other = std::ranges::find_if(
        members, [&](const Member& member) { return member.table_name != members.front().table_name; });
    const auto same = members.first(static_cast<size_t>(other - members.begin()));
    const auto touch = [&](AccessDetails& details) {
      for (const Member& member : same) details.Item(member.attributes().item());
      details.Returns(request);
    };
    ARMATURE_TRY(const auto table, FindDataTable(context, same.front().table_name, touch));
    for (Member& member : same) member.table = table;
    members = members.subspan(same.size());
  }
  return {};
}

ApiResult<void> CheckAgainstTables(const RequestContext& context, const wire::BatchWriteItemInput& request,
                                   std::vector<Member>& members) {
  ARMATURE_CHECK_OK(FindTables(context, request, members));
  for (auto& member : members) ARMATURE_CHECK_OK(CheckAgainstTable(member, context.arena));
  DistinctItems seen;
  for (const auto& member : members)
    if (!seen.Add(member.table->id(), member.key))
      return ValidationException(std::string(model::messages::kDuplicateItemKeys));
  return {};
}

std::unique_ptr<table::ItemWrite[]> MakeWrites(const std::vector<Member>& members) {
  auto writes = std::make_unique<table::ItemWrite[]>(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    writes[i].kind = member.is_put() ? table::ItemWrite::Kind::kPut : table::ItemWrite::Kind::kDelete;
    writes[i].table = member.table.get();
    writes[i].key = member.key;
    if (!member.is_put()) continue;
    writes[i].put_item = member.attributes().item();
    writes[i].put_item_size = member.item_size;
  }
  return writes;
}

// Failures a client can do something about by sending the member again; the others are told.
bool IsUnprocessed(const table::ItemWrite& write) {
  return write.failure && (write.failure->http_status >= 500 || table::IsThrottleError(*write.failure));
}

void WriteUnprocessed(JsonWriter& json, const std::vector<Member>& members, const table::ItemWrite* writes) {
  json.Key("UnprocessedItems");
  json.BeginObject();
  std::string_view open_table;
  for (size_t i = 0; i < members.size(); ++i) {
    if (!IsUnprocessed(writes[i])) continue;
    const Member& member = members[i];
    if (open_table != member.table_name) {  // members of one table stand together
      if (!open_table.empty()) json.EndArray();
      open_table = member.table_name;
      json.Key(open_table);
      json.BeginArray();
    }
    json.BeginObject();
    json.Key(member.is_put() ? "PutRequest" : "DeleteRequest");
    json.BeginObject();
    WriteItemMember(json, member.is_put() ? "Item" : "Key", member.attributes().item());
    json.EndObject();
    json.EndObject();
  }
  if (!open_table.empty()) json.EndArray();
  json.EndObject();
}

}  // namespace

Task<ApiResult<void>> BatchWriteItem(RequestContext& context, const wire::BatchWriteItemInput& request) {
  ARMATURE_CO_TRY(auto members, Validate(request));
  ARMATURE_CO_CHECK_OK(CheckAgainstTables(context, request, members));
  const auto writes = MakeWrites(members);
  const std::span<table::ItemWrite> all(writes.get(), members.size());
  ARMATURE_CO_CHECK_OK(co_await context.services.writes.ExecuteBatch(all, context.arena));
  for (auto& write : all)
    if (write.failure && !IsUnprocessed(write)) co_return std::move(*write.failure);

  std::vector<NamedWrite> done;
  for (size_t i = 0; i < members.size(); ++i)
    if (!writes[i].failure) done.push_back({members[i].table_name, &writes[i]});
  JsonWriter json(context.body);
  json.BeginObject();
  WriteUnprocessed(json, members, writes.get());
  WriteConsumedCapacities(json, request.ReturnConsumedCapacity, CapacityByTable(done));
  if (Asks(request.ReturnItemCollectionMetrics, "SIZE")) WriteItemCollections(json, done);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
