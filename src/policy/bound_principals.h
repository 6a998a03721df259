// Whom the Principals of a stored policy mean: their unique ids, noted when it was saved and kept with it.
//
// AWS binds a policy to the users and roles that have the names in it at that moment; somebody who is given the same
// name later is not meant. Used by whoever stores policies.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "policy/policy.h"

namespace armature::policy {

// ARNs of users and roles, and the unique ids that they had when a policy that names them was saved.
using BoundPrincipals = std::map<std::string, std::string, std::less<>>;

// When a policy is saved: notes whom it has found.
class NotingDirectory final : public PrincipalDirectory {
 public:
  NotingDirectory(const PrincipalDirectory& directory, BoundPrincipals& found) : directory_(directory), found_(found) {}
  std::optional<std::string> FindUniqueId(std::string_view arn) const override;

 private:
  const PrincipalDirectory& directory_;
  BoundPrincipals& found_;
};

// When it is read back: they mean whom they meant.
class StoredDirectory final : public PrincipalDirectory {
 public:
  explicit StoredDirectory(const BoundPrincipals& stored) : stored_(stored) {}
  std::optional<std::string> FindUniqueId(std::string_view arn) const override;

 private:
  const BoundPrincipals& stored_;
};

}  // namespace armature::policy
