#include "policy/bound_principals.h"

namespace armature::policy {

std::optional<std::string> NotingDirectory::FindUniqueId(std::string_view arn) const {
  auto id = directory_.FindUniqueId(arn);
  if (id) found_[std::string(arn)] = *id;
  return id;
}

std::optional<std::string> StoredDirectory::FindUniqueId(std::string_view arn) const {
  const auto found = stored_.find(arn);
  return found == stored_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace armature::policy
