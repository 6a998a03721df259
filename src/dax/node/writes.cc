// Writes: to the table first, then into every node's cache, then the client is answered.
#include <algorithm>
#include <utility>

#include "dax/codec/item_blob.h"
#include "dax/codec/key_codec.h"
#include "dax/node/error_reply.h"
#include "dax/node/execution.h"
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

Execution::Writes Execution::BeginWrites() {
  Writes writes;
  told_ = cluster_.nodes();
  writes.reserve(call_.request.items.size() * told_->size());
  for (size_t i = 0; i < call_.request.items.size(); ++i) {
    const TableSchema& schema = SchemaOf(call_.request, schemas_, i);
    std::string key;
    // One that is no key of the table changes nothing: DynamoDB refuses it.
    if (!CanonicalKey(call_.request.items[i].key, schema, key)) continue;
    for (const auto& node : *told_) writes.push_back({i, node, node->caches().items().BeginWrite(schema.number, key)});
  }
  return writes;
}

void Execution::EndFailed(Writes& writes, const BackendError& error) {
  const bool is_unknown = IsOutcomeUnknown(error);
  if (is_unknown) NoteWritten();
  for (Write& write : writes) {
    if (is_unknown) write.cached.EndUnknown();
    else write.cached.EndUnchanged();
  }
}

void Execution::NoteWritten() {
  for (const auto& node : *cluster_.nodes()) {
    for (const TableSchemaPtr& schema : schemas_) node->caches().queries().NoteWrite(schema->number);
    // One that has come meanwhile may have read the item before it was written.
    if (std::find(told_->begin(), told_->end(), node) != told_->end()) continue;
    for (size_t i = 0; i < call_.request.items.size(); ++i) {
      const TableSchema& schema = SchemaOf(call_.request, schemas_, i);
      std::string key;
      if (CanonicalKey(call_.request.items[i].key, schema, key)) node->caches().items().Invalidate(schema.number, key);
    }
  }
}

Task<void> Execution::WriteItem() {
  if (!co_await FindSchemas()) co_return;
  const ParsedRequest& request = call_.request;
  const bool is_update = request.method == Method::kUpdateItem;
  JsonRequestOptions options;
  if (is_update) options.return_values = ReturnValuesForCache(request, call_.arena);
  Writes writes = BeginWrites();
  const auto reply = co_await Ask(options);
  if (!reply) co_return EndFailed(writes, failure_.value_or(BackendError{}));
  NoteWritten();
  ReplyItems items;
  const bool is_told = Tell(*reply, items, options);
  std::string blob;
  const bool has_image = is_update ? is_told && items.items.size() == 1 : MakePutImage(0, blob);
  for (Write& write : writes) {
    if (request.method == Method::kDeleteItem) write.cached.EndAbsent();
    else if (!has_image) write.cached.EndUnknown();
    else write.cached.EndItem(is_update ? items.items[0].blob : std::string_view(blob));
  }
  if (!has_image && request.method != Method::kDeleteItem) Refresh();
  co_await Settle();
}

bool Execution::MakePutImage(size_t item, std::string& blob) {
  const RequestItem& put = call_.request.items[item];
  const TableSchema& schema = SchemaOf(call_.request, schemas_, item);
  if (!put.blob) return false;
  const auto key = DecodeKey(put.key, schema, call_.arena);
  if (!key) return false;
  const auto image = DecodeItemBlob(*put.blob, *key, services_.lists, call_.arena);
  return image && AppendItemBlob(blob, *image, schema, services_.lists).ok() && !blob.empty();
}

// Clients cannot read that a put is left to be done: what DynamoDB leaves is asked again, then the call fails.
Task<void> Execution::BatchWriteItem() {
  if (!co_await FindSchemas()) co_return;
  auto json = WriteJsonRequest(call_.request, schemas_, services_.lists, call_.arena);
  if (!json) co_return AppendApiError(json.error(), call_.reply);
  Writes writes = BeginWrites();
  std::string asked = std::move(json->body);
  for (int tries = 1;; ++tries) {
    const auto reply = co_await Send(json->operation, asked);
    if (!reply) {
      if (tries == 1) co_return EndFailed(writes, *failure_);
      // What an earlier try has done stays done, whatever became of the last one.
      co_return NoteWritten();
    }
    const std::optional<std::string> rest = RetryOfBatchWrite(*reply, asked);
    if (!rest) {
      NoteWritten();
      ReplyItems items;
      Tell(*reply, items);
      EndBatch(writes);
      break;
    }
    if (tries == kBatchTries) {
      NoteWritten();
      co_return AppendThrottling(call_.reply);
    }
    asked = *rest;
  }
  co_await Settle();
}

void Execution::EndBatch(Writes& writes) {
  size_t item = static_cast<size_t>(-1);
  std::string blob;
  bool has_image = false;
  for (Write& write : writes) {
    const RequestItem& asked = call_.request.items[write.item];
    if (std::exchange(item, write.item) != write.item) {
      blob.clear();
      has_image = MakePutImage(write.item, blob);
    }
    if (!asked.blob) write.cached.EndAbsent();
    else if (has_image) write.cached.EndItem(blob);
    else write.cached.EndUnknown();
  }
}

Task<void> Execution::TransactWriteItems() {
  if (!co_await FindSchemas()) co_return;
  Writes writes = BeginWrites();
  const auto reply = co_await Ask();
  if (!reply) co_return EndFailed(writes, failure_.value_or(BackendError{}));
  NoteWritten();
  ReplyItems items;
  Tell(*reply, items);
  for (Write& write : writes) write.cached.EndUnknown();
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
  RefreshItems(node_, std::move(refreshed), call_.scope);
}

}  // namespace armature::dax
