#include "api/table/key_schema_checks.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/messages/tables.h"

namespace armature::api {

using model::ApiResult;
using model::KeyAttribute;
using model::KeySchema;
using model::ValidationException;
namespace messages = model::messages;

namespace {

constexpr size_t kMaxGlobalKeysOfAKind = 4;

std::string Names(const std::vector<KeyAttribute>& attributes) {
  std::vector<std::string_view> names;
  names.reserve(attributes.size());
  for (const auto& attribute : attributes) names.push_back(attribute.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const KeyAttribute* FindDefinition(const std::vector<KeyAttribute>& definitions, std::string_view name) {
  const auto it = std::find_if(definitions.begin(), definitions.end(), [&](const auto& d) { return d.name == name; });
  return it == definitions.end() ? nullptr : &*it;
}

ApiResult<KeySchema> ResolveTypes(const wire::List<wire::KeySchemaElement>& elements,
                                  const std::vector<KeyAttribute>& definitions) {
  KeySchema schema;
  std::vector<std::string_view> undefined_keys;
  bool all_defined = true;
  for (const auto& element : elements) {
    const KeyAttribute* definition = FindDefinition(definitions, *element.AttributeName);
    undefined_keys.push_back(*element.AttributeName);
    if (!definition) {
      all_defined = false;
      continue;
    }
    (*element.KeyType == "HASH" ? schema.hash : schema.range).push_back(*definition);
  }
  if (!all_defined)
    return InvalidParameter(
        fmt::format(messages::kKeysNotDefined, fmt::join(undefined_keys, ", "), Names(definitions)));
  return schema;
}

}  // namespace

model::ApiError InvalidParameter(std::string_view detail) {
  return ValidationException(fmt::format(messages::kInvalidParameter, detail));
}

ApiResult<std::vector<KeyAttribute>> MakeAttributeDefinitions(
    const wire::List<wire::AttributeDefinition>& definitions) {
  std::vector<KeyAttribute> result;
  for (const auto& definition : definitions) {
    KeyAttribute attribute{std::string(*definition.AttributeName), model::Type::kS};
    model::ParseTypeName(*definition.AttributeType, &attribute.type);
    if (FindDefinition(result, attribute.name))
      return InvalidParameter(fmt::format(messages::kDuplicateDefinition, attribute.name));
    result.push_back(std::move(attribute));
  }
  return result;
}

ApiResult<KeySchema> MakeKeySchema(const wire::List<wire::KeySchemaElement>& elements,
                                   const std::vector<KeyAttribute>& definitions) {
  if (elements.size() > definitions.size()) return ValidationException(std::string(messages::kKeyWithoutDefinition));
  if (*elements[0].KeyType != "HASH") return ValidationException(std::string(messages::kFirstKeyNotHash));
  if (elements.size() > 1) {
    if (*elements[1].KeyType != "RANGE") return ValidationException(std::string(messages::kSecondKeyNotRange));
    if (*elements[0].AttributeName == *elements[1].AttributeName)
      return ValidationException(std::string(messages::kSameKeyTwice));
  }
  return ResolveTypes(elements, definitions);
}

ApiResult<KeySchema> MakeGlobalKeySchema(const wire::List<wire::KeySchemaElement>& elements,
                                         const std::vector<KeyAttribute>& definitions) {
  // The familiar shapes fail in the familiar words; the rest of this is about multi-attribute keys.
  if (*elements[0].KeyType != "HASH") return ValidationException(std::string(messages::kFirstKeyNotHash));
  if (elements.size() == 2 && *elements[0].AttributeName == *elements[1].AttributeName)
    return ValidationException(std::string(messages::kSameKeyTwice));
  std::set<std::string_view> seen;
  bool has_range = false;
  for (const auto& element : elements) {
    if (!seen.insert(*element.AttributeName).second)
      return ValidationException(fmt::format(messages::kRepeatedKey, *element.AttributeName));
    if (*element.KeyType == "RANGE") has_range = true;
    else if (has_range) return ValidationException(std::string(messages::kHashAfterRange));
  }
  ARMATURE_TRY(KeySchema schema, ResolveTypes(elements, definitions));
  if (schema.hash.size() > kMaxGlobalKeysOfAKind || schema.range.size() > kMaxGlobalKeysOfAKind)
    return ValidationException(
        fmt::format(messages::kTooManyKeysOfAKind, kMaxGlobalKeysOfAKind, kMaxGlobalKeysOfAKind));
  return schema;
}

ApiResult<void> CheckDefinitionsUsed(const model::TableDef& table) {
  std::vector<KeyAttribute> used;
  const auto use = [&](const std::vector<KeyAttribute>& attributes) {
    for (const auto& attribute : attributes)
      if (!FindDefinition(used, attribute.name)) used.push_back(attribute);
  };
  use(table.key_schema.hash);
  use(table.key_schema.range);
  for (const auto& index : table.indexes) {
    use(index.key_schema.hash);
    use(index.key_schema.range);
  }
  if (used.size() == table.attribute_definitions.size()) return {};
  if (table.indexes.empty()) return InvalidParameter(messages::kKeyCountMismatch);
  return InvalidParameter(fmt::format(messages::kUnusedDefinitions, Names(table.attribute_definitions), Names(used)));
}

}  // namespace armature::api
