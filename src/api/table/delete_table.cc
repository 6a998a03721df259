// DeleteTable: removes a table with all its items.
#include <algorithm>

#include <fmt/format.h>

#include "api/handlers.h"
#include "api/table/table_description.h"
#include "api/table_lookup.h"
#include "base/log.h"
#include "model/messages/tables.h"

namespace armature::api {

using model::ApiResult;
using model::ResourceStatus;

namespace {

ApiResult<void> CheckDeletable(const model::TableDef& def) {
  if (def.status == ResourceStatus::kCreating)
    return model::ResourceInUseException(fmt::format(model::messages::kTableBeingCreated, def.name));
  const auto is_unsettled = [](const model::IndexDef& index) { return index.status != ResourceStatus::kActive; };
  if (def.status == ResourceStatus::kUpdating || std::any_of(def.indexes.begin(), def.indexes.end(), is_unsettled))
    return model::ResourceInUseException(fmt::format(model::messages::kTableBeingUpdated, def.name));
  if (def.deletion_protection) return model::ValidationException(std::string(model::messages::kDeletionProtected));
  return {};
}

}  // namespace

Task<ApiResult<void>> DeleteTable(RequestContext& context, const wire::DeleteTableInput& request) {
  ARMATURE_CO_TRY(const auto table, FindAnyTable(context, *request.TableName));
  const auto [scope, name] = TargetOf(context, *request.TableName);
  ARMATURE_CO_TRY(const auto def, co_await context.services.catalog.Delete(scope, name, CheckDeletable));
  // Its streams are closed; they can be read for a day.
  if (const Status closed = co_await context.services.journal.FollowDefinition(table); !closed.ok())
    LogWarn("the streams of table {} are not closed yet: {}", name, closed.ToString());
  JsonWriter json(context.body);
  json.BeginObject();
  WriteDeletedTable(json, *def, *table, context.now_millis);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
