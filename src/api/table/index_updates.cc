#include "api/table/index_updates.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/table/index_definitions.h"
#include "api/table/key_schema_checks.h"
#include "api/table/throughput_changes.h"
#include "api/table/throughput_checks.h"
#include "model/messages/tables.h"

namespace armature::api {

using model::ApiResult;
using model::BillingMode;
using model::IndexDef;
using model::IndexKind;
using model::KeyAttribute;
using model::KeySchema;
using model::ResourceStatus;
using model::TableDef;
using model::ValidationException;
namespace messages = model::messages;

namespace {

bool IsUnsettled(const IndexDef& index) { return index.status != ResourceStatus::kActive; }

ApiResult<IndexDef*> FindGlobalIndex(std::string_view name, TableDef& table) {
  for (auto& index : table.indexes)
    if (index.kind == IndexKind::kGlobal && index.name == name) return &index;
  return model::ResourceNotFoundException(fmt::format(messages::kIndexNotFoundInTable, table.name, name));
}

// One index of a table at a time is made or removed; the one being built may be given up.
ApiResult<void> CheckNoOtherUnsettled(const TableDef& table, const IndexDef* but) {
  for (const auto& index : table.indexes)
    if (&index != but && IsUnsettled(index))
      return model::LimitExceededException(std::string(messages::kOneOnlineIndex));
  return {};
}

std::string Show(const KeySchema& schema) {
  std::vector<std::string> elements;
  const auto show = [&](const std::vector<KeyAttribute>& attributes, std::string_view role) {
    for (const auto& attribute : attributes)
      elements.push_back(
          fmt::format("SchemaElement: key{{{}:{}:{}}}", attribute.name, model::TypeName(attribute.type), role));
  };
  show(schema.hash, "HASH");
  show(schema.range, "RANGE");
  return fmt::format("{}", fmt::join(elements, ", "));
}

// An attribute has one type in all keys of a table.
ApiResult<void> CheckNotRedefined(const KeySchema& schema, const TableDef& table) {
  const auto check = [&](const KeySchema& existing) -> ApiResult<void> {
    for (const auto* attributes : {&schema.hash, &schema.range}) {
      for (const auto& attribute : *attributes) {
        const KeyAttribute* before = existing.Find(attribute.name);
        if (before && before->type != attribute.type)
          return InvalidParameter(fmt::format(messages::kAttributeRedefined, Show(existing), Show(schema)));
      }
    }
    return {};
  };
  ARMATURE_CHECK_OK(check(table.key_schema));
  for (const auto& index : table.indexes) ARMATURE_CHECK_OK(check(index.key_schema));
  return {};
}

void AddDefinitions(const std::vector<KeyAttribute>& definitions, const KeySchema& used, TableDef& table) {
  auto& stored = table.attribute_definitions;
  for (const auto& definition : definitions) {
    const bool is_known =
        std::any_of(stored.begin(), stored.end(), [&](const auto& s) { return s.name == definition.name; });
    if (!is_known && used.Find(definition.name)) stored.push_back(definition);
  }
}

ApiResult<void> CreateIndex(const wire::UpdateTableInput& request, const wire::CreateGlobalSecondaryIndexAction& create,
                            TableDef& table) {
  if (table.FindIndex(*create.IndexName))
    return ValidationException(fmt::format(messages::kIndexAlreadyExists, *create.IndexName));
  ARMATURE_CHECK_OK(CheckNoOtherUnsettled(table, nullptr));
  // The keys must be among the definitions that come with the request, known or not; others there mean nothing.
  ARMATURE_TRY(const auto definitions, MakeAttributeDefinitions(request.AttributeDefinitions));
  const wire::GlobalSecondaryIndex requested{create.IndexName,          create.KeySchema,
                                             create.Projection,         create.ProvisionedThroughput,
                                             create.OnDemandThroughput, create.WarmThroughput};
  ARMATURE_TRY(auto index, MakeGlobalIndex(requested, definitions, table));
  ARMATURE_CHECK_OK(CheckNotRedefined(index.key_schema, table));
  AddDefinitions(definitions, index.key_schema, table);
  index.id = table.next_index_id++;
  index.status = ResourceStatus::kCreating;
  table.indexes.push_back(std::move(index));
  return CheckIndexTotals(table);
}

ApiResult<void> DeleteIndex(std::string_view name, TableDef& table) {
  ARMATURE_TRY(IndexDef* const index, FindGlobalIndex(name, table));
  if (index->status == ResourceStatus::kDeleting)
    return model::ResourceInUseException(fmt::format(messages::kIndexBeingDeleted, name));
  ARMATURE_CHECK_OK(CheckNoOtherUnsettled(table, index));
  index->status = ResourceStatus::kDeleting;
  index->is_backfilling = false;
  return {};
}

ApiResult<void> UpdateIndex(const wire::UpdateGlobalSecondaryIndexAction& update, bool was_on_demand,
                            int64_t now_millis, TableDef& table) {
  ARMATURE_TRY(IndexDef* const index, FindGlobalIndex(*update.IndexName, table));
  if (IsUnsettled(*index)) {
    const bool is_new = index->status == ResourceStatus::kCreating;
    return model::ResourceInUseException(is_new ? fmt::format(messages::kIndexBeingCreated, index->name)
                                                : fmt::format(messages::kIndexBeingDeleted, index->name));
  }
  if (update.ProvisionedThroughput) {
    if (table.billing_mode == BillingMode::kPayPerRequest)
      return InvalidParameter(fmt::format(messages::kIndexThroughputWithPayPerRequest, index->name));
    ARMATURE_TRY(const auto requested, MakeProvisionedThroughput(*update.ProvisionedThroughput));
    const auto& current = index->throughput;
    if (requested.read_units == current.read_units && requested.write_units == current.write_units && !was_on_demand)
      return ValidationException(fmt::format(messages::kIndexThroughputUnchanged, index->name, current.read_units,
                                             requested.read_units, current.write_units, requested.write_units));
    ARMATURE_CHECK_OK(ChangeThroughput(requested, now_millis, index->throughput));
  }
  if (update.OnDemandThroughput)
    ARMATURE_CHECK_OK(ApplyOnDemandThroughput(*update.OnDemandThroughput, table.billing_mode, true, index->on_demand));
  if (update.WarmThroughput)
    ARMATURE_CHECK_OK(ApplyWarmThroughput(*update.WarmThroughput, index->throughput, index->warm));
  return {};
}

}  // namespace

ApiResult<void> CheckIndexUpdates(const wire::List<wire::GlobalSecondaryIndexUpdate>& updates) {
  std::set<std::string_view> seen;
  size_t made_or_removed = 0;
  for (const auto& update : updates) {
    const int kinds = (update.Update ? 1 : 0) + (update.Create ? 1 : 0) + (update.Delete ? 1 : 0);
    if (kinds == 0) return InvalidParameter(messages::kIndexUpdateEmpty);
    if (kinds > 1) return InvalidParameter(messages::kIndexUpdateOfSeveralKinds);
    const auto note = [&](const auto* action) -> ApiResult<void> {
      if (action && !seen.insert(*action->IndexName).second)
        return InvalidParameter(fmt::format(messages::kIndexUpdatedTwice, *action->IndexName));
      return {};
    };
    ARMATURE_CHECK_OK(note(update.Update));
    ARMATURE_CHECK_OK(note(update.Create));
    ARMATURE_CHECK_OK(note(update.Delete));
    made_or_removed += (update.Create ? 1 : 0) + (update.Delete ? 1 : 0);
  }
  if (made_or_removed > 1) return model::LimitExceededException(std::string(messages::kOneOnlineIndex));
  return {};
}

ApiResult<void> ApplyIndexUpdates(const wire::UpdateTableInput& request, bool was_on_demand, int64_t now_millis,
                                  TableDef& table) {
  for (const auto& update : request.GlobalSecondaryIndexUpdates) {
    if (update.Update) ARMATURE_CHECK_OK(UpdateIndex(*update.Update, was_on_demand, now_millis, table));
    if (update.Create) ARMATURE_CHECK_OK(CreateIndex(request, *update.Create, table));
    if (update.Delete) ARMATURE_CHECK_OK(DeleteIndex(*update.Delete->IndexName, table));
  }
  return {};
}

}  // namespace armature::api
