// UpdateTable: changes a table's settings.
#include <fmt/format.h>

#include "api/handlers.h"
#include "api/table/index_updates.h"
#include "api/table/key_schema_checks.h"
#include "api/table/table_description.h"
#include "api/table/table_settings.h"
#include "api/table/throughput_changes.h"
#include "api/table/throughput_checks.h"
#include "api/table/throughput_quotas.h"
#include "api/table_lookup.h"
#include "model/messages/tables.h"

namespace armature::api {

using model::ApiResult;
using model::BillingMode;
using model::ResourceStatus;
using model::TableDef;
using model::ValidationException;
namespace messages = model::messages;

namespace {

ApiResult<void> CheckRequest(const wire::UpdateTableInput& request) {
  const auto refuse = [](std::string_view member) {
    return ValidationException(fmt::format(messages::kNotSupportedYet, member));
  };
  if (request.ReplicaUpdates.present) return refuse("ReplicaUpdates");
  if (request.MultiRegionConsistency) return refuse("MultiRegionConsistency");
  if (request.GlobalTableWitnessUpdates.present) return refuse("GlobalTableWitnessUpdates");
  if (request.GlobalTableSettingsReplicationMode) return refuse("GlobalTableSettingsReplicationMode");
  if (request.VectorIndexUpdates.present) return refuse("VectorIndexUpdates");
  const bool asks_something =
      request.ProvisionedThroughput || request.BillingMode || request.StreamSpecification ||
      (request.GlobalSecondaryIndexUpdates.present && !request.GlobalSecondaryIndexUpdates.empty()) ||
      request.SSESpecification || request.TableClass || request.DeletionProtectionEnabled ||
      request.OnDemandThroughput || request.WarmThroughput;
  if (!asks_something) return ValidationException(std::string(messages::kNothingToUpdate));

  const std::string_view mode = request.BillingMode.value_or({});
  if (mode == "PAY_PER_REQUEST" && request.ProvisionedThroughput)
    return InvalidParameter(messages::kThroughputWithPayPerRequest);
  if (mode == "PROVISIONED" && !request.ProvisionedThroughput)
    return InvalidParameter(messages::kThroughputMissingInUpdate);

  return CheckIndexUpdates(request.GlobalSecondaryIndexUpdates);
}

ApiResult<void> ApplyTableThroughput(const wire::UpdateTableInput& request, bool was_on_demand, int64_t now_millis,
                                     TableDef& table) {
  if (!request.ProvisionedThroughput) return {};
  if (table.billing_mode == BillingMode::kPayPerRequest)
    return InvalidParameter(messages::kThroughputWithPayPerRequest);
  ARMATURE_TRY(const auto requested, MakeProvisionedThroughput(*request.ProvisionedThroughput));
  const bool is_same =
      requested.read_units == table.throughput.read_units && requested.write_units == table.throughput.write_units;
  if (is_same && !was_on_demand)
    return ValidationException(fmt::format(messages::kThroughputUnchanged, table.throughput.read_units,
                                           requested.read_units, table.throughput.write_units, requested.write_units));
  return ChangeThroughput(requested, now_millis, table.throughput);
}

ApiResult<void> SwitchBillingMode(BillingMode mode, int64_t now_millis, TableDef& table) {
  if (table.billing_mode == mode) return {};
  if (mode == BillingMode::kPayPerRequest) {
    ARMATURE_CHECK_OK(CountSwitchToOnDemand(now_millis, table));
    table.pay_per_request_since_millis = now_millis;
  }
  table.billing_mode = mode;
  // On-demand tables show zero units; provisioned ones have no on-demand maximum.
  const auto reset = [&](auto& owner) {
    DropThroughput(now_millis, owner.throughput);
    owner.on_demand = {};
  };
  reset(table);
  for (auto& index : table.indexes) reset(index);
  return {};
}

ApiResult<void> CheckIndexesProvisioned(const TableDef& table) {
  if (table.billing_mode != BillingMode::kProvisioned) return {};
  for (const auto& index : table.indexes) {
    if (index.kind == model::IndexKind::kGlobal && index.throughput.read_units == 0)
      return InvalidParameter(fmt::format(messages::kIndexThroughputMissing, index.name));
  }
  return {};
}

ApiResult<void> ApplyStream(const wire::StreamSpecification& requested, int64_t now_millis, TableDef& table) {
  if (!requested.StreamEnabled.value_or(false)) {
    if (!table.stream.enabled) return ValidationException(fmt::format(messages::kNoStreamToDisable, table.name));
    table.stream.enabled = false;
    table.stream.view_type.clear();
    return {};
  }
  if (table.stream.enabled) return ValidationException(fmt::format(messages::kStreamAlreadyEnabled, table.name));
  if (!requested.StreamViewType) return InvalidParameter(messages::kStreamViewTypeMissing);
  // Every stream has a name of its own, however quickly they follow each other.
  std::string label = StreamLabel(now_millis);
  while (label <= table.stream.label) label = StreamLabel(++now_millis);
  table.stream = {true, std::string(*requested.StreamViewType), std::move(label)};
  return {};
}

ApiResult<void> CheckState(const TableDef& table) {
  switch (table.status) {
    case ResourceStatus::kActive: return {};
    case ResourceStatus::kCreating:
      return model::ResourceInUseException(fmt::format(messages::kTableBeingCreated, table.name));
    case ResourceStatus::kUpdating:
      return model::ResourceInUseException(fmt::format(messages::kTableBeingUpdated, table.name));
    case ResourceStatus::kDeleting:
      return model::ResourceInUseException(fmt::format(messages::kTableBeingDeleted, table.name));
  }
  return {};
}

ApiResult<void> Apply(const wire::UpdateTableInput& request, int64_t now_millis, TableDef& table) {
  ARMATURE_CHECK_OK(CheckState(table));
  const bool was_on_demand = table.billing_mode == BillingMode::kPayPerRequest;
  if (request.BillingMode) {
    const bool to_on_demand = *request.BillingMode == "PAY_PER_REQUEST";
    ARMATURE_CHECK_OK(
        SwitchBillingMode(to_on_demand ? BillingMode::kPayPerRequest : BillingMode::kProvisioned, now_millis, table));
  }
  ARMATURE_CHECK_OK(ApplyTableThroughput(request, was_on_demand, now_millis, table));
  ARMATURE_CHECK_OK(ApplyIndexUpdates(request, was_on_demand, now_millis, table));
  ARMATURE_CHECK_OK(CheckIndexesProvisioned(table));
  if (request.OnDemandThroughput)
    ARMATURE_CHECK_OK(ApplyOnDemandThroughput(*request.OnDemandThroughput, table.billing_mode, true, table.on_demand));
  if (request.WarmThroughput)
    ARMATURE_CHECK_OK(ApplyWarmThroughput(*request.WarmThroughput, table.throughput, table.warm));
  if (request.StreamSpecification) ARMATURE_CHECK_OK(ApplyStream(*request.StreamSpecification, now_millis, table));
  if (request.SSESpecification) ARMATURE_CHECK_OK(ApplySse(*request.SSESpecification, table));
  if (request.TableClass && *request.TableClass != table.table_class) {
    table.table_class = *request.TableClass;
    table.table_class_changed_millis = now_millis;
  }
  if (request.DeletionProtectionEnabled) table.deletion_protection = *request.DeletionProtectionEnabled;
  table.status = ResourceStatus::kUpdating;
  return {};
}

}  // namespace

Task<ApiResult<void>> UpdateTable(RequestContext& context, const wire::UpdateTableInput& request) {
  ARMATURE_CO_CHECK_OK(CheckRequest(request));
  ARMATURE_CO_TRY(const auto table, FindAnyTable(context, *request.TableName));
  const auto [scope, name] = TargetOf(context, *request.TableName);
  const auto before = table->schema();
  ARMATURE_CO_TRY(const auto def, co_await context.services.catalog.Update(scope, name, [&](TableDef& current) {
    const TableDef earlier = current;
    auto applied = Apply(request, context.now_millis, current);
    return applied ? CheckThroughputQuotas(context, &earlier, current) : std::move(applied);
  }));
  if (request.StreamSpecification) {
    const Status followed = co_await context.services.journal.FollowDefinition(table);
    if (!followed.ok()) co_return model::FromStatus(followed);
    // Writes that did not know of the stream are over: all that follow this reply are in it.
    co_await context.services.writes.AwaitEarlierWrites(*table);
  }
  // As the change left it: the reply shows the states an index passes through, however soon they pass.
  const table::TableSchema schema(def, before.get());
  JsonWriter json(context.body);
  json.BeginObject();
  WriteTableDescription(json, "TableDescription", schema, *table,
                        {ResourceStatus::kUpdating, context.now_millis, context.services.is_encrypted, true});
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
