// Users and groups, as they come, change their names and go.
//
// A change is a function on a Draft: it gives AWS's answer, or AWS's error, after which the draft is to be thrown away.
// So it is for all of iam/changes. Called by the operations of the API, seeds and commands, inside Directory::Change.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "iam/entities/iam_error.h"
#include "iam/state/draft.h"

namespace armature::iam {

struct NewUser {
  std::string name;
  std::string path = "/";
  Tags tags{};
  std::string boundary{};  // the ARN of a managed policy
};
IamResult<UserRef> CreateUser(Draft& draft, std::string_view account, const NewUser& user);
// What is not given stays. References by name alone (policies of others) are not rewritten, as on AWS.
IamResult<UserRef> UpdateUser(Draft& draft, std::string_view account, std::string_view name,
                              std::optional<std::string_view> new_name, std::optional<std::string_view> new_path);
IamResult<void> DeleteUser(Draft& draft, std::string_view account, std::string_view name);

IamResult<GroupRef> CreateGroup(Draft& draft, std::string_view account, std::string_view name,
                                std::string_view path = "/");
IamResult<GroupRef> UpdateGroup(Draft& draft, std::string_view account, std::string_view name,
                                std::optional<std::string_view> new_name, std::optional<std::string_view> new_path);
IamResult<void> DeleteGroup(Draft& draft, std::string_view account, std::string_view name);

// Both are content with what is so already.
IamResult<void> AddUserToGroup(Draft& draft, std::string_view account, std::string_view group, std::string_view user);
IamResult<void> RemoveUserFromGroup(Draft& draft, std::string_view account, std::string_view group,
                                    std::string_view user);
// The users in a group, by name.
std::vector<UserRef> MembersOf(const AccountState& account, const Group& group);

}  // namespace armature::iam
