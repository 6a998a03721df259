// What a new resource policy must be, and which changes its revision allows.
//
// A RevisionId is the millisecond of the change, and always greater than the one before. Pure but for the look-up of
// principals. Used by the operations here and by CreateTable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/request_context.h"
#include "api/resource_policy/policy_owner.h"
#include "model/api_error.h"
#include "model/table_def.h"
#include "policy/policy.h"
#include "policy/resource/resource_policy.h"
#include "wire/fields.h"

namespace armature::api {

// A policy that may be stored, without a revision so far.
struct NewPolicy {
  std::shared_ptr<const policy::Policy> compiled;
  model::ResourcePolicyDef def;
};
// Where principals are known, those that it names must be there, and are bound: somebody who is given such a name later
// is not meant.
model::ApiResult<NewPolicy> MakeNewPolicy(const RequestContext& context, std::string_view document,
                                          policy::PolicyOwner owner, std::string_view arn);

// The RevisionId of a change at that moment.
int64_t NextRevision(const model::ResourcePolicyDef& before, int64_t now_millis);

// ExpectedRevisionId against what there is: PolicyNotFoundException unless it fits. `current` null: never had one.
model::ApiResult<void> CheckExpectedRevision(const wire::Opt<std::string_view>& expected,
                                             const model::ResourcePolicyDef* current, const OwnerName& owner);

// ResourceInUseException while an earlier change is still under way, which takes as long as any of the control plane's.
model::ApiResult<void> CheckNoChangePending(const RequestContext& context, const model::ResourcePolicyDef* current,
                                            const OwnerName& owner);

}  // namespace armature::api
