#include "dax/control/operations/cluster_changes.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/replies.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

using model::ApiResult;

namespace {

size_t NodesOf(const PlaceState& state) {
  size_t count = 0;
  for (const auto& [name, cluster] : state.clusters) count += cluster->nodes.size();
  return count;
}

// "mycluster-a", or the first letter that none of its nodes has.
std::string NewNodeId(const Cluster& cluster) {
  std::string id = cluster.name + "-a";
  while (FindNode(cluster, id)) ++id.back();
  return id;
}

// In their order, each once.
std::vector<std::string> ZonesOf(const PlaceState& state, const Cluster& cluster) {
  std::vector<std::string> zones;
  if (const auto group = Find(state.subnet_groups, cluster.subnet_group))
    for (const Subnet& subnet : group->subnets) zones.push_back(subnet.zone);
  std::ranges::sort(zones);
  zones.erase(std::unique(zones.begin(), zones.end()), zones.end());
  return zones;
}

std::string EmptiestOf(const std::vector<std::string>& zones, const Cluster& cluster) {
  const auto nodes_in = [&](const std::string& zone) { return std::ranges::count(cluster.nodes, zone, &Node::zone); };
  return *std::ranges::min_element(zones, {}, nodes_in);
}

}  // namespace

model::ApiError ClusterNotFound(std::string_view name) {
  return wire::dax::ClusterNotFoundFault(fmt::format(messages::kClusterNotFound, name));
}

ApiResult<std::shared_ptr<const Cluster>> MustFindCluster(const PlaceState& state, std::string_view name) {
  auto cluster = Find(state.clusters, name);
  if (!cluster) return ClusterNotFound(name);
  return cluster;
}

Task<ApiResult<void>> ChangeCluster(const ControlContext& context, std::string_view name, ClusterEdit edit,
                                    std::optional<wire::dax::Cluster>& shown) {
  ClusterBook::Edit change = [&](Draft& draft) -> ApiResult<void> {
    ARMATURE_TRY(const auto found, MustFindCluster(draft.state(), name));
    if (found->status != ClusterStatus::kAvailable)
      return wire::dax::InvalidClusterStateFault(fmt::format(messages::kClusterNotAvailable, name));
    Cluster cluster = *found;
    ARMATURE_CHECK_OK(edit(draft, cluster));
    shown = ShownCluster(draft.place(), cluster);
    draft.Put(std::move(cluster));
    return {};
  };
  co_return co_await context.book.Change(context.place, std::move(change));
}

ApiResult<void> AddNodes(Draft& draft, Cluster& cluster, size_t count, const wire::List<std::string_view>& zones) {
  using wire::dax::InvalidParameterValueException;
  const PlaceState& state = draft.state();
  if (cluster.nodes.size() + count > kMostNodesOfCluster)
    return wire::dax::NodeQuotaForClusterExceededFault(fmt::format(messages::kMostNodesOfCluster, kMostNodesOfCluster));
  if (NodesOf(state) + count > kMostNodesOfCustomer)
    return wire::dax::NodeQuotaForCustomerExceededFault(
        fmt::format(messages::kMostNodesOfCustomer, kMostNodesOfCustomer));
  if (zones && zones.size() != count) return InvalidParameterValueException(fmt::format(messages::kZoneCount, count));
  const std::vector<std::string> known = ZonesOf(state, cluster);
  if (known.empty())  // its record cannot be read
    return wire::dax::SubnetGroupNotFoundFault(fmt::format(messages::kSubnetGroupNotFound, cluster.subnet_group));
  for (const std::string_view zone : zones)
    if (std::ranges::find(known, zone) == known.end())
      return InvalidParameterValueException(fmt::format(messages::kInvalidZone, zone));
  for (size_t i = 0; i < count; ++i) {
    Node node;
    node.id = NewNodeId(cluster);
    node.zone = zones ? std::string(zones[i]) : EmptiestOf(known, cluster);
    node.created_millis = draft.now_millis();
    cluster.nodes.push_back(std::move(node));
    std::ranges::sort(cluster.nodes, {}, &Node::id);
  }
  return {};
}

}  // namespace armature::dax::control
