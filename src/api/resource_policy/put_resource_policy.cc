// PutResourcePolicy: gives a table or stream a policy, or another one.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/handlers.h"
#include "api/resource_policy/policy_change.h"
#include "api/resource_policy/policy_owner.h"
#include "base/text/json_writer.h"
#include "model/messages/policies.h"
#include "model/names/arn.h"

namespace armature::api {

using model::ApiResult;
using model::ResourcePolicyDef;

namespace {

// Whoever has put a policy and can neither change nor delete it any more must have meant it.
ApiResult<void> CheckNotLockedOut(const RequestContext& context, const OwnerName& owner,
                                  const policy::Policy& future_policy) {
  for (const std::string_view action : {"dynamodb:PutResourcePolicy", "dynamodb:DeleteResourcePolicy"})
    if (CouldUnder(context, owner.resource, action, future_policy)) return {};
  return model::ValidationException(std::string(model::messages::kPolicyLocksOut));
}

// Policies go with their streams; those of streams that cannot be read any more are forgotten when another is put.
void ForgetEndedStreams(const RequestContext& context, model::TableDef& def) {
  std::erase_if(def.stream_policies, [&](const model::StreamPolicyDef& stream) {
    return !context.services.journal.FindStream(model::MakeStreamArn(def.Arn(), stream.label));
  });
}

}  // namespace

Task<ApiResult<void>> PutResourcePolicy(RequestContext& context, const wire::PutResourcePolicyInput& request) {
  ARMATURE_CO_TRY(const OwnerName owner, NameOwner(context, *request.ResourceArn));
  const auto kind = owner.is_stream() ? policy::PolicyOwner::kStream : policy::PolicyOwner::kTable;
  ARMATURE_CO_TRY(NewPolicy made, MakeNewPolicy(context, *request.Policy, kind, owner.arn));
  ARMATURE_CO_CHECK_OK(FindOwner(context, owner));
  if (!request.ConfirmRemoveSelfResourceAccess.value_or(false))
    ARMATURE_CO_CHECK_OK(CheckNotLockedOut(context, owner, *made.compiled));
  int64_t revision = 0;
  const table::Catalog::Change change = [&](model::TableDef& def) -> ApiResult<void> {
    const ResourcePolicyDef* const current = def.FindPolicy(owner.stream_label);
    ARMATURE_CHECK_OK(CheckExpectedRevision(request.ExpectedRevisionId, current, owner));
    if (current && current->document == made.def.document && current->principals == made.def.principals) {
      revision = current->revision;
      return {};
    }
    ARMATURE_CHECK_OK(CheckNoChangePending(context, current, owner));
    ForgetEndedStreams(context, def);
    ResourcePolicyDef& stored = def.PolicyOf(owner.stream_label);
    revision = NextRevision(stored, context.now_millis);
    stored = made.def;
    stored.revision = revision;
    return {};
  };
  ARMATURE_CO_CHECK_OK(co_await context.services.catalog.Update(owner.table.scope, owner.table.name, change));
  JsonWriter json(context.body);
  json.BeginObject();
  json.Member("RevisionId", fmt::format("{}", revision));
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
