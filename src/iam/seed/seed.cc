#include "iam/seed/seed.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "iam/changes/access_keys.h"
#include "iam/changes/accounts.h"
#include "iam/changes/grants.h"
#include "iam/changes/policies.h"
#include "iam/changes/providers.h"
#include "iam/changes/roles.h"
#include "iam/changes/tags.h"
#include "iam/changes/users.h"
#include "iam/entities/names.h"
#include "iam/entities/quotas.h"

namespace armature::iam {

namespace {

// Nobody may assume a role while it is being made: roles may trust each other, whichever comes first.
constexpr std::string_view kTrustsNobody =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"sts:AssumeRole"}]})";

class Applier {
 public:
  explicit Applier(Draft& draft) : draft_(draft) {}

  IamResult<void> Apply(const SeedAccount& entry) {
    ARMATURE_CHECK_OK(EnsureAccount(draft_, entry.account));
    if (!entry.name.empty() && draft_.AccountOf(entry.account).info.alias != entry.name)
      ARMATURE_CHECK_OK(CreateAccountAlias(draft_, entry.account, entry.name));
    return ApplyKeys(entry.account, {}, entry.root_keys);
  }

  IamResult<void> Apply(const SeedPolicy& entry) {
    ARMATURE_CHECK_OK(EnsureAccount(draft_, entry.account));
    const PolicyRef known = draft_.AccountOf(entry.account).policies.Find(entry.name);
    if (!known) {
      NewPolicy policy{entry.name, entry.path, entry.document, entry.description, entry.tags};
      ARMATURE_CHECK_OK(CreatePolicy(draft_, entry.account, policy));
      return {};
    }
    const std::string arn = ArnOf(*known);
    if (known->path != entry.path) return InvalidInput(fmt::format("it is there already, as {}", arn));
    if (known->DefaultVersion().document->text != entry.document) {
      ARMATURE_CHECK_OK(MakeRoomForVersion(*known, arn));
      ARMATURE_CHECK_OK(CreatePolicyVersion(draft_, entry.account, arn, entry.document, /*is_default=*/true));
    }
    return ApplyTags<ManagedPolicy>(entry, arn, known->tags);
  }

  IamResult<void> ApplyGroup(const SeedHolder& entry) {
    ARMATURE_CHECK_OK(EnsureAccount(draft_, entry.account));
    const GroupRef known = draft_.AccountOf(entry.account).groups.Find(entry.name);
    if (!known) ARMATURE_CHECK_OK(CreateGroup(draft_, entry.account, entry.name, entry.path));
    else if (known->path != entry.path)
      ARMATURE_CHECK_OK(UpdateGroup(draft_, entry.account, entry.name, std::nullopt, entry.path));
    return ApplyPolicies<Group>(entry);
  }

  IamResult<void> Apply(const SeedUser& entry) {
    ARMATURE_CHECK_OK(EnsureAccount(draft_, entry.account));
    const UserRef known = draft_.AccountOf(entry.account).users.Find(entry.name);
    if (!known) {
      NewUser user;
      user.name = entry.name;
      user.path = entry.path;
      user.tags = entry.tags;
      ARMATURE_CHECK_OK(CreateUser(draft_, entry.account, user));
    } else {
      if (known->path != entry.path)
        ARMATURE_CHECK_OK(UpdateUser(draft_, entry.account, entry.name, std::nullopt, entry.path));
      ARMATURE_CHECK_OK(ApplyTags<User>(entry, entry.name, known->tags));
    }
    ARMATURE_CHECK_OK(ApplyPolicies<User>(entry));
    ARMATURE_CHECK_OK(ApplyBoundary<User>(entry));
    ARMATURE_CHECK_OK(ApplyGroups(entry));
    return ApplyKeys(entry.account, entry.name, entry.keys);
  }

  // The role without its trust, which is for ApplyTrust when all roles are there.
  IamResult<void> Apply(const SeedRole& entry) {
    ARMATURE_CHECK_OK(EnsureAccount(draft_, entry.account));
    const RoleRef known = draft_.AccountOf(entry.account).roles.Find(entry.name);
    if (!known) {
      NewRole role;
      role.name = entry.name;
      role.path = entry.path;
      role.trust = kTrustsNobody;
      role.description = entry.description;
      role.max_session_seconds = entry.max_session_seconds;
      role.tags = entry.tags;
      ARMATURE_CHECK_OK(CreateRole(draft_, entry.account, role));
    } else {
      if (known->path != entry.path) return InvalidInput(fmt::format("it is there already, as {}", ArnOf(*known)));
      if (known->description != entry.description || known->max_session_seconds != entry.max_session_seconds)
        ARMATURE_CHECK_OK(UpdateRole(draft_, entry.account, entry.name, entry.description, entry.max_session_seconds));
      ARMATURE_CHECK_OK(ApplyTags<Role>(entry, entry.name, known->tags));
    }
    ARMATURE_CHECK_OK(ApplyPolicies<Role>(entry));
    return ApplyBoundary<Role>(entry);
  }

  // Names in the file mean who has them now: somebody made anew is trusted anew.
  IamResult<void> ApplyTrust(const SeedRole& entry) {
    const RoleRef role = draft_.AccountOf(entry.account).roles.Find(entry.name);
    ARMATURE_TRY(const auto trust, MakeDocument(entry.trust, policy::PolicyKind::kTrust, draft_.state()));
    if (role->trust->text == entry.trust && role->trust->principals == trust->principals) return {};
    return UpdateAssumeRolePolicy(draft_, entry.account, entry.name, entry.trust);
  }

  IamResult<void> Apply(const SeedProvider& entry) {
    ARMATURE_CHECK_OK(EnsureAccount(draft_, entry.account));
    std::string_view issuer = entry.name;
    if (issuer.starts_with("https://")) issuer.remove_prefix(8);
    if (issuer.ends_with('/')) issuer.remove_suffix(1);
    const ProviderRef known = draft_.AccountOf(entry.account).providers.Find(issuer);
    if (!known) {
      ARMATURE_CHECK_OK(CreateOidcProvider(
          draft_, entry.account, {fmt::format("https://{}", issuer), entry.client_ids, entry.thumbprints, entry.tags}));
      return {};
    }
    const std::string arn = ArnOf(*known);
    if (known->thumbprints != entry.thumbprints)
      ARMATURE_CHECK_OK(UpdateThumbprints(draft_, entry.account, arn, entry.thumbprints));
    for (const std::string& id : known->client_ids)
      if (!Contains(entry.client_ids, id)) ARMATURE_CHECK_OK(RemoveClientId(draft_, entry.account, arn, id));
    for (const std::string& id : entry.client_ids) ARMATURE_CHECK_OK(AddClientId(draft_, entry.account, arn, id));
    return ApplyTags<OidcProvider>(entry, arn, known->tags);
  }

 private:
  static bool Contains(const std::vector<std::string>& texts, std::string_view text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  }

  // Of a policy by its name: the account's, else AWS's.
  std::string ArnOfPolicy(std::string_view account, const std::string& name_or_arn) const {
    if (name_or_arn.empty() || name_or_arn.starts_with("arn:")) return name_or_arn;
    if (const PolicyRef own = draft_.AccountOf(account).policies.Find(name_or_arn)) return ArnOf(*own);
    return "arn:aws:iam::aws:policy/" + name_or_arn;
  }

  // The oldest that is not in force goes.
  IamResult<void> MakeRoomForVersion(const ManagedPolicy& policy, const std::string& arn) {
    if (policy.versions.size() < quotas::kVersionsPerPolicy) return {};
    const auto oldest = std::find_if(policy.versions.begin(), policy.versions.end(),
                                     [&](const auto& version) { return version.number != policy.default_version; });
    return DeletePolicyVersion(draft_, policy.account, arn, oldest->id());
  }

  template <class E>
  IamResult<void> ApplyTags(const SeedEntry& entry, std::string_view name_or_arn, const Tags& known) {
    const auto in_order = [](Tags tags) {
      std::sort(tags.begin(), tags.end(), [](const Tag& a, const Tag& b) { return a.key < b.key; });
      return tags;
    };
    if (in_order(known) == in_order(entry.tags)) return {};
    std::vector<std::string> old_keys;
    for (const Tag& tag : known) old_keys.push_back(tag.key);
    ARMATURE_CHECK_OK(UntagEntity<E>(draft_, entry.account, name_or_arn, old_keys));
    return TagEntity<E>(draft_, entry.account, name_or_arn, entry.tags);
  }

  template <class E>
  IamResult<void> ApplyPolicies(const SeedHolder& entry) {
    const std::shared_ptr<const E> known = draft_.AccountOf(entry.account).template Of<E>().Find(entry.name);
    std::map<std::string_view, std::string_view> texts;
    for (const InlinePolicy& policy : known->inline_policies) {
      if (entry.inline_policies.contains(policy.name)) texts[policy.name] = policy.document->text;
      else ARMATURE_CHECK_OK(DeleteInlinePolicy<E>(draft_, entry.account, entry.name, policy.name));
    }
    for (const auto& [name, document] : entry.inline_policies)
      if (!texts.contains(name) || texts[name] != document)
        ARMATURE_CHECK_OK(PutInlinePolicy<E>(draft_, entry.account, entry.name, name, document));
    std::vector<std::string> wanted;
    for (const std::string& name : entry.attached) wanted.push_back(ArnOfPolicy(entry.account, name));
    for (const std::string& arn : known->attached)
      if (!Contains(wanted, arn)) ARMATURE_CHECK_OK(DetachPolicy<E>(draft_, entry.account, entry.name, arn));
    for (const std::string& arn : wanted)
      if (!Contains(known->attached, arn)) ARMATURE_CHECK_OK(AttachPolicy<E>(draft_, entry.account, entry.name, arn));
    return {};
  }

  template <class E>
  IamResult<void> ApplyBoundary(const SeedHolder& entry) {
    const std::shared_ptr<const E> known = draft_.AccountOf(entry.account).template Of<E>().Find(entry.name);
    const std::string wanted = ArnOfPolicy(entry.account, entry.boundary);
    if (known->boundary == wanted) return {};
    if (wanted.empty()) return DeletePermissionsBoundary<E>(draft_, entry.account, entry.name);
    return PutPermissionsBoundary<E>(draft_, entry.account, entry.name, wanted);
  }

  IamResult<void> ApplyGroups(const SeedUser& entry) {
    const AccountState& account = draft_.AccountOf(entry.account);
    const UserRef known = account.users.Find(entry.name);
    std::set<std::string> wanted;  // ids
    for (const std::string& name : entry.groups)
      if (const GroupRef group = account.groups.Find(name)) wanted.insert(group->id);
    for (const std::string& id : known->groups) {
      const GroupRef group = draft_.AccountOf(entry.account).groups.FindById(id);
      if (group && !wanted.contains(id))
        ARMATURE_CHECK_OK(RemoveUserFromGroup(draft_, entry.account, group->name, entry.name));
    }
    for (const std::string& name : entry.groups)
      ARMATURE_CHECK_OK(AddUserToGroup(draft_, entry.account, name, entry.name));
    return {};
  }

  IamResult<void> ApplyKeys(std::string_view account, std::string_view user, const std::vector<SeedKey>& keys) {
    for (const SeedKey& key : keys)
      ARMATURE_CHECK_OK(ImportAccessKey(draft_, account, user, key.id, key.secret, key.is_active));
    return {};
  }

  Draft& draft_;
};

// What stands in a file twice would be made so, and then otherwise, at every start.
class Repetitions {
 public:
  template <class Entries>
  Status Check(std::string_view kind, const Entries& entries) {
    for (const SeedEntry& entry : entries) {
      const std::string name = kind == "account" ? std::string() : FoldCase(entry.name);
      if (!seen_.insert(fmt::format("{} {} {}", kind, entry.account, name)).second)
        return Status::InvalidArgument(fmt::format("{}: it is there twice", entry.where));
    }
    return Status::Ok();
  }
  Status CheckKeys(const SeedEntry& entry, const std::vector<SeedKey>& keys) {
    for (const SeedKey& key : keys)
      if (!seen_.insert("key " + key.id).second)
        return Status::InvalidArgument(fmt::format("{}: access key {} is there twice", entry.where, key.id));
    return Status::Ok();
  }

 private:
  std::set<std::string> seen_;
};

Status CheckRepetitions(const Seed& seed) {
  Repetitions repetitions;
  Status status = repetitions.Check("account", seed.accounts);
  if (status.ok()) status = repetitions.Check("policy", seed.policies);
  if (status.ok()) status = repetitions.Check("group", seed.groups);
  if (status.ok()) status = repetitions.Check("user", seed.users);
  if (status.ok()) status = repetitions.Check("role", seed.roles);
  if (status.ok()) status = repetitions.Check("provider", seed.providers);
  for (const SeedAccount& account : seed.accounts)
    if (status.ok()) status = repetitions.CheckKeys(account, account.root_keys);
  for (const SeedUser& user : seed.users)
    if (status.ok()) status = repetitions.CheckKeys(user, user.keys);
  return status;
}

template <class Entries, class Apply>
Status ForEachEntry(const Entries& entries, Apply apply) {
  for (const auto& entry : entries)
    if (const IamResult<void> done = apply(entry); !done)
      return Status::InvalidArgument(fmt::format("{}: {}", entry.where, done.error().message));
  return Status::Ok();
}

}  // namespace

Status ApplySeed(Draft& draft, const Seed& seed) {
  Applier applier(draft);
  const auto apply = [&](const auto& entry) { return applier.Apply(entry); };
  Status status = CheckRepetitions(seed);
  if (status.ok()) status = ForEachEntry(seed.accounts, apply);
  if (status.ok()) status = ForEachEntry(seed.policies, apply);
  if (status.ok()) status = ForEachEntry(seed.groups, [&](const auto& entry) { return applier.ApplyGroup(entry); });
  if (status.ok()) status = ForEachEntry(seed.users, apply);
  if (status.ok()) status = ForEachEntry(seed.roles, apply);
  if (status.ok()) status = ForEachEntry(seed.roles, [&](const auto& entry) { return applier.ApplyTrust(entry); });
  if (status.ok()) status = ForEachEntry(seed.providers, apply);
  return status;
}

Task<Status> ApplySeed(Directory& directory, const Seed& seed) {
  Status wrong;
  std::function<IamResult<void>(Draft&)> change = [&](Draft& draft) -> IamResult<void> {
    wrong = ApplySeed(draft, seed);
    return wrong.ok() ? IamResult<void>() : IamResult<void>(InvalidInput(wrong.message()));
  };
  const auto done = co_await directory.Change(std::move(change));
  if (!wrong.ok()) co_return wrong;
  co_return done ? Status::Ok()
                 : Status::IoError("the principals of the file could not be stored: " + done.error().message);
}

}  // namespace armature::iam
