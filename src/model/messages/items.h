// Texts about items: attribute values, keys, what is indexed, batches and transactions.
//
// `{}` marks where fmt inserts a value. Constants only; nobody branches on them.
#pragma once

#include <string_view>

namespace armature::model::messages {

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
    "should contain Delete or Put or Update or ConditionCheck";
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
inline constexpr std::string_view kTransactionConflict = "Transaction is ongoing for the item";
inline constexpr std::string_view kTransactionInProgress =
    "Transaction is in progress for the given request token. Please retry later.";
inline constexpr std::string_view kIdempotentMismatch =
    "The parameters of the request do not match those of an earlier request with the same client token";

}  // namespace armature::model::messages
