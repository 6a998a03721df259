// RebootNode: one node ends and begins again with empty caches; the cluster stays available.
#include <algorithm>

#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/operations/cluster_changes.h"
#include "dax/control/operations/operations.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

using model::ApiResult;

Task<OperationResult> RebootNode(const ControlContext& context, const wire::dax::RebootNodeInput& input,
                                 wire::dax::RebootNodeOutput& output) {
  const std::string name = LowerCase(*input.ClusterName);
  const std::string id = LowerCase(*input.NodeId);
  ARMATURE_CO_CHECK_OK(AuthorizeCluster(context, name));
  ClusterEdit edit = [&](Draft& draft, Cluster& cluster) -> ApiResult<void> {
    const auto node = std::ranges::find(cluster.nodes, id, &Node::id);
    if (node == cluster.nodes.end())
      return wire::dax::NodeNotFoundFault(fmt::format(messages::kNodeNotFound, id, name));
    node->status = NodeStatus::kRebooting;
    cluster.due_millis = draft.due_millis();
    draft.Tell(SourceType::kCluster, name, fmt::format(messages::kEventNodeRebooted, id));
    return {};
  };
  co_return co_await ChangeCluster(context, name, std::move(edit), output.Cluster);
}

}  // namespace armature::dax::control
