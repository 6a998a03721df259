// CreateTable: makes a new table.
#include <fmt/format.h>

#include "api/handlers.h"
#include "api/resource_policy/policy_change.h"
#include "api/table/index_definitions.h"
#include "api/table/key_schema_checks.h"
#include "api/table/relaxed_definition.h"
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
using model::TableDef;
using model::ValidationException;
namespace messages = model::messages;

namespace {

constexpr size_t kMaxTablesPerRegion = 2500;

ApiResult<void> ApplyBilling(const wire::CreateTableInput& request, int64_t now_millis, TableDef& table) {
  const bool is_on_demand = request.BillingMode && *request.BillingMode == "PAY_PER_REQUEST";
  table.billing_mode = is_on_demand ? BillingMode::kPayPerRequest : BillingMode::kProvisioned;
  if (is_on_demand) {
    if (request.ProvisionedThroughput) return InvalidParameter(messages::kThroughputWithPayPerRequest);
    table.pay_per_request_since_millis = now_millis;
    return CountSwitchToOnDemand(now_millis, table);
  }
  if (!request.ProvisionedThroughput) return InvalidParameter(messages::kThroughputMissing);
  ARMATURE_TRY(table.throughput, MakeProvisionedThroughput(*request.ProvisionedThroughput));
  return {};
}

ApiResult<void> ApplyStream(const wire::CreateTableInput& request, int64_t now_millis, TableDef& table) {
  if (!request.StreamSpecification) return {};
  const auto& stream = *request.StreamSpecification;
  if (!stream.StreamEnabled.value_or(false)) {
    if (stream.StreamViewType) return InvalidParameter(messages::kStreamViewTypeWithoutStream);
    return {};
  }
  if (!stream.StreamViewType) return InvalidParameter(messages::kStreamViewTypeMissing);
  table.stream = {true, std::string(*stream.StreamViewType), StreamLabel(now_millis)};
  return {};
}

ApiResult<void> RejectUnsupported(const wire::CreateTableInput& request) {
  const auto refuse = [](std::string_view member) {
    return ValidationException(fmt::format(messages::kNotSupportedYet, member));
  };
  if (request.VectorIndexes.present) return refuse("VectorIndexes");
  if (request.GlobalTableSourceArn) return refuse("GlobalTableSourceArn");
  if (request.GlobalTableSettingsReplicationMode) return refuse("GlobalTableSettingsReplicationMode");
  return {};
}

ApiResult<void> ApplyPolicy(const RequestContext& context, const wire::CreateTableInput& request, TableDef& table) {
  if (!request.ResourcePolicy) return {};
  ARMATURE_TRY(NewPolicy made,
               MakeNewPolicy(context, *request.ResourcePolicy, policy::PolicyOwner::kTable, table.Arn()));
  table.policy = std::move(made.def);
  table.policy.revision = context.now_millis;
  return {};
}

// The whole definition but for its policy, in the order AWS checks it.
ApiResult<TableDef> MakeTableDef(const RequestContext& context, const wire::CreateTableInput& request) {
  TableDef table;
  table.account = context.account;
  table.region = context.region;
  table.name = TableNameOf(context, *request.TableName);
  ARMATURE_CHECK_OK(RejectUnsupported(request));
  ARMATURE_CHECK_OK(ApplyBilling(request, context.now_millis, table));
  ARMATURE_TRY(table.attribute_definitions, MakeAttributeDefinitions(request.AttributeDefinitions));
  ARMATURE_TRY(table.key_schema, MakeKeySchema(request.KeySchema, table.attribute_definitions));
  ARMATURE_CHECK_OK(AddLocalIndexes(request.LocalSecondaryIndexes, table));
  ARMATURE_CHECK_OK(AddGlobalIndexes(request.GlobalSecondaryIndexes, table));
  ARMATURE_CHECK_OK(CheckDefinitionsUsed(table));
  ARMATURE_CHECK_OK(CheckIndexTotals(table));
  if (request.OnDemandThroughput)
    ARMATURE_CHECK_OK(ApplyOnDemandThroughput(*request.OnDemandThroughput, table.billing_mode, false, table.on_demand));
  if (request.WarmThroughput)
    ARMATURE_CHECK_OK(ApplyWarmThroughput(*request.WarmThroughput, table.throughput, table.warm));
  ARMATURE_CHECK_OK(ApplyStream(request, context.now_millis, table));
  if (request.SSESpecification) ARMATURE_CHECK_OK(ApplySse(*request.SSESpecification, table));
  ARMATURE_CHECK_OK(ApplyTags(request.Tags, table.tags));
  if (request.TableClass) table.table_class = *request.TableClass;
  table.deletion_protection = request.DeletionProtectionEnabled.value_or(false);
  table.uuid = UuidV4(context.services.random);
  return table;
}

// Tags that a table is born with are tagging too, and so with its policy.
ApiResult<void> AuthorizeCreation(const RequestContext& context, const wire::CreateTableInput& request) {
  const auth::Resource table = TableResource(context, *request.TableName);
  const auto touch = [&](AccessDetails& details) { AddRequestTags(request.Tags, details); };
  ARMATURE_CHECK_OK(Authorize(context, table, touch));
  if (request.ResourcePolicy)
    ARMATURE_CHECK_OK(Authorize(context, table, touch, nullptr, "dynamodb:PutResourcePolicy"));
  if (request.Tags.empty()) return {};
  return Authorize(context, table, touch, nullptr, "dynamodb:TagResource");
}

}  // namespace

Task<ApiResult<void>> CreateTable(RequestContext& context, const wire::CreateTableInput& sent) {
  ARMATURE_CO_TRY(const wire::CreateTableInput request,
                  RelaxedDefinition(sent, context.services.compatibility, context.arena));
  ARMATURE_CO_TRY(auto def, MakeTableDef(context, request));
  ARMATURE_CO_CHECK_OK(AuthorizeCreation(context, request));
  // Whether the users and roles that it names are there is nothing for who may not.
  ARMATURE_CO_CHECK_OK(ApplyPolicy(context, request, def));
  // A deleted table of this name may have left a stream of the same millisecond.
  for (int64_t millis = context.now_millis; def.stream.enabled && context.services.journal.FindStream(def.StreamArn());)
    def.stream.label = StreamLabel(++millis);
  if (context.services.catalog.CountTables(context.scope()) >= kMaxTablesPerRegion)
    co_return model::LimitExceededException(fmt::format(messages::kTooManyTables, kMaxTablesPerRegion));
  ARMATURE_CO_CHECK_OK(CheckThroughputQuotas(context, nullptr, def));
  ARMATURE_CO_TRY(const auto table, co_await context.services.catalog.Create(std::move(def)));
  if (request.StreamSpecification) {
    const Status followed = co_await context.services.journal.FollowDefinition(table);
    if (!followed.ok()) co_return model::FromStatus(followed);
  }
  JsonWriter json(context.body);
  json.BeginObject();
  WriteTableDescription(json, "TableDescription", *table->schema(), *table,
                        {model::ResourceStatus::kCreating, context.now_millis, context.services.is_encrypted, false});
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
