// The operations of the control plane, each in the file of its name or family.
//
// Coroutines from a decoded, checked request to a reply that is whole before a byte of it is written. They ask what the
// caller may before they look whether it is there. Listed in control_operations.cc.
#pragma once

#include "base/async.h"
#include "dax/control/control_context.h"
#include "model/api_error.h"
#include "wire/services/dax.h"

namespace armature::dax::control {

using OperationResult = model::ApiResult<void>;

// create_cluster.cc
Task<OperationResult> CreateCluster(const ControlContext& context, const wire::dax::CreateClusterInput& input,
                                    wire::dax::CreateClusterOutput& output);

// describe_clusters.cc
Task<OperationResult> DescribeClusters(const ControlContext& context, const wire::dax::DescribeClustersInput& input,
                                       wire::dax::DescribeClustersOutput& output);

// update_cluster.cc
Task<OperationResult> UpdateCluster(const ControlContext& context, const wire::dax::UpdateClusterInput& input,
                                    wire::dax::UpdateClusterOutput& output);

// delete_cluster.cc
Task<OperationResult> DeleteCluster(const ControlContext& context, const wire::dax::DeleteClusterInput& input,
                                    wire::dax::DeleteClusterOutput& output);

// replication_factor.cc
Task<OperationResult> IncreaseReplicationFactor(const ControlContext& context,
                                                const wire::dax::IncreaseReplicationFactorInput& input,
                                                wire::dax::IncreaseReplicationFactorOutput& output);
Task<OperationResult> DecreaseReplicationFactor(const ControlContext& context,
                                                const wire::dax::DecreaseReplicationFactorInput& input,
                                                wire::dax::DecreaseReplicationFactorOutput& output);

// reboot_node.cc
Task<OperationResult> RebootNode(const ControlContext& context, const wire::dax::RebootNodeInput& input,
                                 wire::dax::RebootNodeOutput& output);

// parameter_groups.cc
Task<OperationResult> CreateParameterGroup(const ControlContext& context,
                                           const wire::dax::CreateParameterGroupInput& input,
                                           wire::dax::CreateParameterGroupOutput& output);
Task<OperationResult> DescribeParameterGroups(const ControlContext& context,
                                              const wire::dax::DescribeParameterGroupsInput& input,
                                              wire::dax::DescribeParameterGroupsOutput& output);
Task<OperationResult> UpdateParameterGroup(const ControlContext& context,
                                           const wire::dax::UpdateParameterGroupInput& input,
                                           wire::dax::UpdateParameterGroupOutput& output);
Task<OperationResult> DeleteParameterGroup(const ControlContext& context,
                                           const wire::dax::DeleteParameterGroupInput& input,
                                           wire::dax::DeleteParameterGroupOutput& output);

// parameters.cc
Task<OperationResult> DescribeParameters(const ControlContext& context, const wire::dax::DescribeParametersInput& input,
                                         wire::dax::DescribeParametersOutput& output);
Task<OperationResult> DescribeDefaultParameters(const ControlContext& context,
                                                const wire::dax::DescribeDefaultParametersInput& input,
                                                wire::dax::DescribeDefaultParametersOutput& output);

// subnet_groups.cc
Task<OperationResult> CreateSubnetGroup(const ControlContext& context, const wire::dax::CreateSubnetGroupInput& input,
                                        wire::dax::CreateSubnetGroupOutput& output);
Task<OperationResult> DescribeSubnetGroups(const ControlContext& context,
                                           const wire::dax::DescribeSubnetGroupsInput& input,
                                           wire::dax::DescribeSubnetGroupsOutput& output);
Task<OperationResult> UpdateSubnetGroup(const ControlContext& context, const wire::dax::UpdateSubnetGroupInput& input,
                                        wire::dax::UpdateSubnetGroupOutput& output);
Task<OperationResult> DeleteSubnetGroup(const ControlContext& context, const wire::dax::DeleteSubnetGroupInput& input,
                                        wire::dax::DeleteSubnetGroupOutput& output);

// events.cc
Task<OperationResult> DescribeEvents(const ControlContext& context, const wire::dax::DescribeEventsInput& input,
                                     wire::dax::DescribeEventsOutput& output);

// tags.cc
Task<OperationResult> ListTags(const ControlContext& context, const wire::dax::ListTagsInput& input,
                               wire::dax::ListTagsOutput& output);
Task<OperationResult> TagResource(const ControlContext& context, const wire::dax::TagResourceInput& input,
                                  wire::dax::TagResourceOutput& output);
Task<OperationResult> UntagResource(const ControlContext& context, const wire::dax::UntagResourceInput& input,
                                    wire::dax::UntagResourceOutput& output);

}  // namespace armature::dax::control
