// GetFederationToken: credentials for somebody else, within the rights of the user who calls and of the policies
// passed.
#include <algorithm>

#include <fmt/format.h>

#include "iam/access/authorize.h"
#include "iam/entities/told.h"
#include "sts/messages.h"
#include "sts/session_request.h"
#include "sts/sts_operations.h"
#include "wire/query/query_errors.h"

namespace armature::sts {

namespace {

constexpr int64_t kDefaultSeconds = 43200;
constexpr int64_t kMostRootSeconds = 3600;

}  // namespace

Task<query::QueryResult> GetFederationToken(StsService& service, query::QueryContext& context,
                                            const wire::sts::GetFederationTokenInput& input,
                                            wire::sts::GetFederationTokenOutput& output) {
  const auth::Identity& caller = *context.caller->identity;
  if (caller.session) co_return wire::AccessDenied(fmt::format(messages::kNoSessions, "GetFederationToken"));
  const auto state = service.directory.Current();
  iam::Session session;
  session.kind = iam::SessionKind::kFederated;
  session.account = caller.account;
  session.entity_id = caller.entity_id;
  session.parent_key_id = context.caller->access_key_id;
  session.name = *input.Name;
  const std::string arn = iam::FederatedUserArn(session.account, session.name);
  ARMATURE_CO_CHECK_OK(AddTags(TagsOf(input.Tags), {}, nullptr, session));
  const iam::Tags no_tags;
  const SessionConditions conditions(session, no_tags, {}, input.DurationSeconds.value_or(0));
  iam::Ask ask{.action = "sts:GetFederationToken", .resource = arn, .conditions = &conditions};
  ARMATURE_CO_CHECK_OK(iam::Told(iam::CheckAllowed(caller, query::CircumstancesOf(context), ask)));
  if (!session.tags.empty()) {
    ask.action = "sts:TagSession";
    ARMATURE_CO_CHECK_OK(iam::Told(iam::CheckAllowed(caller, query::CircumstancesOf(context), ask)));
  }
  ARMATURE_CO_CHECK_OK(AddPolicies(*state, input.Policy, input.PolicyArns, session));
  int64_t seconds = input.DurationSeconds.value_or(kDefaultSeconds);
  if (caller.kind == auth::PrincipalKind::kRoot) seconds = std::min(seconds, kMostRootSeconds);
  ARMATURE_CO_TRY(output.Credentials, Issue(service, context.now_millis, seconds, session));
  output.FederatedUser.emplace();
  output.FederatedUser->Arn = arn;
  output.FederatedUser->FederatedUserId = fmt::format("{}:{}", session.account, session.name);
  output.PackedPolicySize = static_cast<int64_t>(iam::SessionTokens::PackedPolicyPercent(session));
  co_return query::QueryResult();
}

}  // namespace armature::sts
