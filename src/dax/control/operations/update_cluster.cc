// UpdateCluster: what of a cluster may be changed while it runs. Another parameter group is told to the nodes at once.
#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/operations/cluster_changes.h"
#include "dax/control/operations/operations.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

namespace {

using model::ApiResult;
using wire::dax::UpdateClusterInput;

bool ChangesNothing(const UpdateClusterInput& input) {
  return !input.Description && !input.NotificationTopicArn && !input.NotificationTopicStatus &&
         !input.ParameterGroupName && !input.PreferredMaintenanceWindow && !input.SecurityGroupIds;
}

ApiResult<void> UpdateTopic(const UpdateClusterInput& input, Cluster& cluster) {
  if (input.NotificationTopicArn) {
    ARMATURE_CHECK_OK(CheckTopicArn(*input.NotificationTopicArn));
    cluster.topic_arn = *input.NotificationTopicArn;
    cluster.is_topic_active = true;
  }
  if (!input.NotificationTopicStatus) return {};
  ARMATURE_TRY(cluster.is_topic_active, ReadTopicStatus(*input.NotificationTopicStatus));
  if (cluster.topic_arn.empty())
    return wire::dax::InvalidParameterCombinationException(std::string(messages::kNoTopic));
  return {};
}

ApiResult<void> UpdateParameterGroupOf(const Draft& draft, std::string_view name, Cluster& cluster) {
  const std::string group = LowerCase(name);
  if (!Find(draft.state().parameter_groups, group))
    return wire::dax::ParameterGroupNotFoundFault(fmt::format(messages::kParameterGroupNotFound, group));
  cluster.applies_parameters |= group != cluster.parameter_group;
  cluster.parameter_group = group;
  return {};
}

}  // namespace

Task<OperationResult> UpdateCluster(const ControlContext& context, const UpdateClusterInput& input,
                                    wire::dax::UpdateClusterOutput& output) {
  const std::string name = LowerCase(*input.ClusterName);
  ARMATURE_CO_CHECK_OK(AuthorizeCluster(context, name));
  if (ChangesNothing(input))
    co_return wire::dax::InvalidParameterCombinationException(std::string(messages::kNothingToUpdate));
  ClusterEdit edit = [&](Draft& draft, Cluster& cluster) -> ApiResult<void> {
    if (input.Description) cluster.description = *input.Description;
    if (input.PreferredMaintenanceWindow) {
      ARMATURE_TRY(cluster.maintenance_window, CheckMaintenanceWindow(*input.PreferredMaintenanceWindow));
    }
    ARMATURE_CHECK_OK(UpdateTopic(input, cluster));
    if (input.ParameterGroupName) ARMATURE_CHECK_OK(UpdateParameterGroupOf(draft, *input.ParameterGroupName, cluster));
    if (input.SecurityGroupIds) {
      cluster.security_groups.clear();
      for (const std::string_view id : input.SecurityGroupIds) cluster.security_groups.emplace_back(id);
    }
    cluster.status = ClusterStatus::kModifying;
    cluster.due_millis = draft.due_millis();
    return {};
  };
  co_return co_await ChangeCluster(context, name, std::move(edit), output.Cluster);
}

}  // namespace armature::dax::control
