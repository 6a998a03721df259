#include "table/index/index_changes.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/codec/item_codec.h"
#include "model/codec/key_codec.h"
#include "model/item_size.h"
#include "model/messages/items.h"
#include "table/capacity.h"
#include "table/keys/expiry.h"

namespace armature::table {

using model::ApiResult;
using model::KeyAttribute;
using model::Type;
using model::ValidationException;
using model::Value;
namespace messages = model::messages;

namespace {

// One side of a change: the entry an item has in an index, with its row key.
struct Entry {
  bool exists = false;
  model::Item item;
  size_t size = 0;
  std::string row_key;
};

Entry MakeEntry(const IndexSchema& index, Image item, Arena& arena) {
  Entry entry;
  if (!item || !HasRow(index.keyspace, *item)) return entry;
  entry.exists = true;
  entry.item = index.Entry(*item, arena);
  entry.size = model::ItemSize(entry.item);
  AppendRowKey(index.keyspace, *item, entry.row_key);
  return entry;
}

bool SameAttributes(model::Item a, model::Item b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name && x.value == y.value; });
}

// `replaced` is the row that was under the same key; one that does not exist if there was none.
void PutEntry(const IndexSchema& index, const Entry& entry, const Entry& replaced, storage::Batch& batch) {
  std::string record;
  model::EncodeItem(entry.item, entry.size, record);
  batch.Put(entry.row_key, record);
  batch.Count(index.count_slot(), replaced.exists ? 0 : 1,
              static_cast<int64_t>(entry.size) - static_cast<int64_t>(replaced.size));
}

void DeleteEntry(const IndexSchema& index, const Entry& entry, storage::Batch& batch) {
  batch.Delete(entry.row_key);
  batch.Count(index.count_slot(), -1, -static_cast<int64_t>(entry.size));
}

ApiResult<void> CheckKeyAttribute(const IndexSchema& index, const KeyAttribute& attribute, const Value& value,
                                  bool is_hash, bool is_update) {
  const std::string& index_name = index.def->name;
  if (!value.is(attribute.type)) {
    if (is_update) return ValidationException(std::string(messages::kUpdateIndexKeyType));
    return ValidationException(fmt::format(messages::kIndexKeyTypeMismatch, attribute.name,
                                           model::TypeName(attribute.type), model::TypeName(value.type()), index_name));
  }
  if (attribute.type != Type::kN && value.str().empty()) {
    const std::string_view kind = attribute.type == Type::kS ? "string" : "binary";
    if (is_update) return ValidationException(fmt::format(messages::kUpdateIndexKeyEmpty, kind));
    return ValidationException(fmt::format(messages::kIndexKeyEmpty, kind, index_name, attribute.name));
  }
  if (model::KeyValueSize(value) > (is_hash ? model::kMaxHashKeyBytes : model::kMaxRangeKeyBytes)) {
    if (is_update) return ValidationException(std::string(messages::kUpdateIndexKeyTooLong));
    return ValidationException(std::string(is_hash ? messages::kHashKeyTooLong : messages::kRangeKeyTooLong));
  }
  return {};
}

}  // namespace

ApiResult<void> CheckIndexKeys(const TableSchema& schema, Image old_item, model::Item new_item, bool is_update) {
  for (const auto& index : schema.indexes()) {
    const auto check = [&](const std::vector<KeyAttribute>& attributes, bool is_hash) -> ApiResult<void> {
      for (const auto& attribute : attributes) {
        if (schema.def().key_schema.Find(attribute.name)) continue;  // checked as part of the table's key
        const Value* value = model::FindAttribute(new_item, attribute.name);
        if (!value) continue;  // a sparse index leaves the item out
        const Value* before = is_update && old_item ? model::FindAttribute(*old_item, attribute.name) : nullptr;
        if (before && *before == *value) continue;
        ARMATURE_CHECK_OK(CheckKeyAttribute(index, attribute, *value, is_hash, is_update));
      }
      return {};
    };
    ARMATURE_CHECK_OK(check(index.keyspace.key.hash, true));
    ARMATURE_CHECK_OK(check(index.keyspace.key.range, false));
  }
  return {};
}

ApiResult<void> CheckIndexedItem(const TableSchema& schema, Image old_item, model::Item new_item, size_t new_size,
                                 bool is_update, Arena& arena) {
  if (schema.indexes().empty()) return {};
  ARMATURE_CHECK_OK(CheckIndexKeys(schema, old_item, new_item, is_update));
  if (schema.has_local_indexes() && new_size + LocalEntriesSize(schema, new_item, arena) > model::kMaxItemBytes)
    return ValidationException(std::string(is_update ? messages::kItemToUpdateTooLarge : messages::kItemTooLarge));
  return {};
}

ApiResult<void> CheckIndexKeyLiterals(const TableSchema& schema, const expr::BoundUpdate& update,
                                      LiteralFaults faults) {
  const auto check = [&](const IndexSchema& index, const std::vector<KeyAttribute>& attributes, bool is_hash,
                         const expr::UpdateAction& action) -> ApiResult<void> {
    for (const auto& attribute : attributes) {
      if (attribute.name != action.path.front().name || schema.def().key_schema.Find(attribute.name)) continue;
      const Value& value = *action.value->value;
      const bool is_mistyped = !value.is(attribute.type);
      const bool is_empty = !is_mistyped && attribute.type != Type::kN && value.str().empty();
      if (faults == LiteralFaults::kEmpty && !is_empty) continue;
      if (faults == LiteralFaults::kMistyped && !is_mistyped) continue;
      ARMATURE_CHECK_OK(CheckKeyAttribute(index, attribute, value, is_hash, !is_mistyped));
    }
    return {};
  };
  for (const auto& index : schema.indexes()) {
    for (const auto& action : update.actions) {
      const bool is_literal =
          action.value && action.value->kind == expr::UpdateValue::Kind::kValue && action.path.size() == 1;
      const bool writes = action.kind == expr::UpdateActionKind::kSet || action.kind == expr::UpdateActionKind::kAdd;
      if (!is_literal || !writes) continue;
      ARMATURE_CHECK_OK(check(index, index.keyspace.key.hash, true, action));
      ARMATURE_CHECK_OK(check(index, index.keyspace.key.range, false, action));
    }
  }
  return {};
}

void AppendIndexChanges(const TableSchema& schema, Image old_item, Image new_item, Arena& arena, IndexBatches& batches,
                        std::vector<IndexCharge>& charges, std::span<const IndexSchema* const> unbuilt) {
  const Entry none;
  for (const auto& index : schema.indexes()) {
    const bool is_unbuilt = std::find(unbuilt.begin(), unbuilt.end(), &index) != unbuilt.end();
    const Entry before = is_unbuilt ? Entry{} : MakeEntry(index, old_item, arena);
    const Entry after = MakeEntry(index, new_item, arena);
    if (!before.exists && !after.exists) continue;
    const bool same_key = before.exists && after.exists && before.row_key == after.row_key;
    if (same_key && SameAttributes(before.item, after.item)) continue;

    IndexCharge charge{&index, 0};
    if (before.exists && !same_key) {
      DeleteEntry(index, before, batches.For(index, before.row_key, charge.deleted.partition));
      charge.deleted.units = WriteUnits(before.size, 0);
    }
    if (after.exists) {
      PutEntry(index, after, same_key ? before : none, batches.For(index, after.row_key, charge.put.partition));
      charge.put.units = WriteUnits(same_key ? before.size : 0, after.size);
    }
    charge.write_units = charge.deleted.units + charge.put.units;
    charges.push_back(std::move(charge));
  }
}

bool AppendIndexEntry(const IndexSchema& index, model::Item item, Arena& arena, storage::Batch& batch,
                      IndexCharge& charge) {
  const Entry entry = MakeEntry(index, &item, arena);
  if (!entry.exists) return false;
  PutEntry(index, entry, {}, batch);
  charge = {&index, WriteUnits(0, entry.size)};
  return true;
}

size_t LocalEntriesSize(const TableSchema& schema, model::Item item, Arena& arena) {
  size_t size = 0;
  for (const auto& index : schema.indexes()) {
    if (index.def->kind == model::IndexKind::kLocal && HasRow(index.keyspace, item))
      size += model::ItemSize(index.Entry(item, arena));
  }
  return size;
}

std::optional<int64_t> AppendExpiryChanges(const TableSchema& schema, std::string_view item_key, Image old_item,
                                           Image new_item, storage::Batch& batch) {
  const std::string_view attribute = schema.expiry_attribute();
  // A plain number, because g++ 12 takes the comparison of two optionals for one of uninitialised values under TSan.
  constexpr int64_t kNone = INT64_MIN;
  const auto expiry = [&](Image item) { return item ? ExpirySeconds(*item, attribute).value_or(kNone) : kNone; };
  const int64_t before = expiry(old_item), after = expiry(new_item);
  // While rows are being made the old item's may be missing: deleting it does no harm, but the new one must be put.
  if (before == after && (after == kNone || schema.has_all_expiry_rows())) return std::nullopt;
  if (before != kNone && before != after) batch.Delete(ExpiryRowKey(before, item_key));
  if (after == kNone) return std::nullopt;
  batch.Put(ExpiryRowKey(after, item_key), {});
  return after;
}

}  // namespace armature::table
