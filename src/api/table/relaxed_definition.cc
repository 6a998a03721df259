#include "api/table/relaxed_definition.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace armature::api {

namespace {

// DynamoDB Local's.
constexpr std::string_view kRepeatedDefinition = "Cannot have two attributes with the same name";

bool IsIn(const wire::List<wire::KeySchemaElement>& keys, std::string_view name) {
  return std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return *key.AttributeName == name; });
}

bool IsKey(const wire::CreateTableInput& request, std::string_view name) {
  const auto is_key_of = [&](const auto& index) { return IsIn(index.KeySchema, name); };
  return IsIn(request.KeySchema, name) ||
         std::any_of(request.LocalSecondaryIndexes.begin(), request.LocalSecondaryIndexes.end(), is_key_of) ||
         std::any_of(request.GlobalSecondaryIndexes.begin(), request.GlobalSecondaryIndexes.end(), is_key_of);
}

bool HasRepeatedDefinition(const wire::CreateTableInput& request) {
  std::set<std::string_view> seen;
  const auto& definitions = request.AttributeDefinitions;
  return !std::all_of(definitions.begin(), definitions.end(),
                      [&](const auto& definition) { return seen.insert(*definition.AttributeName).second; });
}

void DropUnusedDefinitions(wire::CreateTableInput& request, Arena& arena) {
  auto& definitions = request.AttributeDefinitions;
  const auto kept = arena.NewArray<wire::AttributeDefinition>(definitions.size());
  const auto end = std::copy_if(definitions.begin(), definitions.end(), kept.begin(),
                                [&](const auto& definition) { return IsKey(request, *definition.AttributeName); });
  definitions.data = kept.data();
  definitions.count = static_cast<size_t>(end - kept.begin());
}

void DropThroughput(wire::CreateTableInput& request, Arena& arena) {
  request.ProvisionedThroughput = nullptr;
  auto& indexes = request.GlobalSecondaryIndexes;
  const auto copies = arena.NewArray<wire::GlobalSecondaryIndex>(indexes.size());
  std::copy(indexes.begin(), indexes.end(), copies.begin());
  for (wire::GlobalSecondaryIndex& index : copies) index.ProvisionedThroughput = nullptr;
  indexes.data = copies.data();
}

}  // namespace

model::ApiResult<wire::CreateTableInput> RelaxedDefinition(const wire::CreateTableInput& request,
                                                           const model::Compatibility& compatibility, Arena& arena) {
  wire::CreateTableInput relaxed = request;
  if (compatibility.words_repeated_definitions && HasRepeatedDefinition(request))
    return model::ValidationException(std::string(kRepeatedDefinition));
  if (compatibility.drops_unused_definitions) DropUnusedDefinitions(relaxed, arena);
  const bool is_on_demand = request.BillingMode && *request.BillingMode == "PAY_PER_REQUEST";
  if (compatibility.drops_throughput_on_demand && is_on_demand) DropThroughput(relaxed, arena);
  return relaxed;
}

}  // namespace armature::api
