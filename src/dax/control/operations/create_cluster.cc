// CreateCluster: a cluster as it shall be; its nodes are started when it is in the book.
#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/operations/cluster_changes.h"
#include "dax/control/operations/operations.h"
#include "dax/control/replies.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

namespace {

using model::ApiResult;
using wire::dax::CreateClusterInput;

constexpr std::string_view kDefaultWindow = "sun:05:00-sun:06:00";
constexpr std::string_view kDefaultSecurityGroup = "sg-00000000";
constexpr std::string_view kDefaultNetworkType = "ipv4";

// What can be said of the request by itself.
ApiResult<Cluster> ReadCluster(const CreateClusterInput& input, const Place& place) {
  Cluster cluster;
  ARMATURE_TRY(cluster.name, CheckClusterName(*input.ClusterName));
  ARMATURE_CHECK_OK(CheckNodeType(*input.NodeType));
  ARMATURE_CHECK_OK(CheckRoleArn(*input.IamRoleArn, place.account));
  ARMATURE_TRY(cluster.maintenance_window,
               CheckMaintenanceWindow(input.PreferredMaintenanceWindow.value_or(kDefaultWindow)));
  if (input.NotificationTopicArn) ARMATURE_CHECK_OK(CheckTopicArn(*input.NotificationTopicArn));
  if (*input.ReplicationFactor < 1)
    return wire::dax::InvalidParameterValueException(std::string(messages::kInvalidReplicationFactor));
  ARMATURE_CHECK_OK(CheckTags(input.Tags));
  if (input.Tags.size() > kMostTags)
    return wire::dax::TagQuotaPerResourceExceeded(fmt::format(messages::kMostTags, kMostTags));
  cluster.network_type = input.NetworkType.value_or(kDefaultNetworkType);
  if (cluster.network_type != kDefaultNetworkType)
    return wire::dax::InvalidParameterValueException(fmt::format(messages::kInvalidNetworkType, cluster.network_type));

  cluster.description = input.Description.value_or({});
  cluster.node_type = *input.NodeType;
  cluster.role_arn = *input.IamRoleArn;
  cluster.subnet_group = LowerCase(input.SubnetGroupName.value_or(kDefaultSubnetGroup));
  cluster.parameter_group = LowerCase(input.ParameterGroupName.value_or(kDefaultParameterGroup));
  cluster.topic_arn = input.NotificationTopicArn.value_or({});
  cluster.is_encrypted = input.ClusterEndpointEncryptionType.value_or("NONE") == "TLS";
  cluster.has_sse = input.SSESpecification && input.SSESpecification->Enabled.value_or(false);
  for (const std::string_view id : input.SecurityGroupIds) cluster.security_groups.emplace_back(id);
  if (cluster.security_groups.empty()) cluster.security_groups.emplace_back(kDefaultSecurityGroup);
  for (const wire::dax::TagInput& tag : input.Tags) cluster.tags.emplace(*tag.Key, tag.Value.value_or({}));
  return cluster;
}

ApiResult<void> CheckReferences(const PlaceState& state, const Cluster& cluster) {
  if (Find(state.clusters, cluster.name))
    return wire::dax::ClusterAlreadyExistsFault(fmt::format(messages::kClusterExists, cluster.name));
  if (!Find(state.subnet_groups, cluster.subnet_group))
    return wire::dax::SubnetGroupNotFoundFault(fmt::format(messages::kSubnetGroupNotFound, cluster.subnet_group));
  if (!Find(state.parameter_groups, cluster.parameter_group))
    return wire::dax::ParameterGroupNotFoundFault(
        fmt::format(messages::kParameterGroupNotFound, cluster.parameter_group));
  return {};
}

}  // namespace

Task<OperationResult> CreateCluster(const ControlContext& context, const CreateClusterInput& input,
                                    wire::dax::CreateClusterOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeCluster(context, LowerCase(*input.ClusterName), {.tags = &input.Tags}));
  ARMATURE_CO_TRY(const Cluster wanted, ReadCluster(input, context.place));
  ARMATURE_CO_CHECK_OK(AuthorizeRole(context, wanted.role_arn));
  // Who may not give the role away does not learn whether it is there.
  if (!context.book.may_act_as(wanted.role_arn, ArnOf(context.place, wanted.name)))
    co_return wire::dax::InvalidParameterValueException(fmt::format(messages::kNoTrust, wanted.role_arn));
  if (wanted.is_encrypted && !context.book.can_encrypt())
    co_return wire::dax::InvalidParameterValueException(std::string(messages::kNoCertificate));
  ClusterBook::Edit edit = [&](Draft& draft) -> ApiResult<void> {
    ARMATURE_CHECK_OK(CheckReferences(draft.state(), wanted));
    Cluster cluster = wanted;
    ARMATURE_CHECK_OK(AddNodes(draft, cluster, static_cast<size_t>(*input.ReplicationFactor), input.AvailabilityZones));
    cluster.due_millis = draft.due_millis();
    output.Cluster = ShownCluster(draft.place(), cluster);
    draft.Put(std::move(cluster));
    return {};
  };
  co_return co_await context.book.Change(context.place, std::move(edit));
}

}  // namespace armature::dax::control
