// AssumeRole: the credentials of a role, for whom its trust policy and his own policies let have it.
//
// Who may not have it learns nothing, not even whether there is such a role.
#include <fmt/format.h>

#include "iam/access/authorize.h"
#include "iam/entities/told.h"
#include "model/names/arn.h"
#include "sts/messages.h"
#include "sts/session_request.h"
#include "sts/sts_operations.h"
#include "wire/query/query_errors.h"

namespace armature::sts {

using query::QueryResult;

namespace {

constexpr int64_t kDefaultSeconds = 3600;
constexpr int64_t kMostChainedSeconds = 3600;

class Assumption {
 public:
  Assumption(const query::QueryContext& context, const wire::sts::AssumeRoleInput& input, const iam::Snapshot& state)
      : context_(context),
        caller_(*context.caller->identity),
        input_(input),
        state_(state),
        role_(state.FindRole(*input.RoleArn)) {}

  const iam::Role& role() const { return *role_; }
  iam::Session& session() { return session_; }
  int64_t seconds() const { return input_.DurationSeconds.value_or(kDefaultSeconds); }

  // What can be said without knowing the role.
  QueryResult CheckRequest() const {
    if (!model::ParseArn(*input_.RoleArn))
      return wire::ValidationError(fmt::format(messages::kInvalidArn, *input_.RoleArn));
    if (caller_.kind == auth::PrincipalKind::kRoot) return wire::AccessDenied(messages::kNoRootAssumes);
    if (caller_.kind == auth::PrincipalKind::kFederatedUser) return Denied("sts:AssumeRole");
    if (input_.ProvidedContexts.size() > 0) return wire::InvalidParameterValue(messages::kNoProvidedContexts);
    return CheckNoFactor(input_.SerialNumber, input_.TokenCode);
  }

  // What the session is to be, and whether the caller may have it so.
  QueryResult Fill() {
    // Before the role is looked at: faults of the request are told whether it is there or not.
    std::vector<std::string> transitive;
    for (const std::string_view key : input_.TransitiveTagKeys) transitive.emplace_back(key);
    ARMATURE_CHECK_OK(AddTags(TagsOf(input_.Tags), transitive, &caller_, session_));
    if (!role_) return Denied("sts:AssumeRole");
    session_.kind = iam::SessionKind::kRole;
    session_.account = role_->account;
    session_.entity_id = role_->id;
    session_.name = *input_.RoleSessionName;
    session_.source_identity = input_.SourceIdentity.value_or({});
    const std::string before = caller_.session ? caller_.session->source_identity : std::string();
    if (!before.empty()) {
      if (input_.SourceIdentity && *input_.SourceIdentity != before) return Denied("sts:SetSourceIdentity");
      session_.source_identity = before;
    }
    ARMATURE_CHECK_OK(CheckMay("sts:AssumeRole"));
    if (!session_.tags.empty()) ARMATURE_CHECK_OK(CheckMay("sts:TagSession"));
    if (!session_.source_identity.empty()) ARMATURE_CHECK_OK(CheckMay("sts:SetSourceIdentity"));
    ARMATURE_CHECK_OK(AddPolicies(state_, input_.Policy, input_.PolicyArns, session_));
    return CheckDuration();
  }

 private:
  QueryResult Denied(std::string_view action) const {
    return wire::AccessDenied(fmt::format(messages::kNotAuthorized, caller_.arn, action, *input_.RoleArn));
  }

  QueryResult CheckMay(std::string_view action) const {
    const SessionConditions conditions(session_, role_->tags, input_.ExternalId.value_or({}),
                                       input_.DurationSeconds.value_or(0));
    const iam::Ask ask{.action = action,
                       .resource = *input_.RoleArn,
                       .resource_account = role_->account,
                       .resource_policy = role_->trust->compiled.get(),
                       .conditions = &conditions};
    if (!iam::Decide(caller_, query::CircumstancesOf(context_), ask).allowed()) return Denied(action);
    return {};
  }

  QueryResult CheckDuration() const {
    if (caller_.session && seconds() > kMostChainedSeconds) return wire::ValidationError(messages::kBeyondChaining);
    if (seconds() > role_->max_session_seconds) return wire::ValidationError(messages::kBeyondRole);
    return {};
  }

  const query::QueryContext& context_;
  const auth::Identity& caller_;
  const wire::sts::AssumeRoleInput& input_;
  const iam::Snapshot& state_;
  const iam::RoleRef role_;
  iam::Session session_;
};

}  // namespace

Task<QueryResult> AssumeRole(StsService& service, query::QueryContext& context, const wire::sts::AssumeRoleInput& input,
                             wire::sts::AssumeRoleOutput& output) {
  const auto state = service.directory.Current();
  Assumption assumption(context, input, *state);
  ARMATURE_CO_CHECK_OK(assumption.CheckRequest());
  ARMATURE_CO_CHECK_OK(assumption.Fill());
  iam::Session& session = assumption.session();
  ARMATURE_CO_TRY(output.Credentials, Issue(service, context.now_millis, assumption.seconds(), session));
  output.AssumedRoleUser.emplace();
  output.AssumedRoleUser->Arn = iam::AssumedRoleArn(assumption.role(), session.name);
  output.AssumedRoleUser->AssumedRoleId = fmt::format("{}:{}", session.entity_id, session.name);
  if (session.has_policies() || input.Tags.size() > 0)
    output.PackedPolicySize = static_cast<int64_t>(iam::SessionTokens::PackedPolicyPercent(session));
  if (!session.source_identity.empty()) output.SourceIdentity = session.source_identity;
  co_return QueryResult();
}

}  // namespace armature::sts
