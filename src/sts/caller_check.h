// Whether a caller may make a call of STS that is about nothing in particular. Internal to sts/.
#pragma once

#include <fmt/format.h>

#include "iam/access/authorize.h"
#include "iam/entities/told.h"
#include "query/query_context.h"
#include "sts/messages.h"
#include "wire/query/query_errors.h"

namespace armature::sts {

// Sessions of GetSessionToken and of federated users have no rights to STS, whatever their policies say.
inline bool IsBarred(const auth::Identity& caller) {
  return caller.kind == auth::PrincipalKind::kFederatedUser ||
         (caller.session && caller.kind != auth::PrincipalKind::kAssumedRole);
}

inline query::QueryResult CheckMayCall(const query::QueryContext& context) {
  const auth::Identity& caller = *context.caller->identity;
  if (IsBarred(caller))
    return wire::AccessDenied(fmt::format(messages::kNotAuthorized, caller.arn, context.iam_action, "*"));
  const iam::Ask ask{.action = context.iam_action, .resource = "*"};
  return iam::Told(iam::CheckAllowed(caller, query::CircumstancesOf(context), ask));
}

}  // namespace armature::sts
