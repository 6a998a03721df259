#include "iam/state/snapshot.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <functional>

#include "base/random.h"
#include "iam/entities/ids.h"
#include "iam/entities/names.h"
#include "policy/managed_policies.h"

namespace armature::iam {

template <class E>
typename Register<E>::Ref Register<E>::Find(std::string_view name) const {
  const Ref* const found = by_name_.Find(FoldCase(name));
  return found ? *found : nullptr;
}

template <class E>
typename Register<E>::Ref Register<E>::FindById(std::string_view id) const {
  const Ref* const found = by_id_.Find(id);
  return found ? *found : nullptr;
}

template <class E>
void Register<E>::Put(Ref entity) {
  if (const Ref* const old = by_id_.Find(entity->id)) by_name_.Erase(FoldCase((*old)->name));
  by_name_.Set(FoldCase(entity->name), entity);
  by_id_.Set(entity->id, entity);
}

template <class E>
void Register<E>::Remove(const E& entity) {
  // `entity` may go with its last reference.
  const std::string name = FoldCase(entity.name), id = entity.id;
  by_name_.Erase(name);
  by_id_.Erase(id);
}

template class Register<User>;
template class Register<Group>;
template class Register<Role>;
template class Register<ManagedPolicy>;
template class Register<OidcProvider>;

template <>
Register<User>& AccountState::Of<User>() {
  return users;
}
template <>
Register<Group>& AccountState::Of<Group>() {
  return groups;
}
template <>
Register<Role>& AccountState::Of<Role>() {
  return roles;
}
template <>
Register<ManagedPolicy>& AccountState::Of<ManagedPolicy>() {
  return policies;
}
template <>
Register<OidcProvider>& AccountState::Of<OidcProvider>() {
  return providers;
}

namespace {

constexpr std::string_view kAws = "aws";

// The entity of that kind with exactly this ARN.
template <class E>
std::shared_ptr<const E> FindByArn(const Snapshot& snapshot, std::string_view kind, std::string_view arn) {
  const auto parts = ParseEntityArn(arn);
  if (!parts || parts->kind != kind) return nullptr;
  const AccountState* const account = snapshot.FindAccount(parts->account);
  if (!account) return nullptr;
  auto entity = account->Of<E>().Find(parts->name);
  return entity && ArnOf(*entity) == arn ? entity : nullptr;
}

template <class Visit>
void ForEachHolder(const AccountState& account, Visit visit) {
  account.users.by_name().ForEach([&](const auto&, const UserRef& user) { visit(*user); });
  account.groups.by_name().ForEach([&](const auto&, const GroupRef& group) { visit(*group); });
  account.roles.by_name().ForEach([&](const auto&, const RoleRef& role) { visit(*role); });
}

// AWS's policies have ids too, of which all that matters is that each has its own, always the same.
std::string IdOfAwsPolicy(std::string_view name) {
  SeededRandom random(std::hash<std::string_view>()(name));
  return MakeUniqueId(kPolicyPrefix, "000000000000", random);
}

CowMap<PolicyRef> MakeAwsPolicies() {
  CowMap<PolicyRef> all;
  for (const policy::ManagedPolicy& given : policy::ManagedPolicies()) {
    auto document = MakeDocument(given.document, policy::PolicyKind::kIdentity);
    assert(document);  // each is parsed by a test of policy/
    if (!document) continue;
    auto made = std::make_shared<ManagedPolicy>();
    made->account = kAws;
    made->name = given.name;
    made->path = given.path;
    made->id = IdOfAwsPolicy(given.name);
    made->description = given.description;
    std::from_chars(given.default_version.data() + 1, given.default_version.data() + given.default_version.size(),
                    made->default_version);
    made->next_version = made->default_version + 1;
    made->versions.push_back({made->default_version, std::move(*document), 0});
    const std::string arn = ArnOf(*made);
    all.Set(arn, std::move(made));
  }
  return all;
}

}  // namespace

const AccountState* Snapshot::FindAccount(std::string_view account) const {
  const auto* const found = accounts_.Find(account);
  return found ? found->get() : nullptr;
}

std::string_view Snapshot::AccountOfAlias(std::string_view alias) const {
  const std::string* const account = aliases_.Find(alias);
  return account ? std::string_view(*account) : std::string_view();
}

bool Snapshot::has_principals() const {
  bool has_any = has_keys();
  accounts_.ForEach([&](const auto&, const auto& account) {
    has_any = has_any || account->users.size() > 0 || account->roles.size() > 0;
  });
  return has_any;
}

UserRef Snapshot::FindUser(std::string_view arn) const { return FindByArn<User>(*this, "user", arn); }
RoleRef Snapshot::FindRole(std::string_view arn) const { return FindByArn<Role>(*this, "role", arn); }
ProviderRef Snapshot::FindProvider(std::string_view arn) const {
  return FindByArn<OidcProvider>(*this, "oidc-provider", arn);
}

PolicyRef Snapshot::FindPolicy(std::string_view arn) const {
  if (const PolicyRef* const of_aws = AwsPolicies().Find(arn)) return *of_aws;
  return FindByArn<ManagedPolicy>(*this, "policy", arn);
}

std::optional<std::string> Snapshot::FindUniqueId(std::string_view arn) const {
  if (const UserRef user = FindUser(arn)) return user->id;
  if (const RoleRef role = FindRole(arn)) return role->id;
  return std::nullopt;
}

const CowMap<PolicyRef>& AwsPolicies() {
  static const CowMap<PolicyRef> policies = MakeAwsPolicies();
  return policies;
}

CowMap<PolicyUse> CountPolicyUse(const AccountState& account) {
  CowMap<PolicyUse> uses;
  const auto count = [&](std::string_view arn, size_t PolicyUse::*what) {
    const PolicyUse* const known = uses.Find(arn);
    PolicyUse use = known ? *known : PolicyUse();
    ++(use.*what);
    uses.Set(arn, use);
  };
  ForEachHolder(account, [&](const Holder& holder) {
    for (const std::string& arn : holder.attached) count(arn, &PolicyUse::attachments);
    if (!holder.boundary.empty()) count(holder.boundary, &PolicyUse::boundaries);
  });
  return uses;
}

PolicyUse CountUseOf(const AccountState& account, std::string_view policy_arn) {
  PolicyUse use;
  ForEachHolder(account, [&](const Holder& holder) {
    use.attachments += std::find(holder.attached.begin(), holder.attached.end(), policy_arn) != holder.attached.end();
    use.boundaries += holder.boundary == policy_arn;
  });
  return use;
}

}  // namespace armature::iam
