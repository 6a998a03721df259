#include "server/dax/cluster_role.h"

#include "iam/access/identities.h"
#include "iam/access/service_trust.h"
#include "iam/sessions/session.h"

namespace armature::server {

namespace {

constexpr std::string_view kSessionName = "DAX";
constexpr std::string_view kService = "dax.amazonaws.com";

bool Trusts(const iam::Role& role, std::string_view role_arn, std::string_view cluster_arn, int64_t now_millis) {
  return iam::TrustsService(role, role_arn,
                            {.service = kService,
                             .source_account = role.account,  // a cluster's role is of its own account
                             .source_arn = cluster_arn,
                             .now_millis = now_millis});
}

std::shared_ptr<const auth::Identity> IdentityOfRole(const iam::Snapshot& state, const iam::RoleRef& role) {
  if (!role) return nullptr;
  iam::Session session;
  session.kind = iam::SessionKind::kRole;
  session.account = role->account;
  session.entity_id = role->id;
  session.name = kSessionName;
  return iam::IdentityOf(state, session);
}

}  // namespace

bool MayActAs(const Gate& gate, const Clock& clock, std::string_view role_arn, std::string_view cluster_arn) {
  if (!gate.is_shut()) return true;
  const iam::RoleRef role = gate.directory().Current()->FindRole(role_arn);
  return role && Trusts(*role, role_arn, cluster_arn, clock.NowMillis());
}

OnBehalf ClusterRole::Now(std::string_view account) {
  if (role_arn_.empty() || !gate_.is_shut())
    return {std::make_shared<const auth::Identity>(auth::RootIdentity(account)), true};
  std::shared_ptr<const iam::Snapshot> state = gate_.directory().Current();
  OnBehalf behalf;
  iam::RoleRef role;
  {
    MutexLock lock(mutex_);
    if (state != state_) {
      role_ = state->FindRole(role_arn_);
      identity_ = IdentityOfRole(*state, role_);
      state_ = std::move(state);
    }
    behalf.identity = identity_;
    role = role_;
  }
  if (!behalf.identity) {
    behalf.why_nobody = "The cluster's role is not there";
  } else if (!Trusts(*role, role_arn_, cluster_arn_, clock_.NowMillis())) {  // each time: it may depend on the time
    behalf.identity = nullptr;
    behalf.why_nobody = "The cluster's role does not let DAX assume it";
  }
  return behalf;
}

}  // namespace armature::server
