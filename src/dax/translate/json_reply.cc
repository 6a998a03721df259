#include "dax/translate/json_reply.h"

#include "base/text/json_writer.h"
#include "dax/codec/cbor.h"
#include "dax/codec/item_blob.h"
#include "dax/codec/key_codec.h"
#include "dax/codec/value_codec.h"
#include "dax/translate/expressions/touched_attributes.h"
#include "dax/translate/item_json.h"
#include "dax/translate/reply_writer.h"
#include "wire/json/json_document.h"

namespace armature::dax {

namespace dom = simdjson::dom;
using model::ApiResult;

namespace {

// Entries of an answer's map (6.1 of the protocol).
enum Field : uint8_t {
  kItem = 0,
  kConsumedCapacity = 1,
  kAttributes = 2,
  kItemCollectionMetrics = 3,
  kItems = 7,
  kCount = 8,
  kLastEvaluatedKey = 9,
  kScannedCount = 10,
};

void AppendSuccess(std::string& out) { out.push_back('\x80'); }

// [list id, {ordinal: value, …}] (8.3 of the protocol).
ApiResult<void> AppendUpdated(std::string& out, model::Item attributes, const AccountLists& lists) {
  std::vector<std::string_view> names;
  for (const model::MapEntry& entry : attributes) names.push_back(entry.name);
  const auto id = lists.Intern(names);
  if (!id) return model::FromStatus(id.error());
  std::string blob;
  AppendCborUnsigned(blob, *id);
  AppendCborMapHead(blob, attributes.size());
  for (size_t i = 0; i < attributes.size(); ++i) {
    AppendCborUnsigned(blob, i);
    AppendValue(blob, attributes[i].value);
  }
  AppendCborBytes(out, blob);
  return {};
}

}  // namespace

// --- what all operations use

std::optional<dom::element> ReplyWriter::MemberOf(dom::object object, std::string_view name) {
  dom::element element;
  if (object.at_key(name).get(element) != simdjson::SUCCESS || element.is_null()) return std::nullopt;
  return element;
}

std::optional<dom::object> ReplyWriter::ObjectIn(std::optional<dom::element> element) {
  dom::object object;
  if (!element || element->get(object) != simdjson::SUCCESS) return std::nullopt;
  return object;
}

std::optional<dom::array> ReplyWriter::ArrayIn(std::optional<dom::element> element) {
  dom::array array;
  if (!element || element->get(array) != simdjson::SUCCESS) return std::nullopt;
  return array;
}

ApiResult<model::Item> ReplyWriter::WholeItem(dom::element json, const TableSchema& schema) {
  ARMATURE_TRY(const model::Item item, ItemOfJson(json, context_.arena));
  for (const KeyPart& part : schema.parts) {
    const model::Value* value = model::FindAttribute(item, part.name);
    if (value == nullptr || !value->is(part.type)) return model::InternalServerError();
  }
  return item;
}

std::string_view ReplyWriter::KeyOf(model::Item item, const TableSchema& schema) {
  scratch_.clear();
  AppendKey(scratch_, schema, item);
  return context_.arena.Copy(scratch_);
}

ApiResult<std::string_view> ReplyWriter::BlobOf(model::Item item, const TableSchema& schema) {
  scratch_.clear();
  const Status status = AppendItemBlob(scratch_, item, schema, context_.lists);
  if (!status.ok()) return model::FromStatus(status);
  return context_.arena.Copy(scratch_);
}

ApiResult<ReplyItem> ReplyWriter::Keep(std::string_view table, model::Item item, const TableSchema& schema) {
  ARMATURE_TRY(const std::string_view blob, BlobOf(item, schema));
  return ReplyItem{.table = table, .key = KeyOf(item, schema), .blob = blob};
}

ApiResult<void> ReplyWriter::Write() {
  AppendSuccess(out_);
  switch (request().method) {
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

// --- single items

ApiResult<void> ReplyWriter::WriteGet() {
  const auto item_json = Member("Item");
  const auto capacity = ObjectIn(Member("ConsumedCapacity"));
  AppendCborMapHead(out_, (item_json ? 1 : 0) + (capacity ? 1 : 0));
  if (options().projection) {
    if (item_json) {
      ARMATURE_TRY(const model::Item item, ItemOfJson(*item_json, context_.arena));
      ARMATURE_TRY(const auto paths, ReadProjection(*options().projection, context_.arena));
      AppendCborUnsigned(out_, kItem);
      ItemProjection(paths).AppendOrdinals(out_, item);
    }
  } else if (item_json) {
    ARMATURE_TRY(const model::Item item, WholeItem(*item_json, schema()));
    ARMATURE_TRY(const ReplyItem kept, Keep(request().table, item, schema()));
    items_.items.push_back(kept);
    AppendCborUnsigned(out_, kItem);
    AppendCborBytes(out_, kept.blob);
  } else {
    ARMATURE_TRY(const model::Item key, DecodeKey(request().items[0].key, schema(), context_.arena));
    items_.items.push_back({.table = request().table, .key = KeyOf(key, schema()), .is_found = false});
  }
  if (capacity) {
    AppendCborUnsigned(out_, kConsumedCapacity);
    AppendJsonCapacity(out_, *capacity, CapacityForm::kPlain);
  }
  return {};
}

ApiResult<void> ReplyWriter::WriteSingleWrite() {
  std::string entries;
  size_t count = 0;
  ARMATURE_CHECK_OK(AppendAttributes(entries, count));
  if (const auto capacity = ObjectIn(Member("ConsumedCapacity"))) {
    ++count;
    AppendCborUnsigned(entries, kConsumedCapacity);
    AppendJsonCapacity(entries, *capacity, CapacityForm::kPlain);
  }
  if (const auto metrics = ObjectIn(Member("ItemCollectionMetrics"))) {
    ++count;
    AppendCborUnsigned(entries, kItemCollectionMetrics);
    ARMATURE_CHECK_OK(AppendJsonMetrics(entries, *metrics, context_.arena));
  }
  AppendCborMapHead(out_, count);
  out_ += entries;
  return {};
}

ApiResult<void> ReplyWriter::AppendAttributes(std::string& entries, size_t& count) {
  const auto json = Member("Attributes");
  if (!json) return {};
  const auto wanted = static_cast<ReturnValues>(options().return_values.value_or(1));
  const ReturnValues told = context_.return_values.value_or(wanted);
  ARMATURE_TRY(model::Item item, ItemOfJson(*json, context_.arena));
  if (told == ReturnValues::kAllNew || told == ReturnValues::kAllOld) {
    ARMATURE_TRY(item, WholeItem(*json, schema()));
    ARMATURE_TRY(const ReplyItem kept, Keep(request().table, item, schema()));
    if (told == ReturnValues::kAllNew) items_.items.push_back(kept);
    if (wanted == ReturnValues::kNone) return {};
    if (wanted == told) {
      ++count;
      AppendCborUnsigned(entries, kAttributes);
      AppendCborBytes(entries, kept.blob);
      return {};
    }
    item = TouchedAttributes(item, options().update.value_or(std::string_view()), context_.arena);
    if (item.empty()) return {};
  }
  ++count;
  AppendCborUnsigned(entries, kAttributes);
  return AppendUpdated(entries, item, context_.lists);
}

// --- Query and Scan

ApiResult<void> ReplyWriter::WriteSearch() {
  const auto found = ArrayIn(Member("Items"));
  const auto last_key = Member("LastEvaluatedKey");
  const auto capacity = context_.tells_capacity ? ObjectIn(Member("ConsumedCapacity")) : std::nullopt;
  AppendCborMapHead(out_, size_t{2} + (found ? 1 : 0) + (last_key ? 1 : 0) + (capacity ? 1 : 0));
  for (const auto& [field, name] : {std::pair(kCount, "Count"), std::pair(kScannedCount, "ScannedCount")}) {
    const auto number = Member(name);
    int64_t value = 0;
    if (!number || number->get(value) != simdjson::SUCCESS) return model::InternalServerError();
    AppendCborUnsigned(out_, field);
    AppendCborInt(out_, value);
  }
  if (found) {
    std::optional<ItemProjection> projection;
    if (options().projection) {
      ARMATURE_TRY(const auto paths, ReadProjection(*options().projection, context_.arena));
      projection.emplace(paths);
    }
    AppendCborUnsigned(out_, kItems);
    AppendCborArrayHead(out_, found->size());
    for (const dom::element item : *found)
      ARMATURE_CHECK_OK(AppendSearchItem(item, projection ? &*projection : nullptr));
  }
  if (last_key) {
    AppendCborUnsigned(out_, kLastEvaluatedKey);
    ARMATURE_CHECK_OK(AppendLastKey(*last_key));
  }
  if (capacity) {
    AppendCborUnsigned(out_, kConsumedCapacity);
    AppendJsonCapacity(out_, *capacity, CapacityForm::kPlain);
  }
  return {};
}

ApiResult<void> ReplyWriter::AppendSearchItem(dom::element json, const ItemProjection* projection) {
  if (projection != nullptr) {
    ARMATURE_TRY(const model::Item item, ItemOfJson(json, context_.arena));
    projection->AppendOrdinals(out_, item);
    return {};
  }
  ARMATURE_TRY(const model::Item item, WholeItem(json, schema()));
  ARMATURE_TRY(const ReplyItem kept, Keep(request().table, item, schema()));
  AppendCborArrayHead(out_, 2);
  AppendCborBytes(out_, kept.key);
  AppendCborBytes(out_, kept.blob);
  return {};
}

ApiResult<void> ReplyWriter::AppendLastKey(dom::element json) {
  scratch_.clear();
  if (options().index_name) {
    ARMATURE_TRY(const model::Item key, ItemOfJson(json, context_.arena));
    AppendIndexKey(scratch_, key);
  } else {
    ARMATURE_TRY(const model::Item key, WholeItem(json, schema()));
    AppendKey(scratch_, schema(), key);
  }
  AppendCborBytes(out_, scratch_);
  return {};
}

// --- the public ones

ApiResult<void> AppendReply(std::string& out, std::string_view json, const ReplyContext& context, ReplyItems& items) {
  const size_t before = out.size();
  const auto document = wire::JsonDocument::Parse(json);
  dom::object reply;
  if (!document || document->root().get(reply) != simdjson::SUCCESS) return model::InternalServerError();
  auto written = ReplyWriter(out, reply, context, items).Write();
  if (!written) out.resize(before);
  return written;
}

void AppendCachedItem(std::string& out, std::optional<std::string_view> blob) {
  AppendSuccess(out);
  AppendCborMapHead(out, blob ? 1 : 0);
  if (!blob) return;
  AppendCborUnsigned(out, kItem);
  AppendCborBytes(out, *blob);
}

std::optional<std::string> RetryOfBatchWrite(std::string_view reply_json, std::string_view request_json) {
  const auto reply = wire::JsonDocument::Parse(reply_json);
  const auto request = wire::JsonDocument::Parse(request_json);
  dom::object left;
  dom::object members;
  if (!reply || !request || reply->root().at_key("UnprocessedItems").get(left) != simdjson::SUCCESS ||
      left.size() == 0 || request->root().get(members) != simdjson::SUCCESS)
    return std::nullopt;
  std::string body;
  JsonWriter writer(body);
  writer.BeginObject();
  for (const dom::key_value_pair member : members) {
    writer.Key(member.key);
    if (member.key == "RequestItems") writer.Raw(simdjson::minify(left));
    else writer.Raw(simdjson::minify(member.value));
  }
  writer.EndObject();
  return body;
}

}  // namespace armature::dax
