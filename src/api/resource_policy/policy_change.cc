#include "api/resource_policy/policy_change.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/messages/policies.h"
#include "policy/bound_principals.h"

namespace armature::api {

namespace messages = model::messages;
using model::ApiResult;
using model::ResourcePolicyDef;

namespace {

constexpr std::string_view kExpectsNone = "NO_POLICY";

model::ApiError NotExpected(const std::string& why) {
  return model::PolicyNotFoundException(fmt::format(messages::kNoResourcePolicy, why));
}

}  // namespace

ApiResult<NewPolicy> MakeNewPolicy(const RequestContext& context, std::string_view document, policy::PolicyOwner owner,
                                   std::string_view arn) {
  NewPolicy made;
  made.def.document = document;
  // Where nobody is asked for his rights nobody needs to exist: a developer's policies name roles of an account of
  // AWS's.
  if (!context.authorizer || !context.services.principals) {
    ARMATURE_TRY(made.compiled, policy::ParseResourcePolicy(document, owner, arn));
    return made;
  }
  const policy::NotingDirectory directory(*context.services.principals, made.def.principals);
  ARMATURE_TRY(made.compiled, policy::ParseResourcePolicy(document, owner, arn, &directory));
  return made;
}

int64_t NextRevision(const ResourcePolicyDef& before, int64_t now_millis) {
  return std::max(now_millis, before.revision + 1);
}

ApiResult<void> CheckExpectedRevision(const wire::Opt<std::string_view>& expected, const ResourcePolicyDef* current,
                                      const OwnerName& owner) {
  if (!expected) return {};
  const bool is_set = current && current->is_set();
  if (*expected == kExpectsNone) {
    if (!is_set) return {};
    return NotExpected(fmt::format(messages::kPolicyNotExpected, owner.Text(), current->revision));
  }
  if (!is_set) return NotExpected(fmt::format(messages::kPolicyExpected, *expected, owner.Text()));
  if (*expected == fmt::format("{}", current->revision)) return {};
  return NotExpected(fmt::format(messages::kOtherPolicyRevision, *expected, owner.Text(), current->revision));
}

ApiResult<void> CheckNoChangePending(const RequestContext& context, const ResourcePolicyDef* current,
                                     const OwnerName& owner) {
  const int64_t lasts = context.services.catalog.control_plane_delay_millis();
  // A revision may be ahead of the clock: of two changes in one millisecond.
  if (lasts == 0 || !current || context.now_millis >= current->revision + lasts) return {};
  return model::ResourceInUseException(fmt::format(messages::kPolicyUpdatePending, owner.Text()));
}

}  // namespace armature::api
