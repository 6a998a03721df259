// Roles, those that AWS's services have of their own among them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "iam/entities/iam_error.h"
#include "iam/state/draft.h"

namespace armature::iam {

struct NewRole {
  std::string name;
  std::string path = "/";
  std::string trust;  // the policy that says who may assume it
  std::string description{};
  int64_t max_session_seconds = 3600;
  Tags tags{};
  std::string boundary{};
};
IamResult<RoleRef> CreateRole(Draft& draft, std::string_view account, const NewRole& role);
// What is not given stays.
IamResult<RoleRef> UpdateRole(Draft& draft, std::string_view account, std::string_view name,
                              std::optional<std::string_view> description, std::optional<int64_t> max_session_seconds);
IamResult<void> UpdateAssumeRolePolicy(Draft& draft, std::string_view account, std::string_view name,
                                       std::string_view trust);
IamResult<void> DeleteRole(Draft& draft, std::string_view account, std::string_view name);

// The role of a service ("replication.dynamodb.amazonaws.com"), which only it may assume and only AWS may change.
IamResult<RoleRef> CreateServiceLinkedRole(Draft& draft, std::string_view account, std::string_view service,
                                           std::string_view description, std::string_view suffix);
IamResult<void> DeleteServiceLinkedRole(Draft& draft, std::string_view account, std::string_view name);

}  // namespace armature::iam
