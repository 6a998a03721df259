#include "api/item/key_checks.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "model/codec/key_codec.h"
#include "model/item_size.h"
#include "model/messages/expressions.h"
#include "model/messages/items.h"

namespace armature::api {

using model::ApiResult;
using model::KeyAttribute;
using model::KeySchema;
using model::Type;
using model::ValidationException;
using model::Value;

ApiResult<void> CheckKeyValue(const KeyAttribute& attribute, const Value& value, bool is_hash) {
  if (attribute.type != Type::kN && value.str().empty()) {
    const auto text = attribute.type == Type::kS ? model::messages::kEmptyStringKey : model::messages::kEmptyBinaryKey;
    return ValidationException(fmt::format(fmt::runtime(text), attribute.name));
  }
  const size_t size = model::KeyValueSize(value);
  if (is_hash && size > model::kMaxHashKeyBytes)
    return ValidationException(std::string(model::messages::kHashKeyTooLong));
  if (!is_hash && size > model::kMaxRangeKeyBytes)
    return ValidationException(std::string(model::messages::kRangeKeyTooLong));
  return {};
}

namespace {

// Calls check(attribute, is_hash) for every key attribute, hash first, until one fails.
template <class Check>
ApiResult<void> ForEachKeyAttribute(const KeySchema& schema, Check&& check) {
  for (const auto& attribute : schema.hash) ARMATURE_CHECK_OK(check(attribute, true));
  for (const auto& attribute : schema.range) ARMATURE_CHECK_OK(check(attribute, false));
  return {};
}

}  // namespace

ApiResult<void> CheckKeyTypes(const KeySchema& schema, model::Item key) {
  if (key.size() != schema.hash.size() + schema.range.size())
    return ValidationException(std::string(model::messages::kKeyDoesNotMatchSchema));
  return ForEachKeyAttribute(schema, [&](const KeyAttribute& attribute, bool) -> ApiResult<void> {
    const Value* value = model::FindAttribute(key, attribute.name);
    if (!value || !value->is(attribute.type))
      return ValidationException(std::string(model::messages::kKeyDoesNotMatchSchema));
    return {};
  });
}

ApiResult<void> CheckKeyValues(const KeySchema& schema, model::Item item) {
  return ForEachKeyAttribute(schema, [&](const KeyAttribute& attribute, bool is_hash) {
    return CheckKeyValue(attribute, *model::FindAttribute(item, attribute.name), is_hash);
  });
}

ApiResult<void> CheckKey(const KeySchema& schema, model::Item key) {
  ARMATURE_CHECK_OK(CheckKeyTypes(schema, key));
  return CheckKeyValues(schema, key);
}

namespace {
ApiResult<void> CheckItemKeyType(const KeyAttribute& attribute, const Value* value) {
  if (!value) return ValidationException(fmt::format(model::messages::kMissingKey, attribute.name));
  if (value->is(attribute.type)) return {};
  return ValidationException(fmt::format(model::messages::kKeyTypeMismatch, attribute.name,
                                         model::TypeName(attribute.type), model::TypeName(value->type())));
}
}  // namespace

ApiResult<void> CheckItemKeyTypes(const KeySchema& schema, model::Item item) {
  return ForEachKeyAttribute(schema, [&](const KeyAttribute& attribute, bool) {
    return CheckItemKeyType(attribute, model::FindAttribute(item, attribute.name));
  });
}

ApiResult<void> CheckItemKey(const KeySchema& schema, model::Item item) {
  return ForEachKeyAttribute(schema, [&](const KeyAttribute& attribute, bool is_hash) -> ApiResult<void> {
    const Value* value = model::FindAttribute(item, attribute.name);
    ARMATURE_CHECK_OK(CheckItemKeyType(attribute, value));
    return CheckKeyValue(attribute, *value, is_hash);
  });
}

model::Item ExtractKey(const KeySchema& schema, model::Item item, Arena& arena) {
  auto entries = arena.NewArray<model::MapEntry>(schema.hash.size() + schema.range.size());
  size_t count = 0;
  // Walking the item, which is sorted, keeps the key sorted.
  for (const auto& entry : item)
    if (schema.Find(entry.name)) entries[count++] = entry;
  return entries.first(count);
}

ApiResult<void> CheckUpdateLeavesKey(const KeySchema& schema, const expr::BoundUpdate& update) {
  for (const auto& path : update.paths) {
    if (schema.Find(path.front().name))
      return ValidationException(fmt::format(model::messages::kCannotUpdateKey, path.front().name));
  }
  return {};
}

ApiResult<void> CheckKeyPaths(const table::TableSchema& schema, std::span<const expr::Path> paths) {
  const auto first_inside = [&](const KeySchema& key) -> const expr::Path* {
    const auto it = std::find_if(paths.begin(), paths.end(), [&](const expr::Path& path) {
      return path.size() > 1 && key.Find(path.front().name);
    });
    return it == paths.end() ? nullptr : &*it;
  };
  if (const expr::Path* path = first_inside(schema.def().key_schema))
    return ValidationException(fmt::format(model::messages::kKeyMustBeScalar, path->front().name));
  for (const auto& index : schema.indexes()) {
    if (const expr::Path* path = first_inside(index.keyspace.key))
      return ValidationException(fmt::format(model::messages::kIndexKeyMustBeScalar, path->front().name));
  }
  return {};
}

namespace {

void CollectPaths(const expr::UpdateValue* value, std::vector<expr::Path>& paths) {
  if (!value) return;
  if (!value->path.empty()) paths.push_back(value->path);
  CollectPaths(value->left, paths);
  CollectPaths(value->right, paths);
}

}  // namespace

ApiResult<void> CheckUpdatePaths(const table::TableSchema& schema, const expr::BoundUpdate& update) {
  ARMATURE_CHECK_OK(CheckKeyPaths(schema, update.paths));
  std::vector<expr::Path> read;
  for (const auto& action : update.actions) CollectPaths(action.value, read);
  return CheckKeyPaths(schema, read);
}

}  // namespace armature::api
