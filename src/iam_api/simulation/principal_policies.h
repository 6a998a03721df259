// PrincipalPolicies: all policies of a user, group or role, with where each comes from.
//
// For calls that show policies at work (simulations, context keys); requests are decided by iam/access. Internal to
// iam_api/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "iam/entities/entities.h"
#include "iam_api/call.h"

namespace armature::iam_api {

struct SourcedPolicy {
  iam::DocumentRef document;
  std::string name;
  std::string arn{};  // of a managed one; empty: it stands inside its holder
  std::string holder;
  std::string holder_kind;  // "user", "group", "role"

  // As simulations name it.
  std::string SourceId() const { return arn.empty() ? fmt::format("{}_{}_{}", holder_kind, holder, name) : name; }
};

struct PrincipalPolicies {
  std::vector<SourcedPolicy> policies{};
  iam::DocumentRef boundary{};  // null: none
  std::string id{};
  std::string user_arn{};  // of a user; else empty
  std::string user_name{};
};

// By the ARN of a user (whose groups count), a group or a role of the caller's account. NoSuchEntity, InvalidInput.
model::ApiResult<PrincipalPolicies> PoliciesOf(const Call& call, std::string_view arn);

}  // namespace armature::iam_api
