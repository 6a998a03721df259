// Who somebody is: the auth::Identity of a user, a root, or a session, with the policies that bind them.
//
// Made from one snapshot, and right for as long as that is the current one. Pure.
#pragma once

#include <memory>
#include <string_view>

#include "auth/identity.h"
#include "iam/sessions/session.h"
#include "iam/state/snapshot.h"

namespace armature::iam {

std::shared_ptr<const auth::Identity> RootIdentityOf(std::string_view account);
std::shared_ptr<const auth::Identity> IdentityOf(const Snapshot& state, const User& user);
// Null if whoever stands behind it is gone: the role or user deleted (or made anew under the same name), the long-term
// key that asked for the session deleted or inactive.
std::shared_ptr<const auth::Identity> IdentityOf(const Snapshot& state, const Session& session);

}  // namespace armature::iam
