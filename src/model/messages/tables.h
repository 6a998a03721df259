// Texts about tables: their definitions and indexes, throughput, tags, partitions, Time to Live.
//
// `{}` marks where fmt inserts a value. Constants only; nobody branches on them.
#pragma once

#include <string_view>

namespace armature::model::messages {

// --- tables
inline constexpr std::string_view kTableAlreadyExists = "Table already exists: {}";
inline constexpr std::string_view kTableNotFound = "Requested resource not found: Table: {} not found";
inline constexpr std::string_view kResourceNotFound = "Requested resource not found";
inline constexpr std::string_view kTableNameTooShort =
    "TableName must be at least 3 characters long and at most 255 characters long";

// Control plane (docs/dynamodb.md 8.6, 9.5, 18). kInvalid… texts stand behind kInvalidParameter.
inline constexpr std::string_view kInvalidParameter = "One or more parameter values were invalid: {}";
inline constexpr std::string_view kNotSupportedYet = "{} is not supported by this version of Armature";
inline constexpr std::string_view kThroughputWithPayPerRequest =
    "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST";
inline constexpr std::string_view kThroughputMissing =
    "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED";
inline constexpr std::string_view kThroughputMissingInUpdate =
    "ProvisionedThroughput must be specified when BillingMode is PROVISIONED";
inline constexpr std::string_view kUnitsOutOfBounds = "Given value {} for {} is out of bounds";
inline constexpr std::string_view kOnDemandWithProvisioned =
    "{} for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.";
inline constexpr std::string_view kOnDemandBelowOne = "{} for OnDemandThroughput must be at least 1";
inline constexpr std::string_view kWarmThroughputLowered =
    "Requested {} for WarmThroughput for table is lower than current WarmThroughput, decreasing WarmThroughput is not "
    "supported";
inline constexpr std::string_view kKeyWithoutDefinition =
    "Invalid KeySchema: Some index key attribute have no definition";
inline constexpr std::string_view kFirstKeyNotHash =
    "Invalid KeySchema: The first KeySchemaElement is not a HASH key type";
inline constexpr std::string_view kSecondKeyNotRange =
    "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type";
inline constexpr std::string_view kSameKeyTwice =
    "Both the Hash Key and the Range Key element in the KeySchema have the same name";
inline constexpr std::string_view kHashAfterRange = "Invalid KeySchema: All HASH keys must precede all RANGE keys";
inline constexpr std::string_view kTooManyKeysOfAKind =
    "Invalid KeySchema: An index can have at most {} HASH and {} RANGE key attributes";
inline constexpr std::string_view kRepeatedKey = "Invalid KeySchema: Two key attributes have the same name: {}";
inline constexpr std::string_view kKeysNotDefined =
    "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], AttributeDefinitions: [{}]";
inline constexpr std::string_view kKeyCountMismatch =
    "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions";
inline constexpr std::string_view kUnusedDefinitions =
    "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]";
inline constexpr std::string_view kDuplicateDefinition = "Duplicate AttributeName in AttributeDefinitions: {}";
inline constexpr std::string_view kLocalIndexesEmpty = "List of LocalSecondaryIndexes is empty";
inline constexpr std::string_view kGlobalIndexesEmpty = "List of GlobalSecondaryIndexes is empty";
inline constexpr std::string_view kTooManyLocalIndexes = "Number of LocalSecondaryIndexes exceeds per-table limit of 5";
inline constexpr std::string_view kTooManyGlobalIndexes =
    "GlobalSecondaryIndex count exceeds the per-table limit of 20";
inline constexpr std::string_view kLocalIndexNeedsTableRange =
    "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex";
inline constexpr std::string_view kIndexWithoutRange = "Index KeySchema does not have a range key for index: {}";
inline constexpr std::string_view kIndexOtherHash =
    "Index KeySchema does not have the same leading hash key as table KeySchema for index: {}. index hash key: {}, "
    "table hash key: {}";
inline constexpr std::string_view kUnknownProjectionType = "Unknown ProjectionType: {}";
inline constexpr std::string_view kNonKeyAttributesWithAll = "ProjectionType is {}, but NonKeyAttributes is specified";
inline constexpr std::string_view kIncludeWithoutNonKeyAttributes =
    "ProjectionType is INCLUDE, but NonKeyAttributes is not specified";
inline constexpr std::string_view kDuplicateNonKeyAttribute = "Duplicate value in NonKeyAttributes: {}";
inline constexpr std::string_view kTooManyNonKeyAttributes =
    "Number of projected attributes for all indexes exceeds the limit of 100 per table";
inline constexpr std::string_view kDuplicateIndexName = "Duplicate index name: {}";
inline constexpr std::string_view kIndexThroughputWithPayPerRequest =
    "ProvisionedThroughput should not be specified for index: {} when BillingMode is PAY_PER_REQUEST";
inline constexpr std::string_view kIndexThroughputMissing = "ProvisionedThroughput must be specified for index: {}";
inline constexpr std::string_view kStreamViewTypeWithoutStream =
    "Table is being created with a stream disabled, UpdateViewType should not be specified";
inline constexpr std::string_view kStreamViewTypeMissing = "StreamViewType is required when StreamEnabled is true";
inline constexpr std::string_view kStreamAlreadyEnabled = "Table already has an enabled stream: TableName: {}";
inline constexpr std::string_view kNoStreamToDisable = "Table doesn't have a stream to disable: TableName: {}";
inline constexpr std::string_view kSseTypeNotSupported = "SSEType AES256 is not supported";
inline constexpr std::string_view kKmsKeyWithoutSse =
    "KMSMasterKeyId can only be specified when SSESpecification is enabled";
inline constexpr std::string_view kTableBeingCreated =
    "Attempt to change a resource which is still in use: Table is being created: {}";
inline constexpr std::string_view kTableBeingUpdated =
    "Attempt to change a resource which is still in use: Table is being updated: {}";
inline constexpr std::string_view kTableBeingDeleted =
    "Attempt to change a resource which is still in use: Table is being deleted: {}";
inline constexpr std::string_view kDeletionProtected =
    "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.";
inline constexpr std::string_view kNothingToUpdate =
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
    "SSESpecification or ReplicaUpdates is required";
inline constexpr std::string_view kThroughputUnchanged =
    "The provisioned throughput for the table will not change. The requested value equals the current value. Current "
    "ReadCapacityUnits provisioned for the table: {}. Requested ReadCapacityUnits: {}. Current WriteCapacityUnits "
    "provisioned for the table: {}. Requested WriteCapacityUnits: {}. Refer to the Amazon DynamoDB Developer Guide for "
    "current limits and how to request higher limits.";
inline constexpr std::string_view kIndexThroughputUnchanged =
    "The provisioned throughput for the index {} will not change. The requested value equals the current value. "
    "Current ReadCapacityUnits provisioned for the index: {}. Requested ReadCapacityUnits: {}. Current "
    "WriteCapacityUnits provisioned for the index: {}. Requested WriteCapacityUnits: {}. Refer to the Amazon DynamoDB "
    "Developer Guide for current limits and how to request higher limits.";
inline constexpr std::string_view kIndexNotFoundInTable =
    "Requested resource not found: Table: {} does not have the index: {}";
inline constexpr std::string_view kIndexUpdateEmpty =
    "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete "
    "must not be null";
inline constexpr std::string_view kIndexUpdateOfSeveralKinds =
    "Only one of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
    "GlobalSecondaryIndexUpdate.Delete may be specified";
inline constexpr std::string_view kIndexUpdatedTwice =
    "Only one global secondary index update per index is allowed simultaneously. Index: {}";
inline constexpr std::string_view kOneOnlineIndex =
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table";
inline constexpr std::string_view kIndexAlreadyExists = "Attempting to create an index which already exists: {}";
inline constexpr std::string_view kIndexBeingCreated =
    "Attempt to change a resource which is still in use: Index is being created: {}";
inline constexpr std::string_view kIndexBeingDeleted =
    "Attempt to change a resource which is still in use: Index is being deleted: {}";
inline constexpr std::string_view kAttributeRedefined =
    "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. "
    "Existing schema: Schema:[{}] New schema: Schema:[{}]";
inline constexpr std::string_view kTooManyTables =
    "Subscriber limit exceeded: There is a limit of {} tables per subscriber";

// --- tags (docs/dynamodb.md 18.4)
inline constexpr std::string_view kInvalidTableArn = "Invalid TableArn";
inline constexpr std::string_view kInvalidResourceArn = "Invalid TableArn: Invalid ResourceArn provided as input {}";
inline constexpr std::string_view kNoArn =
    "Invalid TableArn: Invalid ResourceArn provided as input {}: ARNs must start with 'arn:'";
inline constexpr std::string_view kNoTags = "Atleast one Tag needs to be provided as Input.";         // sic
inline constexpr std::string_view kNoTagKeys = "Atleast one Tag Key needs to be provided as Input.";  // sic
inline constexpr std::string_view kTooManyTags = "Too many tags: a resource can have at most 50 user tags";
inline constexpr std::string_view kReservedTagKey = "Tag keys starting with 'aws:' are reserved: {}";
inline constexpr std::string_view kTagValueMissing = "The tag {} has no value";
inline constexpr std::string_view kDuplicateTagKey = "Duplicate tag key: {}";
inline constexpr std::string_view kInvalidTagCharacter = "The tag {} contains characters that are not allowed";
inline constexpr std::string_view kTagResourceNotFound =
    "Requested resource not found: ResourcArn: {} not found";  // sic
inline constexpr std::string_view kTagAccessDenied =
    "User: arn:aws:iam::{}:root is not authorized to perform: dynamodb:{} on resource: {} because no resource-based "
    "policy allows the dynamodb:{} action";

// --- partitions: operations of our own
inline constexpr std::string_view kPartitionNotFound =
    "Requested resource not found: Table: {} has no partition {} that can be split: one that is in use and has more "
    "than one hash";
inline constexpr std::string_view kTooManyPartitions = "A table or an index has at most {} partitions";

// --- Time to Live (docs/dynamodb.md 12)
inline constexpr std::string_view kTtlAlreadyEnabled = "TimeToLive is already enabled";
inline constexpr std::string_view kTtlAlreadyDisabled = "TimeToLive is already disabled";
inline constexpr std::string_view kTtlOtherAttribute =
    "TimeToLive is active on a different AttributeName: current AttributeName is {}";
inline constexpr std::string_view kTtlModifiedTooOften =
    "Time to live has been modified multiple times within a fixed interval";

}  // namespace armature::model::messages
