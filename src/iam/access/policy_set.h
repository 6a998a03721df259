// IamPolicySet: the compiled policies that decide about an identity, gathered when the identity is made.
//
// Of a user his own, inside him and attached, and those of his groups; of a role's session the role's; within these the
// boundary, and what the session was given. A policy or a group that should be there and is not (its record could not
// be read) makes the set broken: a Deny in it may be lost, so nothing is allowed. Immutable; lives in auth::Identity.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/identity.h"
#include "iam/entities/entities.h"
#include "iam/sessions/session.h"
#include "iam/state/snapshot.h"
#include "policy/policy.h"

namespace armature::iam {

struct IamPolicySet final : auth::PolicySet {
  std::vector<std::shared_ptr<const policy::Policy>> identity;
  std::vector<std::string> identity_names;         // of each of them
  std::shared_ptr<const policy::Policy> boundary;  // null: none
  std::vector<std::shared_ptr<const policy::Policy>> session;
  bool is_broken = false;

  void AddUser(const Snapshot& state, const User& user);
  void AddRole(const Snapshot& state, const Role& role);
  void AddSession(const Snapshot& state, const Session& session);

 private:
  void AddHolder(const Snapshot& state, const Holder& holder, std::string_view arn);
  void SetBoundary(const Snapshot& state, const Holder& holder);
};

}  // namespace armature::iam
