#include "server/dax/cluster_role.h"

#include "iam/access/identities.h"
#include "iam/sessions/session.h"

namespace armature::server {

namespace {

constexpr std::string_view kSessionName = "DAX";

std::shared_ptr<const auth::Identity> IdentityOfRole(const iam::Snapshot& state, std::string_view role_arn) {
  const iam::RoleRef role = state.FindRole(role_arn);
  if (!role) return nullptr;
  iam::Session session;
  session.kind = iam::SessionKind::kRole;
  session.account = role->account;
  session.entity_id = role->id;
  session.name = kSessionName;
  return iam::IdentityOf(state, session);
}

}  // namespace

OnBehalf ClusterRole::Now(std::string_view account) {
  if (role_arn_.empty() || !gate_.is_shut())
    return {std::make_shared<const auth::Identity>(auth::RootIdentity(account)), true};
  std::shared_ptr<const iam::Snapshot> state = gate_.directory().Current();
  MutexLock lock(mutex_);
  if (state != state_) {
    identity_ = IdentityOfRole(*state, role_arn_);
    state_ = std::move(state);
  }
  return {identity_, false};
}

}  // namespace armature::server
