// Every text a client can read, in one place, grouped by where it arises.
//
// AWS's wording drifts by Region and over months; keeping the texts here makes a change one line. `{}` marks
// where fmt inserts a value. Constants only; nobody branches on them.
#pragma once

#include <string_view>

namespace armature::model::messages {

// --- general -----------------------------------------------------------------------------------------------------
inline constexpr std::string_view kConditionalRequestFailed = "The conditional request failed";
inline constexpr std::string_view kInternalServerError =
    "The request processing has failed because of an unknown error, exception or failure.";
inline constexpr std::string_view kServiceUnavailable = "The service is temporarily unavailable. Please try again.";
inline constexpr std::string_view kNoSpace = "The storage of this server is full. Writes are refused until space returns.";

// --- attribute values (facts 3, 4.5) ---------------------------------------------------------------------------------
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
inline constexpr std::string_view kDuplicatesInNumberSet = "Input collection contains duplicates";
inline constexpr std::string_view kDuplicatesInBinarySet =
    "One or more parameter values were invalid: Input collection [{}]of type BS contains duplicates.";
inline constexpr std::string_view kNotANumber = "The parameter cannot be converted to a numeric value: {}";
inline constexpr std::string_view kEmptyNumber = "The parameter cannot be converted to a numeric value";
inline constexpr std::string_view kTooManyDigits = "Attempting to store more than 38 significant digits in a Number";
inline constexpr std::string_view kNumberOverflow =
    "Number overflow. Attempting to store a number with magnitude larger than supported range";
inline constexpr std::string_view kNumberUnderflow =
    "Number underflow. Attempting to store a number with magnitude smaller than supported range";
inline constexpr std::string_view kNestingTooDeep =
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";

// --- keys ----------------------------------------------------------------------------------------------------------
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

// --- items ---------------------------------------------------------------------------------------------------------
inline constexpr std::string_view kItemTooLarge = "Item size has exceeded the maximum allowed size";
inline constexpr std::string_view kItemToUpdateTooLarge = "Item size to update has exceeded the maximum allowed size";

}  // namespace armature::model::messages
