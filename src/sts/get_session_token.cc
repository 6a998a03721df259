// GetSessionToken: temporary credentials of the user, or root, who calls. Needs no permission.
#include <algorithm>

#include <fmt/format.h>

#include "sts/messages.h"
#include "sts/session_request.h"
#include "sts/sts_operations.h"
#include "wire/query/query_errors.h"

namespace armature::sts {

namespace {

constexpr int64_t kDefaultSeconds = 43200;
constexpr int64_t kMostRootSeconds = 3600;

}  // namespace

Task<query::QueryResult> GetSessionToken(StsService& service, query::QueryContext& context,
                                         const wire::sts::GetSessionTokenInput& input,
                                         wire::sts::GetSessionTokenOutput& output) {
  const auth::Identity& caller = *context.caller->identity;
  if (caller.session) co_return wire::AccessDenied(fmt::format(messages::kNoSessions, "GetSessionToken"));
  ARMATURE_CO_CHECK_OK(CheckNoFactor(input.SerialNumber, input.TokenCode));
  iam::Session session;
  session.kind = iam::SessionKind::kUser;
  session.account = caller.account;
  session.entity_id = caller.entity_id;
  session.parent_key_id = context.caller->access_key_id;
  int64_t seconds = input.DurationSeconds.value_or(kDefaultSeconds);
  if (caller.kind == auth::PrincipalKind::kRoot) seconds = std::min(seconds, kMostRootSeconds);
  ARMATURE_CO_TRY(output.Credentials, Issue(service, context.now_millis, seconds, session));
  co_return query::QueryResult();
}

}  // namespace armature::sts
