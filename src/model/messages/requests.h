// What any request can be told, whatever its operation: constraints of the schema, JSON of the wrong type, the
// envelope, the signature, and that the server itself has failed.
//
// `{}` marks where fmt inserts a value. Constants only; nobody branches on them.
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

// --- constraints
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

// --- names of attributes
// docs/dynamodb.md 3.1
inline constexpr std::string_view kEmptyNameInItem = "One or more parameter values were invalid: Empty attribute name";

// --- JSON of the wrong type
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

// --- envelope
// docs/dynamodb.md 1.1, 1.2
inline constexpr std::string_view kNotFoundBody = "<UnknownOperationException/>\n";
inline constexpr std::string_view kHealthy = "healthy: {} ";  // the blank at the end is AWS's

// --- signatures
// docs/dynamodb.md 1.6
inline constexpr std::string_view kHeaderAndQuerySignature =
    "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.";
inline constexpr std::string_view kIllegalEscape = "Illegal hex character in escape % pattern: {}";
inline constexpr std::string_view kIncompleteEscape = "Incomplete trailing escape % sequence";
inline constexpr std::string_view kPathAboveRoot = "The path '{}' leads above the root.";
inline constexpr std::string_view kMissingToken = "Request is missing Authentication Token";
inline constexpr std::string_view kNotKeyAndValue =
    "'{}' not a valid key=value pair (missing equal-sign) in Authorization header: '{}'.";
inline constexpr std::string_view kHeaderParameterMissing = "Authorization header requires '{}' parameter. ";
inline constexpr std::string_view kDateHeaderMissing =
    "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
inline constexpr std::string_view kAuthorizationWas = "Authorization={}";
inline constexpr std::string_view kQueryParameterMissing = "AWS query-string parameters must include '{}'. ";
inline constexpr std::string_view kReexamineQuery = "Re-examine the query-string parameters.";
inline constexpr std::string_view kBadSignatureDate =
    "Date must be in ISO-8601 'basic format'. Got '{}'. See http://en.wikipedia.org/wiki/ISO_8601";
inline constexpr std::string_view kHostMustBeSigned =
    "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.";
inline constexpr std::string_view kExpiresNoNumber = "X-Amz-Expires should be a number";
inline constexpr std::string_view kExpiresTooShort = "X-Amz-Expires must be at least 1 second";
inline constexpr std::string_view kExpiresTooLong =
    "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 "
    "seconds";
inline constexpr std::string_view kSignatureExpired = "Signature expired: {} is now earlier than {} ({} - {}.)";
inline constexpr std::string_view kSignatureNotYetCurrent =
    "Signature not yet current: {} is still later than {} ({} + {}.)";
inline constexpr std::string_view kUnsupportedAlgorithm =
    "Unsupported AWS 'algorithm': '{}' (only AWS4-HMAC-SHA256 for now). ";
inline constexpr std::string_view kCredentialParts =
    "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '{}'";
inline constexpr std::string_view kScopeRegion = "Credential should be scoped to a valid region, not '{}'. ";
inline constexpr std::string_view kScopeService = "Credential should be scoped to correct service: '{}'. ";
inline constexpr std::string_view kScopeTerminator =
    "Credential should be scoped with a valid terminator: 'aws4_request', not '{}'. ";
inline constexpr std::string_view kScopeDate =
    "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '{}' != '{}', from "
    "'{}'.";
inline constexpr std::string_view kSignatureMismatch =
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key "
    "and signing method. Consult the service documentation for details.";
inline constexpr std::string_view kExpiredToken = "The security token included in the request is expired";
inline constexpr std::string_view kRateExceeded = "Rate exceeded";

// DynamoDB Local's, see model/compatibility.h.
inline constexpr std::string_view kAccessKeyWanted =
    "Request must contain either a valid (registered) AWS access key ID or X.509 certificate.";
inline constexpr std::string_view kInvalidToken = "The security token included in the request is invalid.";

}  // namespace armature::model::messages
