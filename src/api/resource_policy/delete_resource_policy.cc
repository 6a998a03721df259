// DeleteResourcePolicy: takes the policy of a table or stream away.
#include <fmt/format.h>

#include "api/handlers.h"
#include "api/resource_policy/policy_change.h"
#include "api/resource_policy/policy_owner.h"
#include "base/text/json_writer.h"

namespace armature::api {

using model::ApiResult;

// Where there is none it succeeds all the same, without a RevisionId.
Task<ApiResult<void>> DeleteResourcePolicy(RequestContext& context, const wire::DeleteResourcePolicyInput& request) {
  ARMATURE_CO_TRY(const OwnerName owner, NameOwner(context, *request.ResourceArn));
  ARMATURE_CO_CHECK_OK(FindOwner(context, owner));
  int64_t deleted = 0;
  const table::Catalog::Change change = [&](model::TableDef& def) -> ApiResult<void> {
    const model::ResourcePolicyDef* const current = def.FindPolicy(owner.stream_label);
    ARMATURE_CHECK_OK(CheckExpectedRevision(request.ExpectedRevisionId, current, owner));
    if (!current || !current->is_set()) return {};
    ARMATURE_CHECK_OK(CheckNoChangePending(context, current, owner));
    deleted = current->revision;
    model::ResourcePolicyDef& stored = def.PolicyOf(owner.stream_label);
    stored = {.document = {}, .revision = NextRevision(stored, context.now_millis), .principals = {}};
    return {};
  };
  ARMATURE_CO_CHECK_OK(co_await context.services.catalog.Update(owner.table.scope, owner.table.name, change));
  JsonWriter json(context.body);
  json.BeginObject();
  if (deleted) json.Member("RevisionId", fmt::format("{}", deleted));
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
