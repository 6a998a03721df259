// Writes: to the table first, then into every node's cache, then the client is answered.
#include <utility>

#include "dax/codec/item_blob.h"
#include "dax/codec/key_codec.h"
#include "dax/node/execution.h"
#include "dax/node/parts/error_reply.h"
#include "dax/node/refresh.h"

namespace armature::dax {

namespace {

constexpr int kBatchTries = 4;

// Whether the table may have been changed although an error came back.
bool IsOutcomeUnknown(const BackendError& error) { return error.is_outcome_unknown || error.http_status >= 500; }

// The schema of the table of an item of the request.
const TableSchema& SchemaOf(const ParsedRequest& request, std::span<const TableSchemaPtr> schemas, size_t item) {
  if (request.tables.empty()) return *schemas[schemas.size() == 1 ? 0 : item];
  size_t table = 0;
  while (item >= request.tables[table].first + request.tables[table].count) ++table;
  return *schemas[table];
}

}  // namespace

void Execution::BeginWrites(ItemWrites& writes) {
  for (size_t i = 0; i < call_.request.items.size(); ++i) {
    const TableSchema& schema = SchemaOf(call_.request, schemas_, i);
    std::string key;
    // One that is no key of the table changes nothing: DynamoDB refuses it.
    if (CanonicalKey(call_.request.items[i].key, schema, key)) writes.Begin(i, schema.number, key);
  }
}

void Execution::EndFailed(ItemWrites& writes) {
  if (failure_ && IsOutcomeUnknown(*failure_)) writes.EndUnknown();
  else writes.EndUnchanged();
}

Task<void> Execution::WriteItem() {
  if (!co_await FindSchemas()) co_return;
  const ParsedRequest& request = call_.request;
  const bool is_update = request.method == Method::kUpdateItem;
  JsonRequestOptions options;
  if (is_update) options.return_values = ReturnValuesForCache(request, call_.arena);
  ItemWrites writes(cluster_, node_.writes());
  BeginWrites(writes);
  const auto reply = co_await Ask(options);
  if (!reply) co_return EndFailed(writes);
  is_written_ = true;
  ReplyItems items;
  const bool is_told = Tell(*reply, items, options);
  std::string blob;
  const bool is_delete = request.method == Method::kDeleteItem;
  const bool has_image = is_update ? is_told && items.items.size() == 1 : !is_delete && MakePutImage(0, blob);
  // Once an image is in the caches, anybody may get it.
  if (!co_await Settle()) co_return;
  if (is_delete) co_return writes.EndAbsent(0);
  if (has_image) co_return writes.EndItem(0, is_update ? items.items[0].blob : std::string_view(blob));
  writes.EndUnknown();
  Refresh();
}

bool Execution::MakePutImage(size_t item, std::string& blob) {
  const RequestItem& put = call_.request.items[item];
  const TableSchema& schema = SchemaOf(call_.request, schemas_, item);
  if (!put.blob) return false;
  const auto key = DecodeKey(put.key, schema, call_.arena);
  if (!key) return false;
  const auto image = DecodeItemBlob(*put.blob, *key, lists_, call_.arena);
  return image && AppendItemBlob(blob, *image, schema, lists_).ok() && !blob.empty();
}

// Clients cannot read that a put is left to be done: what DynamoDB leaves is asked again, then the call fails. What was
// done by then stays done, and nobody knows how much.
Task<void> Execution::BatchWriteItem() {
  if (!co_await FindSchemas()) co_return;
  auto json = WriteJsonRequest(call_.request, schemas_, lists_, call_.arena);
  if (!json) co_return AppendApiError(json.error(), call_.reply);
  ItemWrites writes(cluster_, node_.writes());
  BeginWrites(writes);
  std::string asked = std::move(json->body);
  for (int tries = 1;; ++tries) {
    const auto reply = co_await Send(json->operation, asked);
    if (!reply && tries == 1) co_return EndFailed(writes);
    if (!reply) co_return;
    is_written_ = true;
    const std::optional<std::string> rest = RetryOfBatchWrite(*reply, asked);
    if (!rest) {
      ReplyItems items;
      Tell(*reply, items);
      co_return co_await EndBatch(writes);
    }
    if (tries == kBatchTries) co_return AppendThrottling(call_.reply);
    asked = *rest;
  }
}

Task<void> Execution::EndBatch(ItemWrites& writes) {
  std::vector<std::string> images(call_.request.items.size());
  for (size_t i = 0; i < images.size(); ++i) MakePutImage(i, images[i]);
  if (!co_await Settle()) co_return;
  for (size_t i = 0; i < images.size(); ++i) {
    if (!call_.request.items[i].blob) writes.EndAbsent(i);
    else if (!images[i].empty()) writes.EndItem(i, images[i]);
  }
}

Task<void> Execution::TransactWriteItems() {
  if (!co_await FindSchemas()) co_return;
  ItemWrites writes(cluster_, node_.writes());
  BeginWrites(writes);
  const auto reply = co_await Ask();
  if (!reply) co_return EndFailed(writes);
  is_written_ = true;
  writes.EndUnknown();
  ReplyItems items;
  Tell(*reply, items);
  Refresh();
  co_await Settle();
}

void Execution::Refresh() {
  std::vector<RefreshedItem> refreshed;
  for (size_t i = 0; i < call_.request.items.size(); ++i) {
    const TableSchema& schema = SchemaOf(call_.request, schemas_, i);
    std::string key;
    if (CanonicalKey(call_.request.items[i].key, schema, key))
      refreshed.push_back({schemas_[schemas_.size() == 1 ? 0 : i], std::move(key)});
  }
  RefreshItems(cluster_, std::move(refreshed), call_.scope);
}

}  // namespace armature::dax
