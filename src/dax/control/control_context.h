// ControlContext: what every operation of the control plane is given besides its request.
//
// Made by the front for one request, on one reactor; views into the request and its connection. Asks the Authorizer
// for what the operation is about to do, and tells the audit's witness; without an Authorizer everybody may do
// everything.
#pragma once

#include <string_view>

#include "auth/access.h"
#include "auth/access_witness.h"
#include "auth/authorizer.h"
#include "auth/principal.h"
#include "dax/control/cluster_book.h"
#include "model/api_error.h"
#include "wire/services/dax.h"

namespace armature::dax::control {

struct ControlContext {
  ClusterBook& book;
  const auth::Principal& caller;
  const auth::Authorizer* authorizer = nullptr;
  auth::AccessWitness* witness = nullptr;
  const auth::Circumstances& circumstances;
  Place place;                  // the caller's account, in the Region that his signature is scoped to
  std::string_view iam_action;  // "dax:CreateCluster"

  std::shared_ptr<const PlaceState> state() const { return book.Current(place); }
};

// Of a request that tags, or takes tags away: their keys and values count in policies.
struct TagsAsked {
  const wire::List<wire::dax::TagInput>* tags = nullptr;
  const wire::List<std::string_view>* keys = nullptr;
};

// Whether the caller may do the operation to a cluster, be it there or not; "*": to all of them.
model::ApiResult<void> AuthorizeCluster(const ControlContext& context, std::string_view name,
                                        const TagsAsked& asked = {});
// … which is about no cluster.
model::ApiResult<void> AuthorizeAnywhere(const ControlContext& context);
// Whether he may let DAX act as the role: who could give away a role that is not his could read with it what he may
// not.
model::ApiResult<void> AuthorizeRole(const ControlContext& context, std::string_view role_arn);

}  // namespace armature::dax::control
