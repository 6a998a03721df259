#include "iam/access/identities.h"

#include <algorithm>

#include <fmt/format.h>

#include "iam/access/policy_set.h"
#include "iam/entities/names.h"

namespace armature::iam {

namespace {

using auth::Identity;
using auth::PrincipalKind;

void AddTags(const Tags& tags, Identity& identity) {
  for (const Tag& tag : tags) identity.tags.push_back({tag.key, tag.value});
}

// Those of the session take the place of the entity's with the same key, whatever its case.
void OverlayTags(const std::vector<SessionTag>& tags, Identity& identity) {
  for (const SessionTag& tag : tags) {
    const std::string folded = FoldCase(tag.key);
    std::erase_if(identity.tags, [&](const auto& old) { return FoldCase(old.key) == folded; });
    identity.tags.push_back({tag.key, tag.value});
  }
}

void FillUser(const User& user, Identity& identity) {
  identity.kind = PrincipalKind::kUser;
  identity.account = user.account;
  identity.arn = identity.principal_arn = identity.entity_arn = ArnOf(user);
  identity.entity_id = identity.user_id = user.id;
  identity.user_name = user.name;
  AddTags(user.tags, identity);
}

auth::SessionFacts FactsOf(const Session& session) {
  auth::SessionFacts facts;
  facts.name = session.name;
  facts.issued_at_millis = session.issued_millis;
  facts.mfa_at_millis = session.mfa_millis;
  facts.source_identity = session.source_identity;
  facts.federated_provider = session.federated_provider;
  for (const SessionClaim& claim : session.claims) facts.federation_keys.push_back({claim.name, claim.values});
  for (const SessionTag& tag : session.tags)
    if (tag.is_transitive) facts.transitive_tag_keys.push_back(tag.key);
  return facts;
}

bool HasActiveKey(const std::vector<AccessKey>& keys, std::string_view id) {
  return std::any_of(keys.begin(), keys.end(), [&](const AccessKey& key) { return key.id == id && key.is_active; });
}

// The role's ARN and rights, the session's name.
bool FillRoleSession(const Snapshot& state, const AccountState& account, const Session& session, Identity& identity,
                     IamPolicySet& policies) {
  const RoleRef role = account.roles.FindById(session.entity_id);
  if (!role) return false;
  identity.kind = PrincipalKind::kAssumedRole;
  identity.account = role->account;
  identity.arn = AssumedRoleArn(*role, session.name);
  identity.principal_arn = identity.entity_arn = ArnOf(*role);
  identity.entity_id = role->id;
  identity.user_id = fmt::format("{}:{}", role->id, session.name);
  AddTags(role->tags, identity);
  policies.AddRole(state, *role);
  return true;
}

// The user, or the root, who asked for it, as long as the key that he asked with is good.
bool FillUserSession(const Snapshot& state, const AccountState& account, const Session& session, Identity& identity,
                     IamPolicySet& policies) {
  if (session.entity_id.empty()) {
    if (!HasActiveKey(account.info.root_keys, session.parent_key_id)) return false;
    identity = auth::RootIdentity(session.account);
  } else {
    const UserRef user = account.users.FindById(session.entity_id);
    if (!user || !HasActiveKey(user->access_keys, session.parent_key_id)) return false;
    FillUser(*user, identity);
    policies.AddUser(state, *user);
  }
  if (session.kind != SessionKind::kFederated) return true;
  identity.kind = PrincipalKind::kFederatedUser;
  identity.arn = identity.principal_arn = FederatedUserArn(session.account, session.name);
  identity.user_id = fmt::format("{}:{}", session.account, session.name);
  identity.user_name.clear();
  return true;
}

}  // namespace

std::shared_ptr<const Identity> RootIdentityOf(std::string_view account) {
  auto identity = std::make_shared<Identity>(auth::RootIdentity(account));
  identity->policies = std::make_shared<const IamPolicySet>();
  return identity;
}

std::shared_ptr<const Identity> IdentityOf(const Snapshot& state, const User& user) {
  auto identity = std::make_shared<Identity>();
  FillUser(user, *identity);
  auto policies = std::make_shared<IamPolicySet>();
  policies->AddUser(state, user);
  identity->policies = std::move(policies);
  return identity;
}

std::shared_ptr<const Identity> IdentityOf(const Snapshot& state, const Session& session) {
  const AccountState* const account = state.FindAccount(session.account);
  if (!account) return nullptr;
  auto identity = std::make_shared<Identity>();
  auto policies = std::make_shared<IamPolicySet>();
  const bool is_there = session.kind == SessionKind::kRole
                            ? FillRoleSession(state, *account, session, *identity, *policies)
                            : FillUserSession(state, *account, session, *identity, *policies);
  if (!is_there) return nullptr;
  policies->AddSession(state, session);
  OverlayTags(session.tags, *identity);
  identity->session = FactsOf(session);
  identity->policies = std::move(policies);
  return identity;
}

}  // namespace armature::iam
