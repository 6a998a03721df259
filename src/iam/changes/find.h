// Finding what a call is about, or saying in AWS's words that it is not there. Shared by iam/changes and by the
// operations that only read.
#pragma once

#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "iam/entities/messages.h"
#include "iam/entities/names.h"
#include "iam/entities/quotas.h"
#include "iam/state/draft.h"

namespace armature::iam {

// How the API calls entities of a kind, and what may be of them.
template <class E>
struct KindFacts;
template <>
struct KindFacts<User> {
  static constexpr std::string_view kWord = "user", kCapitalWord = "User", kNameMember = "userName";
  static constexpr std::string_view kQuotaName = "UsersPerAccount", kAttachedQuotaName = "PoliciesPerUser";
  static constexpr std::string_view kIdPrefix = "AIDA";
  static constexpr size_t kMostName = quotas::kUserName, kMost = quotas::kUsers;
  static constexpr size_t kMostInline = quotas::kUserInlineSize;
};
template <>
struct KindFacts<Group> {
  static constexpr std::string_view kWord = "group", kCapitalWord = "Group", kNameMember = "groupName";
  static constexpr std::string_view kQuotaName = "GroupsPerAccount", kAttachedQuotaName = "PoliciesPerGroup";
  static constexpr std::string_view kIdPrefix = "AGPA";
  static constexpr size_t kMostName = quotas::kGroupName, kMost = quotas::kGroups;
  static constexpr size_t kMostInline = quotas::kGroupInlineSize;
};
template <>
struct KindFacts<Role> {
  static constexpr std::string_view kWord = "role", kCapitalWord = "Role", kNameMember = "roleName";
  static constexpr std::string_view kQuotaName = "RolesPerAccount", kAttachedQuotaName = "PoliciesPerRole";
  static constexpr std::string_view kIdPrefix = "AROA";
  static constexpr size_t kMostName = quotas::kRoleName, kMost = quotas::kRoles;
  static constexpr size_t kMostInline = quotas::kRoleInlineSize;
};

template <class E>
IamResult<std::shared_ptr<const E>> MustFind(const Snapshot& state, std::string_view account, std::string_view name) {
  const AccountState* const known = state.FindAccount(account);
  auto entity = known ? known->Of<E>().Find(name) : nullptr;
  if (!entity) return NoSuchEntity(fmt::format(messages::kNotFound, KindFacts<E>::kWord, name));
  return entity;
}

// A copy to be changed and put back.
template <class E>
IamResult<std::shared_ptr<E>> Edit(const Draft& draft, std::string_view account, std::string_view name) {
  ARMATURE_TRY(const auto entity, MustFind<E>(draft.state(), account, name));
  return std::make_shared<E>(*entity);
}

// The same of something that only AWS may change, if it is such a thing.
template <class E>
IamResult<void> CheckModifiable(const E&) {
  return {};
}
template <>
inline IamResult<void> CheckModifiable(const Role& role) {
  if (!role.is_service_linked()) return {};
  return UnmodifiableEntity(fmt::format(messages::kProtectedRole, role.name));
}

// Whether another entity of the kind may be made under that name, at that path.
template <class E>
IamResult<void> CheckNew(const AccountState& account, std::string_view name, std::string_view path) {
  using Facts = KindFacts<E>;
  ARMATURE_CHECK_OK(CheckName(Facts::kNameMember, name, Facts::kMostName));
  ARMATURE_CHECK_OK(CheckPath(path));
  if (account.Of<E>().Find(name))
    return EntityAlreadyExists(fmt::format(messages::kAlreadyExists, Facts::kCapitalWord, name));
  if (account.Of<E>().size() >= Facts::kMost)
    return LimitExceeded(fmt::format(messages::kQuota, Facts::kQuotaName, Facts::kMost));
  return {};
}

// A policy of the account, or of AWS, that may be attached or be a boundary.
IamResult<PolicyRef> MustFindAttachable(const Snapshot& state, std::string_view account, std::string_view arn);

}  // namespace armature::iam
