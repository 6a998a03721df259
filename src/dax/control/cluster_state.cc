#include "dax/control/cluster_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/names/arn.h"

namespace armature::dax::control {

std::string_view NameOf(ClusterStatus status) {
  switch (status) {
    case ClusterStatus::kCreating: return "creating";
    case ClusterStatus::kAvailable: return "available";
    case ClusterStatus::kModifying: return "modifying";
    case ClusterStatus::kDeleting: return "deleting";
    case ClusterStatus::kIncompatibleNetwork: break;
  }
  return "incompatible-network";
}

std::string_view NameOf(NodeStatus status) {
  switch (status) {
    case NodeStatus::kCreating: return "creating";
    case NodeStatus::kAvailable: return "available";
    case NodeStatus::kRebooting: return "rebooting";
    case NodeStatus::kDeleting: return "deleting";
    case NodeStatus::kIncompatibleNetwork: break;
  }
  return "incompatible-network";
}

std::string_view NameOf(SourceType type) {
  switch (type) {
    case SourceType::kCluster: return "CLUSTER";
    case SourceType::kParameterGroup: return "PARAMETER_GROUP";
    case SourceType::kSubnetGroup: break;
  }
  return "SUBNET_GROUP";
}

PlaceState NewPlace(const Place& place) {
  auto parameters = std::make_shared<ParameterGroup>();
  parameters->name = kDefaultParameterGroup;
  parameters->description = "Default parameter group for dax1.0";
  auto subnets = std::make_shared<SubnetGroup>();
  subnets->name = kDefaultSubnetGroup;
  subnets->description = "Default subnet group";
  for (size_t i = 0; i < kZones; ++i) subnets->subnets.push_back({fmt::format("subnet-{:08x}", i), ZoneName(place, i)});
  PlaceState state;
  state.parameter_groups.emplace(kDefaultParameterGroup, std::move(parameters));
  state.subnet_groups.emplace(kDefaultSubnetGroup, std::move(subnets));
  return state;
}

const Node* FindNode(const Cluster& cluster, std::string_view id) {
  const auto found = std::ranges::find(cluster.nodes, id, &Node::id);
  return found == cluster.nodes.end() ? nullptr : &*found;
}

std::string ArnOf(const Place& place, std::string_view cluster) {
  return model::MakeArn("dax", place.region, place.account, fmt::format("cache/{}", cluster));
}

std::string ZoneName(const Place& place, size_t number) {
  return fmt::format("{}{}", place.region, static_cast<char>('a' + number % kZones));
}

}  // namespace armature::dax::control
