// Texts about expressions and the legacy parameters, and about what Query and Scan are asked with.
//
// `{}` marks where fmt inserts a value. Constants only; nobody branches on them.
#pragma once

#include <string_view>

namespace armature::model::messages {

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
    "key attribute {}";
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
    "{} because its projection type is not ALL";
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
    "for Attribute: {}";
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

}  // namespace armature::model::messages
