// IncreaseReplicationFactor and DecreaseReplicationFactor: nodes come and go.
#include <algorithm>

#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/operations/cluster_changes.h"
#include "dax/control/operations/operations.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

namespace {

using model::ApiResult;
using wire::dax::DecreaseReplicationFactorInput;
using wire::dax::InvalidParameterValueException;

// The nodes that are named.
ApiResult<std::vector<std::string>> NodesNamed(const Cluster& cluster, const wire::List<std::string_view>& ids,
                                               size_t count) {
  std::vector<std::string> nodes;
  for (const std::string_view given : ids) {
    const std::string id = LowerCase(given);
    if (!FindNode(cluster, id))
      return wire::dax::NodeNotFoundFault(fmt::format(messages::kNodeNotFound, id, cluster.name));
    if (std::ranges::find(nodes, id) == nodes.end()) nodes.push_back(id);
  }
  if (nodes.size() != count) return InvalidParameterValueException(fmt::format(messages::kNodeCount, count));
  return nodes;
}

// Of nodes that nobody chose those go whose ids are last: the leader, by whose address clients begin, stays.
ApiResult<std::vector<std::string>> LastNodes(const Cluster& cluster, const wire::List<std::string_view>& zones,
                                              size_t count) {
  if (zones && zones.size() != count) return InvalidParameterValueException(fmt::format(messages::kZoneCount, count));
  std::vector<std::string> nodes;
  for (size_t i = 0; i < count; ++i) {
    const auto may_go = [&](const Node& node) {
      return (!zones || node.zone == zones[i]) && std::ranges::find(nodes, node.id) == nodes.end();
    };
    const auto last = std::find_if(cluster.nodes.rbegin(), cluster.nodes.rend(), may_go);
    if (last == cluster.nodes.rend())
      return InvalidParameterValueException(fmt::format(messages::kInvalidZone, zones[i]));
    nodes.push_back(last->id);
  }
  return nodes;
}

ApiResult<void> RemoveNodes(const DecreaseReplicationFactorInput& input, Draft& draft, Cluster& cluster) {
  const int64_t before = static_cast<int64_t>(cluster.nodes.size());
  const int64_t after = *input.NewReplicationFactor;
  if (after < 1) return InvalidParameterValueException(std::string(messages::kInvalidReplicationFactor));
  if (after >= before) return InvalidParameterValueException(fmt::format(messages::kMustBeFewer, before));
  if (input.NodeIdsToRemove && input.AvailabilityZones)
    return wire::dax::InvalidParameterCombinationException(std::string(messages::kNodesOrZones));
  const auto count = static_cast<size_t>(before - after);
  ARMATURE_TRY(const auto leaving, input.NodeIdsToRemove ? NodesNamed(cluster, input.NodeIdsToRemove, count)
                                                         : LastNodes(cluster, input.AvailabilityZones, count));
  for (Node& node : cluster.nodes) {
    if (std::ranges::find(leaving, node.id) == leaving.end()) continue;
    node.status = NodeStatus::kDeleting;
    draft.Tell(SourceType::kCluster, cluster.name, fmt::format(messages::kEventNodeRemoved, node.id));
  }
  return {};
}

}  // namespace

Task<OperationResult> IncreaseReplicationFactor(const ControlContext& context,
                                                const wire::dax::IncreaseReplicationFactorInput& input,
                                                wire::dax::IncreaseReplicationFactorOutput& output) {
  const std::string name = LowerCase(*input.ClusterName);
  ARMATURE_CO_CHECK_OK(AuthorizeCluster(context, name));
  ClusterEdit edit = [&](Draft& draft, Cluster& cluster) -> ApiResult<void> {
    const auto before = static_cast<int64_t>(cluster.nodes.size());
    if (*input.NewReplicationFactor <= before)
      return InvalidParameterValueException(fmt::format(messages::kMustBeMore, before));
    // Compared first, so that no number is too large.
    const int64_t wanted = std::min(*input.NewReplicationFactor, static_cast<int64_t>(kMostNodesOfCluster) + 1);
    ARMATURE_CHECK_OK(AddNodes(draft, cluster, static_cast<size_t>(wanted - before), input.AvailabilityZones));
    for (const Node& node : cluster.nodes)
      if (node.status == NodeStatus::kCreating)
        draft.Tell(SourceType::kCluster, cluster.name, fmt::format(messages::kEventNodeAdded, node.id));
    cluster.status = ClusterStatus::kModifying;
    cluster.due_millis = draft.due_millis();
    return {};
  };
  co_return co_await ChangeCluster(context, name, std::move(edit), output.Cluster);
}

Task<OperationResult> DecreaseReplicationFactor(const ControlContext& context,
                                                const DecreaseReplicationFactorInput& input,
                                                wire::dax::DecreaseReplicationFactorOutput& output) {
  const std::string name = LowerCase(*input.ClusterName);
  ARMATURE_CO_CHECK_OK(AuthorizeCluster(context, name));
  ClusterEdit edit = [&](Draft& draft, Cluster& cluster) -> ApiResult<void> {
    ARMATURE_CHECK_OK(RemoveNodes(input, draft, cluster));
    cluster.status = ClusterStatus::kModifying;
    cluster.due_millis = draft.due_millis();
    return {};
  };
  co_return co_await ChangeCluster(context, name, std::move(edit), output.Cluster);
}

}  // namespace armature::dax::control
