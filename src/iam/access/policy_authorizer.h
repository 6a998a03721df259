// PolicyAuthorizer: IAM's answer to whether a principal may do an Access of DynamoDB's.
//
// The condition keys that are costly to make (LeadingKeys, Attributes, tags) are made when a statement that otherwise
// matches asks for one, once per access. Decisions are not kept: nearly every policy worth the check has a condition on
// what differs between two requests. Thread-safe, never blocks. Used by server/.
#pragma once

#include <memory>

#include "auth/authorizer.h"
#include "policy/policy.h"

namespace armature::iam {

// Where policies of tables and streams are kept.
class ResourcePolicies {
 public:
  virtual ~ResourcePolicies() = default;
  // Null if it has none, or is not there. Never blocks.
  virtual std::shared_ptr<const policy::Policy> Find(const auth::Resource& resource) const = 0;
};

class PolicyAuthorizer final : public auth::Authorizer {
 public:
  // Null: there are none.
  explicit PolicyAuthorizer(const ResourcePolicies* resource_policies) : resource_policies_(resource_policies) {}

  model::ApiResult<void> Authorize(const auth::Principal& principal, const auth::Access& access) const override;

 private:
  // The one that has a say in this access; null: none.
  std::shared_ptr<const policy::Policy> FindPolicy(const auth::Principal& principal, const auth::Access& access) const;

  const ResourcePolicies* const resource_policies_;
};

}  // namespace armature::iam
