// Texts of DynamoDB that a client can read, grouped by where they arise; subjects with more have a messages_….h.
//
// AWS's wording drifts by Region and over months; keeping the texts here makes a change one line. `{}` marks
// where fmt inserts a value. Constants only; nobody branches on them.
#pragma once

#include <string_view>

namespace armature::model::messages {

// --- general
inline constexpr std::string_view kConditionalRequestFailed = "The conditional request failed";
inline constexpr std::string_view kInternalServerError =
    "The request processing has failed because of an unknown error, exception or failure.";
inline constexpr std::string_view kServiceUnavailable = "The service is temporarily unavailable. Please try again.";
inline constexpr std::string_view kNoSpace =
    "The storage of this server is full. Writes are refused until space returns.";

// --- attribute values (docs/dynamodb.md 3, 4.5)
inline constexpr std::string_view kEmptyAttributeValue =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
inline constexpr std::string_view kMoreThanOneDatatype =
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes";
inline constexpr std::string_view kNullMustBeTrue =
    "One or more parameter values were invalid: Null attribute value types must have the value of true";
inline constexpr std::string_view kEmptyStringSet =
    "One or more parameter values were invalid: An string set  may not be empty";
inline constexpr std::string_view kEmptyNumberSet =
    "One or more parameter values were invalid: An number set  may not be empty";
inline constexpr std::string_view kEmptyBinarySet =
    "One or more parameter values were invalid: Binary sets should not be empty";
inline constexpr std::string_view kDuplicatesInStringSet =
    "One or more parameter values were invalid: Input collection [{}] contains duplicates.";
inline constexpr std::string_view kDuplicatesInNumberSet =
    "One or more parameter values were invalid: Input collection contains duplicates.";
inline constexpr std::string_view kDuplicatesInNumberSetOlder = "Input collection contains duplicates";
inline constexpr std::string_view kDuplicatesInBinarySet =
    "One or more parameter values were invalid: Input collection [{}]of type BS contains duplicates.";
inline constexpr std::string_view kNotANumber = "The parameter cannot be converted to a numeric value: {}";
// Of the older readers, of an empty text.
inline constexpr std::string_view kEmptyNumber = "The parameter cannot be converted to a numeric value";
inline constexpr std::string_view kTooManyDigits = "Attempting to store more than 38 significant digits in a Number";
inline constexpr std::string_view kNumberOverflow =
    "Number overflow. Attempting to store a number with magnitude larger than supported range";
inline constexpr std::string_view kNumberUnderflow =
    "Number underflow. Attempting to store a number with magnitude smaller than supported range";
inline constexpr std::string_view kNestingTooDeep =
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";

// --- keys
inline constexpr std::string_view kKeyDoesNotMatchSchema = "The provided key element does not match the schema";
inline constexpr std::string_view kMissingKey =
    "One or more parameter values were invalid: Missing the key {} in the item";
inline constexpr std::string_view kKeyTypeMismatch =
    "One or more parameter values were invalid: Type mismatch for key {} expected: {} actual: {}";
inline constexpr std::string_view kEmptyStringKey =
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string "
    "value. Key: {}";
inline constexpr std::string_view kEmptyBinaryKey =
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty binary "
    "value. Key: {}";
inline constexpr std::string_view kHashKeyTooLong =
    "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes";
inline constexpr std::string_view kRangeKeyTooLong =
    "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 "
    "bytes";
inline constexpr std::string_view kCannotUpdateKey =
    "One or more parameter values were invalid: Cannot update attribute {}. This attribute is part of the key";
inline constexpr std::string_view kKeyMustBeScalar =
    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: {}";

// --- secondary index keys
// docs/dynamodb.md 4.5
inline constexpr std::string_view kIndexKeyTypeMismatch =
    "One or more parameter values were invalid: Type mismatch for Index Key {} Expected: {} Actual: {} IndexName: {}";
inline constexpr std::string_view kIndexKeyEmpty =
    "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The "
    "AttributeValue for a key attribute cannot contain an empty {} value. IndexName: {}, IndexKey: {}";
inline constexpr std::string_view kUpdateIndexKeyType =
    "The update expression attempted to update the secondary index key to unsupported type";
inline constexpr std::string_view kUpdateIndexKeyEmpty =
    "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a "
    "value that is not supported. The AttributeValue for a key attribute cannot contain an empty {} value.";
inline constexpr std::string_view kUpdateIndexKeyTooLong =
    "The update expression attempted to update the secondary index key beyond allowed size limits";
inline constexpr std::string_view kCollectionTooLarge = "Collection size exceeded.";

// --- items
inline constexpr std::string_view kItemTooLarge = "Item size has exceeded the maximum allowed size";
inline constexpr std::string_view kItemToUpdateTooLarge = "Item size to update has exceeded the maximum allowed size";
inline constexpr std::string_view kReturnValuesAllOldOrNone = "ReturnValues can only be ALL_OLD or NONE";

// --- batches and transactions
// docs/dynamodb.md 4.5, 10
inline constexpr std::string_view kBatchGetTooManyItems = "Too many items requested for the BatchGetItem call";
inline constexpr std::string_view kBatchWriteTooManyItems = "Too many items requested for the BatchWriteItem call";
inline constexpr std::string_view kDuplicateItemKeys = "Provided list of item keys contains duplicates";
inline constexpr std::string_view kTransactNoAction =
    "1 validation error detected: Value '' at 'transactItems' failed to satisfy constraint: TransactWriteRequest "
    "should "
    "contain Delete or Put or Update or ConditionCheck";
inline constexpr std::string_view kTransactOneActionEach =
    "TransactItems can only contain one of Check, Put, Update or Delete";
inline constexpr std::string_view kTransactSameItemTwice =
    "Transaction request cannot include multiple operations on one item";
// Of these two only "size cannot exceed" is known to be AWS's wording.
inline constexpr std::string_view kTransactRequestTooLarge = "Transaction request size cannot exceed 4194304 bytes";
inline constexpr std::string_view kTransactItemsTooLarge =
    "Collective size of the items in the transaction: size cannot exceed 4194304 bytes";
inline constexpr std::string_view kTransactionCancelled =
    "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]";
inline constexpr std::string_view kTransactionInProgress =
    "Transaction is in progress for the given request token. Please retry later.";
inline constexpr std::string_view kIdempotentMismatch =
    "The parameters of the request do not match those of an earlier request with the same client token";

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
    "table "
    "hash key: {}";
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
    "Current "
    "ReadCapacityUnits provisioned for the index: {}. Requested ReadCapacityUnits: {}. Current WriteCapacityUnits "
    "provisioned for the index: {}. Requested WriteCapacityUnits: {}. Refer to the Amazon DynamoDB Developer Guide for "
    "current limits and how to request higher limits.";
inline constexpr std::string_view kTooManyDecreases =
    "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the first 4 "
    "decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. Number "
    "of "
    "decreases today: {}. Last decrease at {}.";
inline constexpr std::string_view kIndexNotFoundInTable =
    "Requested resource not found: Table: {} does not have the index: {}";
inline constexpr std::string_view kIndexUpdateEmpty =
    "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete "
    "must "
    "not be null";
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
    "Existing "
    "schema: Schema:[{}] New schema: Schema:[{}]";
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
    "policy "
    "allows the dynamodb:{} action";

// --- expressions
// docs/dynamodb.md 4.5, 5
inline constexpr std::string_view kMixedExpressions =
    "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {{{}}} "
    "Expression parameters: {{{}}}";
inline constexpr std::string_view kNamesWithoutExpression =
    "ExpressionAttributeNames can only be specified when using expressions";
inline constexpr std::string_view kValuesWithoutExpression =
    "ExpressionAttributeValues can only be specified when using expressions";
// `{}` in kInvalidExpression: the kind ("ConditionExpression") and one of the texts below it.
inline constexpr std::string_view kInvalidExpression = "Invalid {}: {}";
inline constexpr std::string_view kExpressionEmpty = "The expression can not be empty;";
inline constexpr std::string_view kExpressionTooLong = "Expression size has exceeded the maximum allowed size;";
inline constexpr std::string_view kExpressionSize = " expression size: {}";
inline constexpr std::string_view kExpressionSyntaxError = "Syntax error; token: \"{}\", near: \"{}\"";
inline constexpr std::string_view kTooManyOperators = "The expression contains too many operators; operator count: {}";
inline constexpr std::string_view kRedundantParentheses = "The expression has redundant parentheses;";
inline constexpr std::string_view kReservedKeyword = "Attribute name is a reserved keyword; reserved keyword: {}";
inline constexpr std::string_view kListIndexOutOfRange = "List index is not within the allowable range; index: [{}]";
inline constexpr std::string_view kPathTooDeep = "The document path has too many nesting levels; nesting levels: {}";
inline constexpr std::string_view kInvalidFunctionName = "Invalid function name; function: {}";
inline constexpr std::string_view kMisusedFunction =
    "The function is not allowed to be used this way in an expression; function: {}";
inline constexpr std::string_view kFunctionNotInUpdate =
    "The function is not allowed in an update expression; function: {}";
inline constexpr std::string_view kFunctionNotInCondition =
    "The function is not allowed in a condition expression; function: {}";
inline constexpr std::string_view kSectionRepeated =
    "The \"{}\" section can only be used once in an update expression;";
inline constexpr std::string_view kUndefinedName =
    "An expression attribute name used in the document path is not defined; attribute name: {}";
inline constexpr std::string_view kUndefinedValue =
    "An expression attribute value used in expression is not defined; attribute value: {}";
inline constexpr std::string_view kOperandCount =
    "Incorrect number of operands for operator or function; operator or function: {}, number of operands: {}";
inline constexpr std::string_view kRequiresPath =
    "Operator or function requires a document path; operator or function: {}";
inline constexpr std::string_view kOperandType =
    "Incorrect operand type for operator or function; operator or function: {}, operand type: {}";
inline constexpr std::string_view kUpdateOperandType =
    "Incorrect operand type for operator or function; operator: {}, operand type: {}";
// A path where attribute_type wants the name of a type.
inline constexpr std::string_view kAnyOperandType =
    "{S,SS,N,NS,B,BS,BOOL,NULL,L,M,HD,DOUBLE,FLOAT,HDS,FS,DOUBLESET,DICT,DECIMAL,INT,DECIMALSET,INTSET}";
inline constexpr std::string_view kInvalidTypeName =
    "Invalid attribute type name found; type: {}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}";
inline constexpr std::string_view kOperandsNotDistinct =
    "The first operand must be distinct from the remaining operands for this operator or function; operator: {}, first "
    "operand: {}";
inline constexpr std::string_view kBetweenTypes =
    "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {}, "
    "upper bound operand: AttributeValue: {}";
inline constexpr std::string_view kBetweenOrder =
    "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: "
    "AttributeValue: {}, upper bound operand: AttributeValue: {}";
inline constexpr std::string_view kPathsOverlap =
    "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: {}, path two: {}";
inline constexpr std::string_view kPathsConflict =
    "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: {}, path two: "
    "{}";
// Of the two attribute maps; `{}` is ExpressionAttributeNames or ExpressionAttributeValues.
inline constexpr std::string_view kAttributeMapEmpty = "{} must not be empty";
inline constexpr std::string_view kAttributeMapInvalidKey = "{} contains invalid key: Syntax error; key: \"{}\"";
inline constexpr std::string_view kAttributeMapKeyTooLong =
    "{} contains invalid key: The expression attribute map contains a key that is too long; key: \"{}\"";
inline constexpr std::string_view kAttributeMapInvalidValue = "{} contains invalid value: {} for key {}";
inline constexpr std::string_view kEmptyAttributeName = "Empty attribute name";
inline constexpr std::string_view kAttributeMapsTooLarge =
    "Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size";
inline constexpr std::string_view kAttributeMapUnused = "Value provided in {} unused in expressions: keys: {{{}}}";
// While updating an item.
inline constexpr std::string_view kUpdateMissingAttribute =
    "The provided expression refers to an attribute that does not exist in the item";
inline constexpr std::string_view kUpdateOperandWrongType =
    "An operand in the update expression has an incorrect data type";
inline constexpr std::string_view kUpdateInvalidPath =
    "The document path provided in the update expression is invalid for update";

// --- key conditions
// docs/dynamodb.md 7.1
inline constexpr std::string_view kKeyConditionOperator = "Invalid operator used in KeyConditionExpression: {}";
inline constexpr std::string_view kKeyConditionNestedPath =
    "KeyConditionExpressions cannot have conditions on nested attributes";
inline constexpr std::string_view kKeyConditionNestedOperation =
    "KeyConditionExpressions cannot contain nested operations";
inline constexpr std::string_view kKeyConditionTwicePerKey =
    "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key";
inline constexpr std::string_view kKeyConditionTwoAttributes =
    "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition";
inline constexpr std::string_view kKeyConditionNoAttribute =
    "Invalid condition in KeyConditionExpression: No key attribute specified";
inline constexpr std::string_view kKeyConditionMissedKey = "Query condition missed key schema element: {}";
inline constexpr std::string_view kKeyConditionCount = "Conditions can be of length 1 or 2 only";
inline constexpr std::string_view kKeyConditionTooMany =
    "The number of query conditions ({}) exceeds the number of key attributes defined in the schema ({})";
inline constexpr std::string_view kKeyConditionGap =
    "RANGE key attributes {} must have equality conditions specified in the query because a condition is present on "
    "key "
    "attribute {}";
inline constexpr std::string_view kKeyConditionNotSupported = "Query key condition not supported";
inline constexpr std::string_view kKeyConditionType =
    "One or more parameter values were invalid: Condition parameter type does not match schema type";
inline constexpr std::string_view kKeyConditionNotIndexable =
    "Attempted conditional constraint is not an indexable operation";

// --- Query and Scan
// docs/dynamodb.md 7, 8.2
inline constexpr std::string_view kNoKeyCondition =
    "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.";
inline constexpr std::string_view kNoSuchIndex = "The table does not have the specified index: {}";
inline constexpr std::string_view kIndexBackfilling = "Cannot read from backfilling global secondary index: {}";
inline constexpr std::string_view kConsistentReadOfGlobalIndex =
    "Consistent reads are not supported on global secondary indexes";
inline constexpr std::string_view kFilterOnKey =
    "{} can only contain non-primary key attributes: Primary key attribute: {}";
inline constexpr std::string_view kIndexKeyMustBeScalar =
    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: {}";
inline constexpr std::string_view kStartKeyInvalid = "The provided starting key is invalid";
inline constexpr std::string_view kStartKeyInvalidBecause = "The provided starting key is invalid: {}";
inline constexpr std::string_view kStartKeyOutsideQuery =
    "The provided starting key is outside query boundaries based on provided conditions";
inline constexpr std::string_view kStartKeyOutsideRange =
    "The provided starting key does not match the range key predicate";
inline constexpr std::string_view kStartKeyOfSingleRow = "The query can return at most one row and cannot be restarted";
inline constexpr std::string_view kStartKeyOfHashTable =
    "The provided exclusive start key is invalid: ExclusiveStartKey: {{{}=AttributeValue: {}}}";
inline constexpr std::string_view kStartKeyOfOtherSegment =
    "Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: {} Segment: {}";
inline constexpr std::string_view kSegmentWithoutTotal =
    "The TotalSegments parameter is required but was not present in the request when Segment parameter is present";
inline constexpr std::string_view kTotalWithoutSegment =
    "The Segment parameter is required but was not present in the request when parameter TotalSegments is present";
inline constexpr std::string_view kSegmentTooLarge =
    "The Segment parameter is zero-based and must be less than parameter TotalSegments";
inline constexpr std::string_view kSelectWithoutAttributes =
    "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES";
inline constexpr std::string_view kSelectWithAttributes = "Cannot specify the {} when choosing to get {}";
inline constexpr std::string_view kSelectProjectedOfTable =
    "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName";
inline constexpr std::string_view kSelectAllOfGlobalIndex =
    "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index "
    "{} "
    "because its projection type is not ALL";
inline constexpr std::string_view kUnprojectedFilter =
    "One or more parameter values were invalid: Secondary index {} does not project one or more filter attributes: "
    "[{}]";
inline constexpr std::string_view kNotProjected =
    "One or more parameter values were invalid: Global secondary index {} does not project [{}]";

// --- legacy parameters
// docs/dynamodb.md 6
inline constexpr std::string_view kDuplicateAttributeName =
    "One or more parameter values were invalid: Duplicate value in attribute name: {}";
inline constexpr std::string_view kLegacyArgumentCount =
    "One or more parameter values were invalid: Invalid number of argument(s) for the {} ComparisonOperator";
inline constexpr std::string_view kLegacyArgumentsOfOneType =
    "One or more parameter values were invalid: AttributeValues inside AttributeValueList must be of same type";
inline constexpr std::string_view kLegacyArgumentType =
    "One or more parameter values were invalid: ComparisonOperator {} is not valid for {} AttributeValue type";
inline constexpr std::string_view kLegacyBetweenOrder =
    "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound";
inline constexpr std::string_view kLegacyConditionalOperatorAlone =
    "ConditionalOperator cannot be used without Filter or Expected";
inline constexpr std::string_view kLegacyConditionalOperatorOfOne =
    "ConditionalOperator can only be used when Filter or Expected has two or more elements";
inline constexpr std::string_view kExpectedValueAndList =
    "One or more parameter values were invalid: Value and AttributeValueList cannot be used together for Attribute: {}";
inline constexpr std::string_view kExpectedExistsAndOperator =
    "One or more parameter values were invalid: Exists and ComparisonOperator cannot be used together for Attribute: "
    "{}";
inline constexpr std::string_view kExpectedOperatorWithoutValue =
    "One or more parameter values were invalid: Value or AttributeValueList must be used with ComparisonOperator: {} "
    "for "
    "Attribute: {}";
inline constexpr std::string_view kExpectedListWithoutOperator =
    "One or more parameter values were invalid: AttributeValueList can only be used with a ComparisonOperator for "
    "Attribute: {}";
inline constexpr std::string_view kExpectedValueMissing =
    "One or more parameter values were invalid: Value must be provided when Exists is {} for Attribute: {}";
inline constexpr std::string_view kExpectedValueWithoutExists =
    "One or more parameter values were invalid: Value cannot be used when Exists is false for Attribute: {}";
inline constexpr std::string_view kAttributeUpdateWithoutValue =
    "One or more parameter values were invalid: Only DELETE action is allowed when no attribute value is specified";
inline constexpr std::string_view kAttributeUpdateDeleteType =
    "One or more parameter values were invalid: DELETE action with value is not supported for the type {}";
inline constexpr std::string_view kAttributeUpdateAddType =
    "One or more parameter values were invalid: ADD action is not supported for the type {}";
inline constexpr std::string_view kAttributeUpdateTypeMismatch = "Type mismatch for attribute to update";

// --- wire: constraints
// docs/dynamodb.md 4.1
inline constexpr std::string_view kOneValidationError = "1 validation error detected: ";
inline constexpr std::string_view kValidationErrors = "{} validation errors detected: ";
inline constexpr std::string_view kConstraintFailed = " at '{}' failed to satisfy constraint: ";
inline constexpr std::string_view kMustNotBeNull = "Member must not be null";
inline constexpr std::string_view kLengthAtLeast = "Member must have length greater than or equal to {}";
inline constexpr std::string_view kLengthAtMost = "Member must have length less than or equal to {}";
inline constexpr std::string_view kValueAtLeast = "Member must have value greater than or equal to {}";
inline constexpr std::string_view kValueAtMost = "Member must have value less than or equal to {}";
inline constexpr std::string_view kMustMatchPattern = "Member must satisfy regular expression pattern: {}";
inline constexpr std::string_view kMustBeInEnum = "Member must satisfy enum value set: [{}]";
inline constexpr std::string_view kMapKeysMust = "Map keys must satisfy constraint: [{}]";
inline constexpr std::string_view kMapValueMust = "Map value must satisfy constraint: [{}]";

// --- wire: names of attributes
// docs/dynamodb.md 3.1
inline constexpr std::string_view kEmptyNameInItem = "One or more parameter values were invalid: Empty attribute name";

// --- wire: JSON of the wrong type
// docs/dynamodb.md 1.5
inline constexpr std::string_view kCannotBeConverted = "{} cannot be converted to {}";
inline constexpr std::string_view kUnexpectedStructure = "Start of structure or map found where not expected";
inline constexpr std::string_view kUnexpectedFieldType = "Unexpected field type";
inline constexpr std::string_view kUnexpectedValueType = "Unexpected value type in payload";
inline constexpr std::string_view kUnrecognizedClass = "Unrecognized collection type class {}";
inline constexpr std::string_view kUnrecognizedCollection = "Unrecognized collection type {}";
inline constexpr std::string_view kOnlyBase64 = "only base-64-encoded strings are convertible to bytes";
inline constexpr std::string_view kBase64Length =
    "Base64 encoded length is expected a multiple of 4 bytes but found: {}";
inline constexpr std::string_view kBase64LastCharacter = "Invalid last non-pad Base64 character dectected";  // sic
inline constexpr std::string_view kUnexpectedToken = "Unexpected token received from parser";

// --- wire: envelope
// docs/dynamodb.md 1.1, 1.2
inline constexpr std::string_view kNotFoundBody = "<UnknownOperationException/>\n";
inline constexpr std::string_view kHealthy = "healthy: {} ";  // the blank at the end is AWS's

// --- signatures
// docs/dynamodb.md 1.6
inline constexpr std::string_view kHeaderAndQuerySignature =
    "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.";
inline constexpr std::string_view kMissingToken = "Request is missing Authentication Token";
inline constexpr std::string_view kHeaderParameterMissing = "Authorization header requires '{}' parameter. ";
inline constexpr std::string_view kDateHeaderMissing =
    "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
inline constexpr std::string_view kAuthorizationWas = "Authorization={}";
inline constexpr std::string_view kQueryParameterMissing = "AWS query-string parameters must include '{}'. ";
inline constexpr std::string_view kReexamineQuery = "Re-examine the query-string parameters.";
inline constexpr std::string_view kBadSignatureDate =
    "Date must be in ISO-8601 'basic format'. Got '{}'. See http://en.wikipedia.org/wiki/ISO_8601";
inline constexpr std::string_view kHostMustBeSigned = "'Host' must be a 'SignedHeader' in the AWS Authorization.";
inline constexpr std::string_view kUnsupportedAlgorithm =
    "Unsupported AWS 'algorithm': '{}' (only AWS4-HMAC-SHA256 for now). ";
inline constexpr std::string_view kCredentialParts =
    "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '{}'";
inline constexpr std::string_view kScopeRegion = "Credential should be scoped to a valid region, not '{}'. ";
inline constexpr std::string_view kScopeService = "Credential should be scoped to correct service: 'dynamodb'. ";
inline constexpr std::string_view kScopeTerminator =
    "Credential should be scoped with a valid terminator: 'aws4_request', not '{}'. ";
inline constexpr std::string_view kScopeDate =
    "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '{}' != '{}', from "
    "'{}'.";

}  // namespace armature::model::messages
