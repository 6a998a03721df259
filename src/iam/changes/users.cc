#include "iam/changes/users.h"

#include <algorithm>

#include "iam/changes/find.h"
#include "iam/entities/ids.h"

namespace armature::iam {

namespace {

// Names and paths of users and groups change alike.
template <class E>
IamResult<std::shared_ptr<const E>> Rename(Draft& draft, std::string_view account, std::string_view name,
                                           std::optional<std::string_view> new_name,
                                           std::optional<std::string_view> new_path) {
  using Facts = KindFacts<E>;
  ARMATURE_TRY(auto entity, Edit<E>(draft, account, name));
  if (new_path) {
    ARMATURE_CHECK_OK(CheckPath(*new_path));
    entity->path = *new_path;
  }
  if (new_name) {
    ARMATURE_CHECK_OK(CheckName(Facts::kNameMember, *new_name, Facts::kMostName));
    const auto other = draft.AccountOf(account).template Of<E>().Find(*new_name);
    if (other && other->id != entity->id)
      return EntityAlreadyExists(fmt::format(messages::kAlreadyExists, Facts::kCapitalWord, *new_name));
    entity->name = *new_name;
  }
  std::shared_ptr<const E> done = std::move(entity);
  draft.Put(done);
  return done;
}

IamResult<void> CheckWithoutPolicies(const Holder& holder) {
  if (!holder.inline_policies.empty()) return DeleteConflict(messages::kDeletePoliciesFirst);
  if (!holder.attached.empty()) return DeleteConflict(messages::kDetachPoliciesFirst);
  return {};
}

}  // namespace

IamResult<UserRef> CreateUser(Draft& draft, std::string_view account, const NewUser& given) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  ARMATURE_CHECK_OK(CheckTags(given.tags));
  ARMATURE_CHECK_OK(CheckNew<User>(draft.AccountOf(account), given.name, given.path));
  if (!given.boundary.empty()) ARMATURE_CHECK_OK(MustFindAttachable(draft.state(), account, given.boundary));
  auto user = std::make_shared<User>();
  user->account = account;
  user->id = MakeUniqueId(kUserPrefix, account, draft.random());
  user->name = given.name;
  user->path = given.path;
  user->created_millis = draft.now_millis();
  user->tags = given.tags;
  user->boundary = given.boundary;
  UserRef made = std::move(user);
  draft.Put(made);
  return made;
}

IamResult<UserRef> UpdateUser(Draft& draft, std::string_view account, std::string_view name,
                              std::optional<std::string_view> new_name, std::optional<std::string_view> new_path) {
  return Rename<User>(draft, account, name, new_name, new_path);
}

IamResult<void> DeleteUser(Draft& draft, std::string_view account, std::string_view name) {
  ARMATURE_TRY(const UserRef user, MustFind<User>(draft.state(), account, name));
  if (!user->access_keys.empty()) return DeleteConflict(messages::kDeleteKeysFirst);
  ARMATURE_CHECK_OK(CheckWithoutPolicies(*user));
  if (!user->groups.empty()) return DeleteConflict(messages::kRemoveUsersFirst);
  draft.Remove(*user);
  return {};
}

IamResult<GroupRef> CreateGroup(Draft& draft, std::string_view account, std::string_view name, std::string_view path) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  ARMATURE_CHECK_OK(CheckNew<Group>(draft.AccountOf(account), name, path));
  auto group = std::make_shared<Group>();
  group->account = account;
  group->id = MakeUniqueId(kGroupPrefix, account, draft.random());
  group->name = name;
  group->path = path;
  group->created_millis = draft.now_millis();
  GroupRef made = std::move(group);
  draft.Put(made);
  return made;
}

IamResult<GroupRef> UpdateGroup(Draft& draft, std::string_view account, std::string_view name,
                                std::optional<std::string_view> new_name, std::optional<std::string_view> new_path) {
  return Rename<Group>(draft, account, name, new_name, new_path);
}

IamResult<void> DeleteGroup(Draft& draft, std::string_view account, std::string_view name) {
  ARMATURE_TRY(const GroupRef group, MustFind<Group>(draft.state(), account, name));
  if (!MembersOf(draft.AccountOf(account), *group).empty()) return DeleteConflict(messages::kRemoveUsersFirst);
  ARMATURE_CHECK_OK(CheckWithoutPolicies(*group));
  draft.Remove(*group);
  return {};
}

IamResult<void> AddUserToGroup(Draft& draft, std::string_view account, std::string_view group_name,
                               std::string_view user_name) {
  ARMATURE_TRY(const GroupRef group, MustFind<Group>(draft.state(), account, group_name));
  ARMATURE_TRY(auto user, Edit<User>(draft, account, user_name));
  if (std::find(user->groups.begin(), user->groups.end(), group->id) != user->groups.end()) return {};
  if (user->groups.size() >= quotas::kGroupsPerUser)
    return LimitExceeded(fmt::format(messages::kQuota, "GroupsPerUser", quotas::kGroupsPerUser));
  user->groups.push_back(group->id);
  draft.Put(UserRef(std::move(user)));
  return {};
}

IamResult<void> RemoveUserFromGroup(Draft& draft, std::string_view account, std::string_view group_name,
                                    std::string_view user_name) {
  ARMATURE_TRY(const GroupRef group, MustFind<Group>(draft.state(), account, group_name));
  ARMATURE_TRY(auto user, Edit<User>(draft, account, user_name));
  if (std::erase(user->groups, group->id) > 0) draft.Put(UserRef(std::move(user)));
  return {};
}

std::vector<UserRef> MembersOf(const AccountState& account, const Group& group) {
  std::vector<UserRef> members;
  account.users.by_name().ForEach([&](const auto&, const UserRef& user) {
    if (std::find(user->groups.begin(), user->groups.end(), group.id) != user->groups.end()) members.push_back(user);
  });
  return members;
}

}  // namespace armature::iam
