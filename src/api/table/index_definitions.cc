#include "api/table/index_definitions.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "api/table/key_schema_checks.h"
#include "api/table/throughput_checks.h"
#include "model/messages/tables.h"

namespace armature::api {

using model::ApiResult;
using model::IndexDef;
using model::IndexKind;
using model::TableDef;
namespace messages = model::messages;

namespace {

constexpr size_t kMaxLocalIndexes = 5;
constexpr ptrdiff_t kMaxGlobalIndexes = 20;
constexpr size_t kMaxProjectedAttributes = 100;

ApiResult<model::Projection> MakeProjection(const wire::Projection* requested) {
  model::Projection projection;
  if (!requested || !requested->ProjectionType)
    return InvalidParameter(fmt::format(messages::kUnknownProjectionType, "null"));
  const std::string_view type = *requested->ProjectionType;
  if (type == "KEYS_ONLY") projection.type = model::ProjectionType::kKeysOnly;
  else if (type == "INCLUDE") projection.type = model::ProjectionType::kInclude;
  const bool is_include = projection.type == model::ProjectionType::kInclude;
  if (!is_include && requested->NonKeyAttributes.present)
    return InvalidParameter(fmt::format(messages::kNonKeyAttributesWithAll, type));
  if (is_include && !requested->NonKeyAttributes.present)
    return InvalidParameter(messages::kIncludeWithoutNonKeyAttributes);
  std::set<std::string_view> seen;
  for (std::string_view name : requested->NonKeyAttributes) {
    if (!seen.insert(name).second) return InvalidParameter(fmt::format(messages::kDuplicateNonKeyAttribute, name));
    projection.non_key_attributes.emplace_back(name);
  }
  return projection;
}

ApiResult<void> AddIndex(IndexDef index, TableDef& table) {
  if (table.FindIndex(index.name)) return InvalidParameter(fmt::format(messages::kDuplicateIndexName, index.name));
  index.id = table.next_index_id++;
  table.indexes.push_back(std::move(index));
  return {};
}

ApiResult<void> CheckLocalSchema(const IndexDef& index, const TableDef& table) {
  if (!index.key_schema.has_range()) return InvalidParameter(fmt::format(messages::kIndexWithoutRange, index.name));
  const std::string& index_hash = index.key_schema.hash.front().name;
  const std::string& table_hash = table.key_schema.hash.front().name;
  if (index_hash != table_hash)
    return InvalidParameter(fmt::format(messages::kIndexOtherHash, index.name, index_hash, table_hash));
  return {};
}

ApiResult<void> ApplyIndexThroughput(const wire::GlobalSecondaryIndex& requested, const TableDef& table,
                                     IndexDef& index) {
  const bool is_provisioned = table.billing_mode == model::BillingMode::kProvisioned;
  if (requested.ProvisionedThroughput && !is_provisioned)
    return InvalidParameter(fmt::format(messages::kIndexThroughputWithPayPerRequest, index.name));
  if (!requested.ProvisionedThroughput && is_provisioned)
    return InvalidParameter(fmt::format(messages::kIndexThroughputMissing, index.name));
  if (requested.ProvisionedThroughput) {
    ARMATURE_TRY(index.throughput, MakeProvisionedThroughput(*requested.ProvisionedThroughput));
  }
  if (requested.OnDemandThroughput)
    ARMATURE_CHECK_OK(
        ApplyOnDemandThroughput(*requested.OnDemandThroughput, table.billing_mode, false, index.on_demand));
  if (requested.WarmThroughput)
    ARMATURE_CHECK_OK(ApplyWarmThroughput(*requested.WarmThroughput, index.throughput, index.warm));
  return {};
}

}  // namespace

ApiResult<void> AddLocalIndexes(const wire::List<wire::LocalSecondaryIndex>& requested, TableDef& table) {
  if (!requested.present) return {};
  if (requested.empty()) return InvalidParameter(messages::kLocalIndexesEmpty);
  if (!table.key_schema.has_range()) return InvalidParameter(messages::kLocalIndexNeedsTableRange);
  for (const auto& local : requested) {
    IndexDef index;
    index.kind = IndexKind::kLocal;
    index.name = *local.IndexName;
    ARMATURE_TRY(index.key_schema, MakeKeySchema(local.KeySchema, table.attribute_definitions));
    ARMATURE_CHECK_OK(CheckLocalSchema(index, table));
    ARMATURE_TRY(index.projection, MakeProjection(local.Projection));
    ARMATURE_CHECK_OK(AddIndex(std::move(index), table));
  }
  if (requested.size() > kMaxLocalIndexes) return InvalidParameter(messages::kTooManyLocalIndexes);
  return {};
}

ApiResult<void> AddGlobalIndexes(const wire::List<wire::GlobalSecondaryIndex>& requested, TableDef& table) {
  if (!requested.present) return {};
  if (requested.empty()) return InvalidParameter(messages::kGlobalIndexesEmpty);
  for (const auto& global : requested) {
    ARMATURE_TRY(IndexDef index, MakeGlobalIndex(global, table.attribute_definitions, table));
    ARMATURE_CHECK_OK(AddIndex(std::move(index), table));
  }
  return {};
}

ApiResult<IndexDef> MakeGlobalIndex(const wire::GlobalSecondaryIndex& requested,
                                    const std::vector<model::KeyAttribute>& definitions, const TableDef& table) {
  IndexDef index;
  index.kind = IndexKind::kGlobal;
  index.name = *requested.IndexName;
  ARMATURE_TRY(index.key_schema, MakeGlobalKeySchema(requested.KeySchema, definitions));
  ARMATURE_TRY(index.projection, MakeProjection(requested.Projection));
  ARMATURE_CHECK_OK(ApplyIndexThroughput(requested, table, index));
  return index;
}

ApiResult<void> CheckIndexTotals(const TableDef& table) {
  const auto is_global = [](const IndexDef& index) { return index.kind == IndexKind::kGlobal; };
  if (std::count_if(table.indexes.begin(), table.indexes.end(), is_global) > kMaxGlobalIndexes)
    return InvalidParameter(messages::kTooManyGlobalIndexes);
  size_t projected = 0;
  for (const auto& index : table.indexes) projected += index.projection.non_key_attributes.size();
  if (projected > kMaxProjectedAttributes) return InvalidParameter(messages::kTooManyNonKeyAttributes);
  return {};
}

}  // namespace armature::api
