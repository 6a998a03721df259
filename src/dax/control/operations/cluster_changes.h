// What the operations that change a cluster have in common: finding it, whether it may be changed, and its nodes.
//
// Runs inside a change of the ClusterBook, alone with the state. Used by the operations.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/async.h"
#include "dax/control/control_context.h"
#include "model/api_error.h"
#include "wire/services/dax.h"

namespace armature::dax::control {

model::ApiError ClusterNotFound(std::string_view name);
model::ApiResult<std::shared_ptr<const Cluster>> MustFindCluster(const PlaceState& state, std::string_view name);

// Changes a cluster that is available; `shown` is how it is then.
using ClusterEdit = std::function<model::ApiResult<void>(Draft& draft, Cluster& cluster)>;
Task<model::ApiResult<void>> ChangeCluster(const ControlContext& context, std::string_view name, ClusterEdit edit,
                                           std::optional<wire::dax::Cluster>& shown);

// Nodes that are yet to be started: in the zones that are given, one for each, else where there are fewest. Within the
// quotas.
model::ApiResult<void> AddNodes(Draft& draft, Cluster& cluster, size_t count,
                                const wire::List<std::string_view>& zones);

}  // namespace armature::dax::control
