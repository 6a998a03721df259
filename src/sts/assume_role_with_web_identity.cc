// AssumeRoleWithWebIdentity: the credentials of a role for somebody whom an OpenID Connect issuer vouches for.
//
// Called unsigned: the token is all there is. The issuer must be a provider of the role's account, its keys must have
// signed the token, and the role's trust policy must let him have it, which is the only policy that has a say.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "iam/access/principal_conditions.h"
#include "iam/entities/told.h"
#include "model/names/arn.h"
#include "oidc/token.h"
#include "policy/evaluate.h"
#include "sts/messages.h"
#include "sts/session_request.h"
#include "sts/sts_operations.h"
#include "wire/query/query_errors.h"

namespace armature::sts {

using query::QueryResult;
using wire::sts::InvalidIdentityToken;

namespace {

constexpr int64_t kDefaultSeconds = 3600;
// Clocks differ.
constexpr int64_t kSkewSeconds = 300;
constexpr int64_t kOldestSeconds = int64_t{24} * 3600;

// Whom the token is for: the party that asked for it, if it says so.
const std::string& AudienceOf(const oidc::Claims& claims) {
  return claims.authorized_party ? *claims.authorized_party : claims.audiences.front();
}

QueryResult CheckTimes(const oidc::Claims& claims, int64_t now) {
  if (now >= *claims.expires_seconds)
    return wire::sts::ExpiredTokenException(fmt::format(messages::kTokenExpired, now, *claims.expires_seconds));
  if (now - *claims.issued_seconds > kOldestSeconds)
    return InvalidIdentityToken(fmt::format(messages::kTokenTooOld, now - *claims.issued_seconds));
  const int64_t begins = std::max(*claims.issued_seconds, claims.not_before_seconds.value_or(INT64_MIN));
  if (begins - kSkewSeconds > now) return InvalidIdentityToken(fmt::format(messages::kTokenNotYet, now, begins));
  return {};
}

QueryResult CheckClaims(const oidc::Claims& claims) {
  const auto missing = [](std::string_view name) {
    return QueryResult(InvalidIdentityToken(fmt::format(messages::kMissingClaim, name)));
  };
  if (!claims.issuer || claims.issuer->empty()) return missing("iss");
  if (!claims.subject || claims.subject->empty()) return missing("sub");
  if (claims.audiences.empty()) return missing("aud");
  if (!claims.expires_seconds) return missing("exp");
  if (!claims.issued_seconds) return missing("iat");
  return {};
}

QueryResult CheckAudience(const oidc::Claims& claims, const iam::OidcProvider& provider) {
  const auto is_client = [&](const std::string& id) {
    return std::find(provider.client_ids.begin(), provider.client_ids.end(), id) != provider.client_ids.end();
  };
  const bool is_for_us = claims.authorized_party
                             ? is_client(*claims.authorized_party)
                             : std::any_of(claims.audiences.begin(), claims.audiences.end(), is_client);
  if (!is_for_us) return InvalidIdentityToken(messages::kWrongAudience);
  return {};
}

// What conditions can ask of the token; the session keeps it.
std::vector<iam::SessionClaim> KeysOf(const oidc::Claims& claims, std::string_view issuer) {
  std::vector<iam::SessionClaim> keys;
  const auto add = [&](std::string_view name, std::vector<std::string> values) {
    if (!values.empty()) keys.push_back({fmt::format("{}:{}", issuer, name), std::move(values)});
  };
  add("aud", claims.authorized_party ? std::vector<std::string>{*claims.authorized_party} : claims.audiences);
  if (claims.authorized_party) add("oaud", claims.audiences);
  add("sub", {*claims.subject});
  add("amr", claims.authentication_methods);
  return keys;
}

// A web identity as conditions see it before it is anybody here.
auth::Identity StrangerOf(const iam::Session& session, int64_t now_millis) {
  auth::Identity stranger;
  auth::SessionFacts& facts = stranger.session.emplace();
  facts.issued_at_millis = now_millis;
  facts.federated_provider = session.federated_provider;
  for (const iam::SessionClaim& claim : session.claims) facts.federation_keys.push_back({claim.name, claim.values});
  return stranger;
}

QueryResult Denied() { return wire::AccessDenied(messages::kNotAuthorizedWebIdentity); }

QueryResult CheckTrusted(const query::QueryContext& context, const iam::Role& role, std::string_view role_arn,
                         const iam::Session& session, int64_t asked_seconds) {
  const SessionConditions of_session(session, role.tags, {}, asked_seconds);
  const auth::Identity stranger = StrangerOf(session, context.now_millis);
  const auth::Circumstances circumstances = query::CircumstancesOf(context);
  const iam::PrincipalConditions conditions(stranger, circumstances, &of_session);
  policy::Principal principal;
  principal.kind = policy::PrincipalKind::kWebIdentity;
  principal.arn = session.federated_provider;
  policy::ApplicablePolicies policies;
  policies.resource = role.trust->compiled.get();
  const auto may = [&](std::string_view action) {
    return policy::Evaluate({action, role_arn, role.account, principal, conditions}, policies).allowed();
  };
  if (!may("sts:AssumeRoleWithWebIdentity") || (!session.tags.empty() && !may("sts:TagSession")) ||
      (!session.source_identity.empty() && !may("sts:SetSourceIdentity")))
    return Denied();
  return {};
}

}  // namespace

Task<QueryResult> AssumeRoleWithWebIdentity(StsService& service, query::QueryContext& context,
                                            const wire::sts::AssumeRoleWithWebIdentityInput& input,
                                            wire::sts::AssumeRoleWithWebIdentityOutput& output) {
  const auto arn = model::ParseArn(*input.RoleArn);
  if (!arn) co_return wire::ValidationError(fmt::format(messages::kInvalidArn, *input.RoleArn));
  if (input.ProviderId) co_return wire::ValidationError(fmt::format(messages::kNoAccessTokens, *input.ProviderId));
  const auto token = oidc::ReadToken(*input.WebIdentityToken);
  if (!token) co_return InvalidIdentityToken(messages::kNotAToken);
  const oidc::Claims& claims = token->claims;
  ARMATURE_CO_CHECK_OK(CheckClaims(claims));

  const auto state = service.directory.Current();
  const iam::AccountState* const account = state->FindAccount(arn->account);
  const std::string issuer(oidc::IssuerName(*claims.issuer));
  const iam::ProviderRef provider = account ? account->providers.Find(issuer) : nullptr;
  if (!provider) co_return InvalidIdentityToken(fmt::format(messages::kNoProvider, *claims.issuer));

  const auto keys = co_await service.issuers.Find(issuer, token->key_id);
  if (!keys && keys.error().code() == StatusCode::kUnavailable)
    co_return wire::sts::IDPCommunicationError(messages::kNotReachable);
  if (!keys || !(*keys)->HasSigned(*token)) co_return InvalidIdentityToken(messages::kNoKey);
  ARMATURE_CO_CHECK_OK(CheckTimes(claims, context.now_millis / 1000));
  ARMATURE_CO_CHECK_OK(CheckAudience(claims, *provider));

  iam::Session session;
  std::vector<iam::SessionTag> tags;
  for (const auto& [key, value] : claims.principal_tags) tags.push_back({key, value, false});
  ARMATURE_CO_CHECK_OK(AddTags(std::move(tags), claims.transitive_tag_keys, nullptr, session));
  const iam::RoleRef role = state->FindRole(*input.RoleArn);
  if (!role) co_return Denied();
  session.kind = iam::SessionKind::kRole;
  session.account = role->account;
  session.entity_id = role->id;
  session.name = *input.RoleSessionName;
  session.source_identity = claims.source_identity;
  session.federated_provider = iam::ArnOf(*provider);
  session.claims = KeysOf(claims, issuer);
  ARMATURE_CO_CHECK_OK(CheckTrusted(context, *role, *input.RoleArn, session, input.DurationSeconds.value_or(0)));
  ARMATURE_CO_CHECK_OK(AddPolicies(*state, input.Policy, input.PolicyArns, session));
  const int64_t seconds = input.DurationSeconds.value_or(kDefaultSeconds);
  if (seconds > role->max_session_seconds) co_return wire::ValidationError(messages::kBeyondRole);

  ARMATURE_CO_TRY(output.Credentials, Issue(service, context.now_millis, seconds, session));
  output.AssumedRoleUser.emplace();
  output.AssumedRoleUser->Arn = iam::AssumedRoleArn(*role, session.name);
  output.AssumedRoleUser->AssumedRoleId = fmt::format("{}:{}", role->id, session.name);
  output.SubjectFromWebIdentityToken = *claims.subject;
  output.Audience = AudienceOf(claims);
  output.Provider = *claims.issuer;
  if (session.has_policies() || !session.tags.empty())
    output.PackedPolicySize = static_cast<int64_t>(iam::SessionTokens::PackedPolicyPercent(session));
  if (!session.source_identity.empty()) output.SourceIdentity = session.source_identity;
  co_return QueryResult();
}

}  // namespace armature::sts
