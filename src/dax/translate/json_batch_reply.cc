// Replies of batches and transactions.
#include <algorithm>

#include "dax/codec/cbor.h"
#include "dax/codec/key_codec.h"
#include "dax/translate/item_json.h"
#include "dax/translate/reply_writer.h"

namespace armature::dax {

namespace dom = simdjson::dom;
using model::ApiResult;

const TableSchema* ReplyWriter::SchemaOfTable(std::string_view table) const {
  const BatchTable* batch_table = BatchTableOf(table);
  if (batch_table == nullptr) return nullptr;
  return context_.schemas[static_cast<size_t>(batch_table - request().tables.data())].get();
}

const BatchTable* ReplyWriter::BatchTableOf(std::string_view table) const {
  for (const BatchTable& batch_table : request().tables)
    if (batch_table.table == table) return &batch_table;
  return nullptr;
}

void ReplyWriter::AppendCapacities(CapacityForm form) {
  const auto capacities = ArrayIn(Member("ConsumedCapacity"));
  AppendCborArrayHead(out_, capacities ? capacities->size() : 0);
  if (!capacities) return;
  for (const dom::element element : *capacities) {
    const auto capacity = ObjectIn(element);
    if (capacity) AppendJsonCapacity(out_, *capacity, form);
    else AppendCborNull(out_);
  }
}

ApiResult<void> ReplyWriter::AppendMetricsOfTables() {
  const auto tables = ObjectIn(Member("ItemCollectionMetrics"));
  AppendCborMapHead(out_, tables ? tables->size() : 0);
  if (!tables) return {};
  for (const dom::key_value_pair table : *tables) {
    const auto metrics = ArrayIn(table.value);
    if (!metrics) return model::InternalServerError();
    AppendCborText(out_, table.key);
    AppendCborArrayHead(out_, metrics->size());
    for (const dom::element element : *metrics) {
      const auto object = ObjectIn(element);
      if (!object) return model::InternalServerError();
      ARMATURE_CHECK_OK(AppendJsonMetrics(out_, *object, context_.arena));
    }
  }
  return {};
}

// --- BatchGetItem: two values, of which the first has a pair in it

ApiResult<void> ReplyWriter::WriteBatchGet() {
  const auto responses = ObjectIn(Member("Responses"));
  // Tables of which everything came from the cache are not in the reply.
  std::vector<std::string_view> from_cache_only;
  for (const ReplyItem& item : context_.cached) {
    const bool is_told = responses && MemberOf(*responses, item.table);
    if (!is_told && std::find(from_cache_only.begin(), from_cache_only.end(), item.table) == from_cache_only.end())
      from_cache_only.push_back(item.table);
  }
  AppendCborArrayHead(out_, 2);
  AppendCborMapHead(out_, (responses ? responses->size() : 0) + from_cache_only.size());
  if (responses)
    for (const dom::key_value_pair table : *responses) ARMATURE_CHECK_OK(AppendTableItems(table.key, table.value));
  for (const std::string_view table : from_cache_only) ARMATURE_CHECK_OK(AppendTableItems(table, std::nullopt));
  ARMATURE_CHECK_OK(AppendUnprocessedKeys());
  AppendCapacities(CapacityForm::kPlain);
  return {};
}

ApiResult<void> ReplyWriter::AppendTableItems(std::string_view table, std::optional<dom::element> json) {
  const BatchTable* const batch_table = BatchTableOf(table);
  const auto found = ArrayIn(json);
  if (found && batch_table == nullptr) return model::InternalServerError();
  AppendCborText(out_, table);
  if (batch_table != nullptr && batch_table->projection) {
    ARMATURE_TRY(const auto paths, ReadProjection(*batch_table->projection, context_.arena));
    const ItemProjection projection(paths);
    AppendCborArrayHead(out_, found ? found->size() : 0);
    if (!found) return {};
    for (const dom::element element : *found) {
      ARMATURE_TRY(const model::Item item, ItemOfJson(element, context_.arena));
      projection.AppendOrdinals(out_, item);
    }
    return {};
  }
  const auto is_wanted = [&](const ReplyItem& item) { return item.table == table && item.is_found; };
  const auto cached = std::count_if(context_.cached.begin(), context_.cached.end(), is_wanted);
  AppendCborArrayHead(out_, 2 * (static_cast<size_t>(cached) + (found ? found->size() : 0)));
  for (const ReplyItem& item : context_.cached) {
    if (!is_wanted(item)) continue;
    AppendCborBytes(out_, item.key);
    AppendCborBytes(out_, item.blob);
  }
  if (!found) return {};
  const TableSchema& schema = *SchemaOfTable(table);
  for (const dom::element element : *found) {
    ARMATURE_TRY(const model::Item item, WholeItem(element, schema));
    ARMATURE_TRY(const ReplyItem kept, Keep(batch_table->table, item, schema));
    items_.items.push_back(kept);
    AppendCborBytes(out_, kept.key);
    AppendCborBytes(out_, kept.blob);
  }
  return {};
}

ApiResult<void> ReplyWriter::AppendUnprocessedKeys() {
  const auto tables = ObjectIn(Member("UnprocessedKeys"));
  AppendCborMapHead(out_, tables ? tables->size() : 0);
  if (!tables) return {};
  for (const dom::key_value_pair table : *tables) {
    const TableSchema* const schema = SchemaOfTable(table.key);
    const auto members = ObjectIn(table.value);
    const auto keys = members ? ArrayIn(MemberOf(*members, "Keys")) : std::nullopt;
    if (schema == nullptr || !keys) return model::InternalServerError();
    const std::string_view name = BatchTableOf(table.key)->table;
    AppendCborText(out_, name);
    AppendCborArrayHead(out_, keys->size());
    for (const dom::element element : *keys) {
      ARMATURE_TRY(const model::Item key, WholeItem(element, *schema));
      items_.unprocessed.push_back({.table = name, .key = KeyOf(key, *schema), .is_found = false});
      AppendCborBytes(out_, items_.unprocessed.back().key);
    }
  }
  return {};
}

// --- BatchWriteItem: three values

ApiResult<void> ReplyWriter::WriteBatchWrite() {
  const auto tables = ObjectIn(Member("UnprocessedItems"));
  AppendCborMapHead(out_, tables ? tables->size() : 0);
  if (tables) {
    for (const dom::key_value_pair table : *tables) {
      const TableSchema* const schema = SchemaOfTable(table.key);
      const auto writes = ArrayIn(table.value);
      if (schema == nullptr || !writes) return model::InternalServerError();
      AppendCborText(out_, table.key);
      AppendCborArrayHead(out_, 2 * writes->size());
      for (const dom::element write : *writes) ARMATURE_CHECK_OK(AppendLeftWrite(write, *schema));
    }
  }
  AppendCapacities(CapacityForm::kPlain);
  return AppendMetricsOfTables();
}

ApiResult<void> ReplyWriter::AppendLeftWrite(dom::element json, const TableSchema& schema) {
  const auto write = ObjectIn(json);
  if (!write) return model::InternalServerError();
  const auto put = ObjectIn(MemberOf(*write, "PutRequest"));
  const auto deletion = ObjectIn(MemberOf(*write, "DeleteRequest"));
  const auto item_json = put ? MemberOf(*put, "Item") : deletion ? MemberOf(*deletion, "Key") : std::nullopt;
  if (!item_json) return model::InternalServerError();
  ARMATURE_TRY(const model::Item item, WholeItem(*item_json, schema));
  AppendCborBytes(out_, KeyOf(item, schema));
  if (!put) {
    AppendCborNull(out_);
    return {};
  }
  ++items_.unprocessed_puts;
  ARMATURE_TRY(const std::string_view blob, BlobOf(item, schema));
  AppendCborBytes(out_, blob);
  return {};
}

// --- transactions: one value

ApiResult<void> ReplyWriter::WriteTransactGet() {
  const auto responses = ArrayIn(Member("Responses"));
  if (!responses || responses->size() != request().items.size()) return model::InternalServerError();
  AppendCborArrayHead(out_, 2);
  AppendCborArrayHead(out_, responses->size());
  size_t index = 0;
  for (const dom::element response : *responses) ARMATURE_CHECK_OK(AppendTransactItem(index++, response));
  AppendCapacities(CapacityForm::kOfTransaction);
  return {};
}

ApiResult<void> ReplyWriter::AppendTransactItem(size_t index, dom::element json) {
  const RequestItem& asked = request().items[index];
  const TableSchema& schema = *context_.schemas[index];
  const auto response = ObjectIn(json);
  const auto item_json = response ? MemberOf(*response, "Item") : std::nullopt;
  if (asked.projection) {
    if (!item_json) {
      AppendCborNull(out_);
      return {};
    }
    ARMATURE_TRY(const model::Item item, ItemOfJson(*item_json, context_.arena));
    ARMATURE_TRY(const auto paths, ReadProjection(*asked.projection, context_.arena));
    ItemProjection(paths).AppendOrdinals(out_, item);
    return {};
  }
  if (!item_json) {
    ARMATURE_TRY(const model::Item key, DecodeKey(asked.key, schema, context_.arena));
    items_.items.push_back({.table = asked.table, .key = KeyOf(key, schema), .is_found = false});
    AppendCborNull(out_);
    return {};
  }
  ARMATURE_TRY(const model::Item item, WholeItem(*item_json, schema));
  ARMATURE_TRY(const ReplyItem kept, Keep(asked.table, item, schema));
  items_.items.push_back(kept);
  AppendCborBytes(out_, kept.blob);
  return {};
}

ApiResult<void> ReplyWriter::WriteTransactWrite() {
  AppendCborArrayHead(out_, 3);
  AppendCborArrayHead(out_, 0);
  AppendCapacities(CapacityForm::kOfTransaction);
  return AppendMetricsOfTables();
}

}  // namespace armature::dax
