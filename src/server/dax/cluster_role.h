// ClusterRole: on whose behalf the nodes of a DAX cluster touch tables.
//
// The cluster's IAM role, as it is at each moment: a policy that is taken from it holds from the next request on, and
// without the role, or once its trust policy lets DAX act as it no more, nothing is allowed. While nobody is verified,
// and for a cluster that was given no role (that of `serve --dax-port`), it is the account itself, to which no policy
// applies. Thread-safe. Asked by LocalBackend.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "auth/identity.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "iam/state/snapshot.h"
#include "server/parts/gate.h"

namespace armature::server {

struct OnBehalf {
  std::shared_ptr<const auth::Identity> identity;  // null: nobody
  bool is_unproven = false;                        // no policy is asked
  std::string_view why_nobody{};                   // what clients are told then
};

// Whether DAX may act as the role for the cluster of that ARN, as far as the role says. While nobody is verified it
// may, whether the role is there or not.
bool MayActAs(const Gate& gate, const Clock& clock, std::string_view role_arn, std::string_view cluster_arn);

class ClusterRole {
 public:
  // An empty ARN: no role. Gate and clock must outlive it.
  ClusterRole(const Gate& gate, const Clock& clock, std::string role_arn, std::string cluster_arn)
      : gate_(gate), clock_(clock), role_arn_(std::move(role_arn)), cluster_arn_(std::move(cluster_arn)) {}

  OnBehalf Now(std::string_view account);

 private:
  const Gate& gate_;
  const Clock& clock_;
  const std::string role_arn_;
  const std::string cluster_arn_;
  Mutex mutex_;
  std::shared_ptr<const iam::Snapshot> state_ ARMATURE_GUARDED_BY(mutex_);  // of which `identity_` was made
  iam::RoleRef role_ ARMATURE_GUARDED_BY(mutex_);
  std::shared_ptr<const auth::Identity> identity_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::server
