// Entities as replies have them: what each kind of reply shows, and no more.
//
// Pure. Internal to iam_api/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "iam/entities/entities.h"
#include "iam/state/snapshot.h"
#include "iam/store/usage.h"
#include "wire/query/iam.h"

namespace armature::iam_api {

inline wire::Timestamp TimeOf(int64_t millis) { return {millis}; }

std::vector<wire::iam::Tag> ReplyOf(const iam::Tags& tags);

// As lists show it.
wire::iam::User ReplyOf(const iam::User& user);
// With tags and boundary, if it has any.
wire::iam::User DetailedReplyOf(const iam::User& user);
// Of an account's root, who has no name.
wire::iam::User RootReplyOf(const iam::AccountState& account, std::string_view id);

wire::iam::Group ReplyOf(const iam::Group& group);

// As CreateRole shows it: with tags and boundary, without the rest.
wire::iam::Role NewReplyOf(const iam::Role& role);
// As lists show it.
wire::iam::Role ReplyOf(const iam::Role& role);
// With all there is.
wire::iam::Role DetailedReplyOf(const iam::Role& role, const iam::UsageTable& usage);
wire::iam::RoleLastUsed LastUseOf(const iam::Role& role, const iam::UsageTable& usage);

// As lists show it.
wire::iam::Policy ReplyOf(const iam::ManagedPolicy& policy, const iam::PolicyUse& use);
wire::iam::PolicyVersion ReplyOf(const iam::ManagedPolicy& policy, const iam::PolicyVersion& version);

std::optional<wire::iam::AttachedPermissionsBoundary> BoundaryOf(const iam::Holder& holder);
// By name. A policy that cannot be found is left out.
std::vector<wire::iam::AttachedPolicy> AttachedTo(const iam::Snapshot& state, const iam::Holder& holder,
                                                  std::string_view path_prefix);

}  // namespace armature::iam_api
