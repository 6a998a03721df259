#include "dax/control/replies.h"

#include <algorithm>

#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

namespace {

constexpr std::string_view kVpc = "vpc-00000000";
constexpr std::string_view kApplying = "applying";
constexpr std::string_view kInSync = "in-sync";

std::string_view ApplyStatus(const Cluster& cluster) { return cluster.applies_parameters ? kApplying : kInSync; }

wire::dax::Endpoint ShownEndpoint(const Cluster& cluster, const NodeAddress& address) {
  wire::dax::Endpoint endpoint;
  endpoint.Address = address.host;
  endpoint.Port = address.port;
  endpoint.URL = fmt::format("{}://{}:{}", cluster.is_encrypted ? "daxs" : "dax", address.host, address.port);
  return endpoint;
}

wire::dax::Node ShownNode(const Cluster& cluster, const Node& node) {
  wire::dax::Node shown;
  shown.NodeId = node.id;
  shown.AvailabilityZone = node.zone;
  shown.NodeCreateTime = wire::Timestamp{node.created_millis};
  shown.NodeStatus = NameOf(node.status);
  shown.ParameterGroupStatus = ApplyStatus(cluster);
  if (node.address.port) {
    shown.Endpoint = ShownEndpoint(cluster, node.address);
    shown.Endpoint->URL.reset();  // only the cluster's has one
  }
  return shown;
}

wire::dax::Parameter ShownParameter(std::string_view name, int64_t value, std::string_view description) {
  wire::dax::Parameter parameter;
  parameter.ParameterName = name;
  parameter.ParameterType = "DEFAULT";
  parameter.ParameterValue = std::to_string(value);
  parameter.NodeTypeSpecificValues.emplace();
  parameter.Description = description;
  parameter.Source = "user";
  parameter.DataType = "integer";
  parameter.AllowedValues = "0-";
  parameter.IsModifiable = "TRUE";
  parameter.ChangeType = "IMMEDIATE";
  return parameter;
}

}  // namespace

wire::dax::Cluster ShownCluster(const Place& place, const Cluster& cluster) {
  wire::dax::Cluster shown;
  shown.ClusterName = cluster.name;
  if (!cluster.description.empty()) shown.Description = cluster.description;
  shown.ClusterArn = ArnOf(place, cluster.name);
  shown.Status = NameOf(cluster.status);
  shown.NodeType = cluster.node_type;
  shown.IamRoleArn = cluster.role_arn;
  shown.SubnetGroup = cluster.subnet_group;
  shown.PreferredMaintenanceWindow = cluster.maintenance_window;
  shown.NetworkType = cluster.network_type;
  shown.ClusterEndpointEncryptionType = cluster.is_encrypted ? "TLS" : "NONE";
  shown.SSEDescription.emplace().Status = cluster.has_sse ? "ENABLED" : "DISABLED";
  if (!cluster.topic_arn.empty()) {
    auto& notification = shown.NotificationConfiguration.emplace();
    notification.TopicArn = cluster.topic_arn;
    notification.TopicStatus = cluster.is_topic_active ? "active" : "inactive";
  }
  auto& groups = shown.SecurityGroups.emplace();
  for (const std::string& id : cluster.security_groups) {
    auto& group = groups.emplace_back();
    group.SecurityGroupIdentifier = id;
    group.Status = "active";
  }
  auto& parameters = shown.ParameterGroup.emplace();
  parameters.ParameterGroupName = cluster.parameter_group;
  parameters.ParameterApplyStatus = ApplyStatus(cluster);
  parameters.NodeIdsToReboot.emplace();

  auto& nodes = shown.Nodes.emplace();
  int64_t active = 0;
  for (const Node& node : cluster.nodes) {
    nodes.push_back(ShownNode(cluster, node));
    if (node.status == NodeStatus::kAvailable || node.status == NodeStatus::kRebooting) ++active;
    if (node.status != NodeStatus::kDeleting) continue;
    if (!shown.NodeIdsToRemove) shown.NodeIdsToRemove.emplace();
    shown.NodeIdsToRemove->push_back(node.id);
  }
  shown.TotalNodes = static_cast<int64_t>(cluster.nodes.size());
  shown.ActiveNodes = active;
  // Where clients begin: the leader's, as soon as there is one.
  const auto first = std::ranges::find_if(cluster.nodes, [](const Node& node) { return node.address.port != 0; });
  if (first != cluster.nodes.end()) shown.ClusterDiscoveryEndpoint = ShownEndpoint(cluster, first->address);
  return shown;
}

wire::dax::ParameterGroup ShownParameterGroup(const ParameterGroup& group) {
  wire::dax::ParameterGroup shown;
  shown.ParameterGroupName = group.name;
  shown.Description = group.description;
  return shown;
}

std::vector<wire::dax::Parameter> ShownParameters(const ParameterValues& values) {
  return {ShownParameter(kQueryTtl, values.query_ttl_millis, messages::kQueryTtlDescription),
          ShownParameter(kRecordTtl, values.record_ttl_millis, messages::kRecordTtlDescription)};
}

wire::dax::SubnetGroup ShownSubnetGroup(const SubnetGroup& group) {
  wire::dax::SubnetGroup shown;
  shown.SubnetGroupName = group.name;
  if (!group.description.empty()) shown.Description = group.description;
  shown.VpcId = kVpc;
  shown.SupportedNetworkTypes.emplace().emplace_back("ipv4");
  auto& subnets = shown.Subnets.emplace();
  for (const Subnet& subnet : group.subnets) {
    auto& one = subnets.emplace_back();
    one.SubnetIdentifier = subnet.id;
    one.SubnetAvailabilityZone = subnet.zone;
    one.SupportedNetworkTypes.emplace().emplace_back("ipv4");
  }
  return shown;
}

wire::dax::Event ShownEvent(const Event& event) {
  wire::dax::Event shown;
  shown.SourceName = event.source_name;
  shown.SourceType = NameOf(event.source_type);
  shown.Message = event.message;
  shown.Date = wire::Timestamp{event.at_millis};
  return shown;
}

std::vector<wire::dax::Tag> ShownTags(const Cluster& cluster) {
  std::vector<wire::dax::Tag> shown;
  for (const auto& [key, value] : cluster.tags) {
    auto& tag = shown.emplace_back();
    tag.Key = key;
    tag.Value = value;
  }
  return shown;
}

}  // namespace armature::dax::control
