// ClusterRole: on whose behalf the nodes of a DAX cluster touch tables.
//
// The cluster's IAM role, as it is at each moment: a policy that is taken from it holds from the next request on, and
// without the role nothing is allowed. While nobody is verified, and for a cluster that was given no role (that of
// `serve --dax-port`), it is the account itself, to which no policy applies. Thread-safe. Asked by LocalBackend.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "auth/identity.h"
#include "base/mutex.h"
#include "iam/state/snapshot.h"
#include "server/parts/gate.h"

namespace armature::server {

struct OnBehalf {
  std::shared_ptr<const auth::Identity> identity;  // null: nobody, because the role is gone
  bool is_unproven = false;                        // no policy is asked
};

class ClusterRole {
 public:
  // An empty ARN: no role. The gate must outlive it.
  ClusterRole(const Gate& gate, std::string role_arn) : gate_(gate), role_arn_(std::move(role_arn)) {}

  OnBehalf Now(std::string_view account);

 private:
  const Gate& gate_;
  const std::string role_arn_;
  Mutex mutex_;
  std::shared_ptr<const iam::Snapshot> state_ ARMATURE_GUARDED_BY(mutex_);  // of which `identity_` was made
  std::shared_ptr<const auth::Identity> identity_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::server
