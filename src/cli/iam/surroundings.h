// Surroundings: what bears on a question besides the principal's own policies: the policy of what he asks for and its
// tags, and policies of a session.
//
// A table's are read from its record in the data directory, an index has its table's; a role's are its trust policy and
// tags. A policy in a file stands in the place of the stored one. Used by the command.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/iam/options.h"
#include "cli/iam/principals.h"
#include "policy/policy.h"

namespace armature::cli::iam_command {

struct Surroundings {
  std::shared_ptr<const policy::Policy> resource_policy{};                                        // null: it has none
  std::string resource_policy_name{};                                                             // where that is from
  std::vector<std::pair<std::string, std::string>> tags{};                                        // of the resource
  std::vector<std::pair<std::shared_ptr<const policy::Policy>, std::string>> session_policies{};  // and their files
  std::vector<std::string> notes{};  // what the person who asks should know of them
};

// The error is one line fit for a user.
Result<Surroundings> FindSurroundings(Principals& principals, const Question& question);

}  // namespace armature::cli::iam_command
