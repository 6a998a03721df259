// GetResourcePolicy: the policy of a table or stream.
#include <fmt/format.h>

#include "api/handlers.h"
#include "api/resource_policy/policy_owner.h"
#include "base/text/json_writer.h"
#include "model/messages/policies.h"

namespace armature::api {

Task<model::ApiResult<void>> GetResourcePolicy(RequestContext& context, const wire::GetResourcePolicyInput& request) {
  ARMATURE_CO_TRY(const OwnerName owner, NameOwner(context, *request.ResourceArn));
  ARMATURE_CO_TRY(const auto def, FindOwner(context, owner));
  const model::ResourcePolicyDef* const policy = def->FindPolicy(owner.stream_label);
  if (!policy || !policy->is_set())
    co_return model::PolicyNotFoundException(fmt::format(model::messages::kNoResourcePolicy, owner.arn));
  JsonWriter json(context.body);
  json.BeginObject();
  json.Member("Policy", policy->document);
  json.Member("RevisionId", fmt::format("{}", policy->revision));
  json.EndObject();
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
