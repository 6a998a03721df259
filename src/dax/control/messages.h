// What clients are told of clusters and groups: texts of errors, events and descriptions.
//
// Constants; those with {} are format strings. As close to AWS's as is known.
#pragma once

#include <string_view>

namespace armature::dax::control::messages {

// --- errors

inline constexpr std::string_view kClusterNotFound = "Cluster {} not found.";
inline constexpr std::string_view kClusterExists = "Cluster {} already exists.";
inline constexpr std::string_view kClusterNotAvailable = "Cluster {} is not in available state.";
inline constexpr std::string_view kClusterBeingDeleted = "Cluster {} is being deleted.";
inline constexpr std::string_view kNodeNotFound = "Node {} not found in cluster {}.";
inline constexpr std::string_view kMostNodesOfCluster = "A cluster can have at most {} nodes.";
inline constexpr std::string_view kMostNodesOfCustomer =
    "The number of nodes would exceed the quota of {} in a Region.";
inline constexpr std::string_view kMostParameterGroups = "The number of parameter groups would exceed the quota of {}.";
inline constexpr std::string_view kMostSubnetGroups = "The number of subnet groups would exceed the quota of {}.";
inline constexpr std::string_view kMostSubnets =
    "The number of subnets in a subnet group would exceed the quota of {}.";
inline constexpr std::string_view kMostTags = "The number of tags would exceed the quota of {} for a resource.";
inline constexpr std::string_view kParameterGroupNotFound = "Parameter group {} not found.";
inline constexpr std::string_view kParameterGroupExists = "Parameter group {} already exists.";
inline constexpr std::string_view kParameterGroupIsDefault =
    "The default parameter group {} cannot be modified or deleted.";
inline constexpr std::string_view kParameterGroupInUse = "Parameter group {} is in use by cluster {}.";
inline constexpr std::string_view kParameterGroupOfSystem = "Names of parameter groups cannot begin with default.";
inline constexpr std::string_view kSubnetGroupNotFound = "Subnet group {} not found.";
inline constexpr std::string_view kSubnetGroupExists = "Subnet group {} already exists.";
inline constexpr std::string_view kSubnetGroupIsDefault = "The default subnet group cannot be deleted.";
inline constexpr std::string_view kSubnetGroupInUse = "Subnet group {} is in use by cluster {}.";
inline constexpr std::string_view kSubnetInUse = "Node {} needs a subnet in {}.";
inline constexpr std::string_view kInvalidSubnet = "The subnet ID '{}' is not valid.";
inline constexpr std::string_view kInvalidArn = "The ARN '{}' is not the ARN of a DAX cluster.";
inline constexpr std::string_view kTagNotFound = "There is no tag with the key {}.";

// Our own: Amazon always has one.
inline constexpr std::string_view kNoCertificate =
    "The server has no certificate, so nodes cannot speak TLS (--tls-cert).";
inline constexpr std::string_view kInvalidClusterName =
    "Cluster ID specified is not a valid identifier. Identifiers must begin with a letter; must contain only ASCII "
    "letters, digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens.";
inline constexpr std::string_view kLongClusterName = "Cluster ID must have at most {} characters.";
inline constexpr std::string_view kInvalidGroupName =
    "The name '{}' is not a valid identifier. Identifiers must begin with a letter, must contain only ASCII letters, "
    "digits, hyphens, and periods, and must have at most {} characters.";
inline constexpr std::string_view kInvalidNodeType = "Invalid node type: {}";
inline constexpr std::string_view kInvalidRoleArn = "The value '{}' is not the ARN of an IAM role.";
inline constexpr std::string_view kForeignRole = "Cross-account pass role is not allowed.";
inline constexpr std::string_view kNoTrust = "No permission to assume role: {}";
inline constexpr std::string_view kInvalidWindow =
    "The maintenance window '{}' must have the form ddd:hh24:mi-ddd:hh24:mi and be at least 60 minutes long.";
inline constexpr std::string_view kInvalidTopicArn = "The value '{}' is not the ARN of an Amazon SNS topic.";
inline constexpr std::string_view kInvalidTopicStatus = "The notification topic status must be active or inactive.";
inline constexpr std::string_view kNoTopic = "The cluster has no notification topic whose status could be changed.";
inline constexpr std::string_view kInvalidZone = "There is no subnet in the Availability Zone {}.";
inline constexpr std::string_view kZoneCount =
    "The number of Availability Zones must be equal to the number of nodes they are for, {}.";
inline constexpr std::string_view kInvalidReplicationFactor = "The replication factor must be at least 1.";
inline constexpr std::string_view kMustBeMore = "The new replication factor must be greater than the current one, {}.";
inline constexpr std::string_view kMustBeFewer = "The new replication factor must be less than the current one, {}.";
inline constexpr std::string_view kNodeCount = "The number of nodes to remove must be {}.";
inline constexpr std::string_view kNodesOrZones = "NodeIdsToRemove and AvailabilityZones cannot be used together.";
inline constexpr std::string_view kNothingToUpdate = "No modifications were requested.";
inline constexpr std::string_view kInvalidNetworkType =
    "The subnets of the subnet group do not support the network type {}.";
inline constexpr std::string_view kInvalidParameterName = "Parameter {} doesn't exist.";
inline constexpr std::string_view kInvalidParameterValue =
    "The parameter {} cannot have the value '{}'. Allowed values: 0-";
inline constexpr std::string_view kNoParameters = "At least one parameter must be given.";
inline constexpr std::string_view kMostParameters = "At most {} parameters can be modified in one request.";
inline constexpr std::string_view kNoSubnets = "At least one subnet must be given.";
inline constexpr std::string_view kInvalidMaxResults = "MaxResults must be between {} and {}.";
inline constexpr std::string_view kInvalidNextToken = "The value of NextToken is not valid.";
inline constexpr std::string_view kInvalidDuration = "The duration must be a number of minutes greater than 0.";
inline constexpr std::string_view kStartAfterEnd = "StartTime must be before EndTime.";
inline constexpr std::string_view kDurationAndTimes = "Duration cannot be used together with StartTime and EndTime.";
inline constexpr std::string_view kSourceWithoutType = "SourceName needs a SourceType.";
inline constexpr std::string_view kNoTags = "At least one tag must be given.";
inline constexpr std::string_view kInvalidTagKey = "Tag keys must have between 1 and 128 characters.";
inline constexpr std::string_view kInvalidTagValue = "Tag values must have at most 256 characters.";
inline constexpr std::string_view kTagOfSystem = "Tag keys cannot begin with aws:.";
inline constexpr std::string_view kRepeatedTag = "The tag key {} is given twice.";

// --- replies

inline constexpr std::string_view kParameterGroupDeleted = "Parameter group {} has been deleted.";
inline constexpr std::string_view kSubnetGroupDeleted = "Subnet group {} has been deleted.";
inline constexpr std::string_view kRecordTtlDescription =
    "Milliseconds for which items are answered from the cache; 0: without end";
inline constexpr std::string_view kQueryTtlDescription =
    "Milliseconds for which results of queries and scans are answered from the cache";

// --- events

inline constexpr std::string_view kEventClusterCreated = "Cluster created.";
inline constexpr std::string_view kEventClusterModified = "Cluster is available; changes were applied.";
inline constexpr std::string_view kEventClusterDeleted = "Cluster deleted.";
inline constexpr std::string_view kEventNodeCannotStart = "A node of the cluster cannot be started.";
inline constexpr std::string_view kEventNodeAdded = "Adding node {}.";
inline constexpr std::string_view kEventNodeRemoved = "Removing node {}.";
inline constexpr std::string_view kEventNodeRebooted = "Rebooting node {}.";
inline constexpr std::string_view kEventParameterGroupCreated = "Parameter group created.";
inline constexpr std::string_view kEventParameterGroupModified = "Parameter {} set to {}.";
inline constexpr std::string_view kEventParameterGroupDeleted = "Parameter group deleted.";
inline constexpr std::string_view kEventSubnetGroupCreated = "Subnet group created.";
inline constexpr std::string_view kEventSubnetGroupModified = "Subnet group modified.";
inline constexpr std::string_view kEventSubnetGroupDeleted = "Subnet group deleted.";

}  // namespace armature::dax::control::messages
