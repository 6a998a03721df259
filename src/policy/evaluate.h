// Evaluate: whether a request is allowed, by all policies that have a say.
//
// The rules are AWS's. A Deny that matches, in whichever policy, ends it. A root user may do everything in its own
// account. Else identity policies must allow, and within them the permissions boundary and the session's policies, if
// there are any. In its own account a principal that a resource policy names needs less of these; how much less depends
// on how it is named. Across accounts both sides must allow. A role's trust policy is the resource policy of
// AssumeRole, and must allow even within one account. Who stands outside accounts (services, web identities) needs the
// resource policy only. Pure, thread-safe, without allocations in the ordinary case. Called by whoever authorises
// requests.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "policy/context.h"
#include "policy/policy.h"

namespace armature::policy {

using PolicyList = std::span<const std::shared_ptr<const Policy>>;

// The policies that have a say in a request. Views: good for one evaluation.
struct ApplicablePolicies {
  PolicyList identity{};             // a user's own and those of its groups; a role's
  const Policy* boundary = nullptr;  // null: none
  PolicyList session{};  // what the session was given. A federated user's session without any may do nothing
  const Policy* resource = nullptr;  // of the table or stream, or the trust policy; null: none
};

enum class PolicyType : uint8_t { kIdentity, kBoundary, kSession, kResource, kTrust };

struct Decision {
  enum class Outcome : uint8_t { kAllowed, kImplicitDeny, kExplicitDeny };

  Outcome outcome = Outcome::kImplicitDeny;
  PolicyType type = PolicyType::kIdentity;  // of a denial: the policies that are to be named for it

  bool allowed() const { return outcome == Outcome::kAllowed; }
};

Decision Evaluate(const Request& request, const ApplicablePolicies& policies);

// "identity-based policy", "permissions boundary", …: as denials name them.
std::string_view PolicyTypeName(PolicyType type);

// What the caller is told: "User: … is not authorized to perform: … on resource: … because no identity-based policy
// allows the … action". REQUIRES: the decision is a denial.
std::string DenialText(const Request& request, const Decision& decision);

}  // namespace armature::policy
