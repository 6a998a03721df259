// Texts that PartiQL operations put on the wire; what they share with other operations is in the other files here.
#pragma once

#include <string_view>

namespace armature::model::messages {

// --- syntax: all but those with a position of their own come behind the first one
inline constexpr std::string_view kPartiqlNotWellFormed = "Statement wasn't well formed, can't be processed: {}";
inline constexpr std::string_view kPartiqlTrailingToken = "Unexpected token after expression";
inline constexpr std::string_view kPartiqlTrailingStatement =
    "Unexpected token after semicolon. (Only one query is allowed.)";
inline constexpr std::string_view kPartiqlMissingRightSide = "Missing right-hand side expression of infix operator";
inline constexpr std::string_view kPartiqlUnexpectedTerm = "Unexpected term";
inline constexpr std::string_view kPartiqlUnexpectedOperator = "Unexpected operator";
inline constexpr std::string_view kPartiqlUnexpectedKeyword = "Unexpected keyword";
inline constexpr std::string_view kPartiqlExpected = "Expected {}";
inline constexpr std::string_view kPartiqlExpectedKeyword = "Expected {} keyword";
inline constexpr std::string_view kPartiqlExpectedTypeName = "Expected type name";
inline constexpr std::string_view kPartiqlExpectedDml = "Expected data manipulation";
inline constexpr std::string_view kPartiqlExpectedSimplePath = "Expected identifier for simple path";
inline constexpr std::string_view kPartiqlExpectedAlias = "Expected identifier for {}-alias";
inline constexpr std::string_view kPartiqlExpectedAfterAnd = "Expected expression after AND";
inline constexpr std::string_view kPartiqlExpectedFrom = "Expected FROM after SELECT list";
inline constexpr std::string_view kPartiqlExpectedDeleteFrom = "Expected FROM after DELETE";
inline constexpr std::string_view kPartiqlExpectedAssignment = "Expected '='";
inline constexpr std::string_view kPartiqlExpectedReturning =
    "Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.";
inline constexpr std::string_view kPartiqlDotComponent = "Invalid path dot component";
inline constexpr std::string_view kPartiqlSimpleDotComponent = "Invalid path dot component for simple path";
inline constexpr std::string_view kPartiqlSimpleComponent = "Invalid path component for simple path";
inline constexpr std::string_view kPartiqlEmptyGroup = "Expression group cannot be empty";
inline constexpr std::string_view kPartiqlStarNotAlone =
    "Other expressions may not be present in the select list when '*' is used without dot notation.";
inline constexpr std::string_view kPartiqlCallWithStar = "{}(*) is not allowed";
inline constexpr std::string_view kPartiqlTooDeep = "Nesting Levels have exceeded supported limits";

// --- what a statement may say
inline constexpr std::string_view kPartiqlUnsupportedOperation = "Unsupported operation: {}";
inline constexpr std::string_view kPartiqlUnsupportedClause = "Unsupported clause: {} at {}";
inline constexpr std::string_view kPartiqlAliasing = "Aliasing is not supported";
inline constexpr std::string_view kPartiqlOneSource = "Only select from a single table or index is supported.";
inline constexpr std::string_view kPartiqlListSource = "Invalid list expression in source.";
inline constexpr std::string_view kPartiqlFromComponents = "A path may contain at most 2 components in the FROM clause";
inline constexpr std::string_view kPartiqlEmptyComponent = "Path component cannot be an empty string";
inline constexpr std::string_view kPartiqlInsertIntoIndex =
    "FROM clause may only contain a single table name in data manipulation statements";
inline constexpr std::string_view kPartiqlWriteToIndex = "This operation is not supported on an index";
inline constexpr std::string_view kPartiqlPathComponent = "Unexpected path component at {}";
inline constexpr std::string_view kPartiqlListIndex = "List index is not within the allowable range; index: [{}] at {}";
inline constexpr std::string_view kPartiqlDuplicateColumns = "Duplicate identifiers in select clause: {}";
inline constexpr std::string_view kPartiqlItemNotAStruct =
    "Unsupported format in item expression. Please use struct format {...} to express item values for insert "
    "statement.";
inline constexpr std::string_view kPartiqlInsertAt = "AT is not supported in insert statements.";
inline constexpr std::string_view kPartiqlUnderRoot = "{} under {}";
inline constexpr std::string_view kPartiqlDataType = "Unsupported data type: {} under key {} at {}";
inline constexpr std::string_view kPartiqlEmptyBag = "Empty bags are not supported";
inline constexpr std::string_view kPartiqlBagMembers =
    "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags";
inline constexpr std::string_view kPartiqlDuplicateNumbers =
    "One or more parameter values were invalid: Input collection [{}] contains duplicates! under {}";
inline constexpr std::string_view kPartiqlDeleteReturning =
    "Invalid returning clause: RETURNING {} *. Only RETURNING ALL OLD * is allowed in DELETE statements.";
inline constexpr std::string_view kPartiqlParameterCount = "Number of parameters in request and statement don't match.";
inline constexpr std::string_view kPartiqlUnknownFunction = "Unrecognized function: {} at {}";
inline constexpr std::string_view kPartiqlConditionOperator =
    "Unsupported operator in Condition Expression. Operator: {}";
inline constexpr std::string_view kPartiqlUpdateOperator = "Unsupported operator in Update Expression. Operator: {}";
inline constexpr std::string_view kPartiqlToken = "Unsupported token in expression: {}";
inline constexpr std::string_view kPartiqlIsType =
    "Unsupported data type for IS operator: {}. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, "
    "NUMERIC, STRUCT, TUPLE, LIST]";
inline constexpr std::string_view kPartiqlTypeName =
    "Invalid attribute type name found; type: {}, valid types: {{N,BS,L,B,NULL,M,S,SS,NS,BOOL}}";
inline constexpr std::string_view kPartiqlInOperands =
    "The IN operator is provided with too many operands; number of operands: {}";
inline constexpr std::string_view kPartiqlSetArguments = "{} must have exactly two arguments at {}";
inline constexpr std::string_view kPartiqlSetFirst = "The first argument to {} must equal the assignment value at {}";
inline constexpr std::string_view kPartiqlSetSecond = "The second argument to {} must be a value with type SET at {}";

// --- keys, indexes, order
inline constexpr std::string_view kPartiqlNoKeyEquality =
    "Where clause does not contain a mandatory equality on all key attributes";
inline constexpr std::string_view kPartiqlTwoKeyValues =
    "Multiple conditions on same key {}. Only single item Update/Insert/Delete are supported";
inline constexpr std::string_view kPartiqlKeyType =
    "Key attribute's data type should match its data type in table's schema: Key {}";
inline constexpr std::string_view kPartiqlOverlap =
    "Overlapping conditions with range keys are not supported in where clause";
inline constexpr std::string_view kPartiqlTooManyReads = "Too many decomposed read operations for a given query.";
inline constexpr std::string_view kPartiqlNoSuchIndex = "The table does not have the specified index";
inline constexpr std::string_view kPartiqlConsistentReadOfGlobalIndex =
    "Strongly consistent read is not supported on Global Secondary Indexes";
inline constexpr std::string_view kPartiqlMultiAttributeKeys =
    "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.";
inline constexpr std::string_view kPartiqlOrderByWithoutWhere =
    "Must have WHERE clause in the statement when using ORDER BY clause.";
inline constexpr std::string_view kPartiqlOrderByWithoutHash =
    "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.";
inline constexpr std::string_view kPartiqlOrderByNeedsHash =
    "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.";
inline constexpr std::string_view kPartiqlOrderByNonKey =
    "Attribute {} in ORDER BY clause must be part of the primary key";
inline constexpr std::string_view kPartiqlScansRefused =
    "A PartiQL statement would scan the whole table, which this server does not allow (--no-partiql-scans)";

// --- pages, batches, transactions
inline constexpr std::string_view kPartiqlInvalidToken = "Invalid NextToken";
inline constexpr std::string_view kPartiqlOtherToken = "NextToken does not match request";
inline constexpr std::string_view kPartiqlDuplicateItem = "Duplicate primary key exists in table";
inline constexpr std::string_view kPartiqlExistsOutsideTransaction =
    "EXISTS can only be used in ExecuteTransaction write requests.";
inline constexpr std::string_view kPartiqlBatchMixed =
    "Read and write requests together in the same batch is not supported.";
inline constexpr std::string_view kPartiqlBatchKey =
    "Select statements within BatchExecuteStatement must specify the primary key in the where clause.";
inline constexpr std::string_view kPartiqlTransactionMember = "Validation failed in TransactStatements[{}]: {}";
inline constexpr std::string_view kPartiqlTransactionKey =
    "Select statements within ExecuteTransaction must specify the primary key in the where clause.";
inline constexpr std::string_view kPartiqlTransactionIndex = "Reads on indices are not supported within transactions.";
inline constexpr std::string_view kPartiqlTransactionReturning =
    "RETURNING clause is not supported in ExecuteTransaction.";
inline constexpr std::string_view kPartiqlTransactionMixed =
    "ExecuteTransaction API does not support both read and write operations in the same request.";
inline constexpr std::string_view kPartiqlExistsOnIndex = "Operations on indices are not supported in transactions";
inline constexpr std::string_view kPartiqlExistsCondition =
    "EXISTS() must contain a single item read with additional condition";

}  // namespace armature::model::messages
