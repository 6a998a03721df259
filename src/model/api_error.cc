#include "model/api_error.h"

#include "model/messages/items.h"
#include "model/messages/requests.h"

namespace armature::model {

namespace {
ApiError Make(ErrorFamily family, std::string_view name, std::string message, int http_status = 400) {
  ApiError error;
  error.family = family;
  error.name = name;
  error.http_status = http_status;
  error.message = std::move(message);
  return error;
}
}  // namespace

ApiError ValidationException(std::string message) {
  return Make(ErrorFamily::kCoralValidate, "ValidationException", std::move(message));
}

ApiError SerializationException() {
  ApiError error = Make(ErrorFamily::kCoralService, "SerializationException", {});
  error.has_message = false;
  return error;
}

ApiError SerializationException(std::string message) {
  ApiError error = Make(ErrorFamily::kCoralService, "SerializationException", std::move(message));
  error.capital_message = true;
  return error;
}

ApiError UnknownOperationException() {
  ApiError error = Make(ErrorFamily::kCoralService, "UnknownOperationException", {});
  error.has_message = false;
  return error;
}

ApiError ResourceNotFoundException(std::string message) {
  return Make(ErrorFamily::kDynamoDb, "ResourceNotFoundException", std::move(message));
}

ApiError ResourceInUseException(std::string message) {
  return Make(ErrorFamily::kDynamoDb, "ResourceInUseException", std::move(message));
}

ApiError LimitExceededException(std::string message) {
  return Make(ErrorFamily::kDynamoDb, "LimitExceededException", std::move(message));
}

ApiError PolicyNotFoundException(std::string message) {
  return Make(ErrorFamily::kDynamoDb, "PolicyNotFoundException", std::move(message));
}

ApiError ConditionalCheckFailedException() {
  return Make(ErrorFamily::kDynamoDb, "ConditionalCheckFailedException",
              std::string(messages::kConditionalRequestFailed));
}

ApiError TransactionConflictException() {
  return Make(ErrorFamily::kDynamoDb, "TransactionConflictException", std::string(messages::kTransactionConflict));
}

ApiError ItemCollectionSizeLimitExceededException(std::string message) {
  return Make(ErrorFamily::kDynamoDb, "ItemCollectionSizeLimitExceededException", std::move(message));
}

ApiError ProvisionedThroughputExceededException(std::string message) {
  return Make(ErrorFamily::kDynamoDb, "ProvisionedThroughputExceededException", std::move(message));
}

ApiError ThrottlingException(std::string message) {
  return Make(ErrorFamily::kCoralAvailability, "ThrottlingException", std::move(message));
}

ApiError MissingAuthenticationTokenException(std::string message) {
  return Make(ErrorFamily::kCoralService, "MissingAuthenticationTokenException", std::move(message));
}

ApiError IncompleteSignatureException(std::string message) {
  return Make(ErrorFamily::kCoralService, "IncompleteSignatureException", std::move(message));
}

ApiError InvalidSignatureException(std::string message) {
  return Make(ErrorFamily::kCoralService, "InvalidSignatureException", std::move(message));
}

ApiError AccessDeniedException(std::string message) {
  ApiError error = Make(ErrorFamily::kCoralService, "AccessDeniedException", std::move(message));
  error.capital_message = true;
  return error;
}

ApiError InternalServerError() {
  return Make(ErrorFamily::kDynamoDb, "InternalServerError", std::string(messages::kInternalServerError), 500);
}

ApiError ServiceUnavailableException(std::string message) {
  return Make(ErrorFamily::kCoralService, "ServiceUnavailableException", std::move(message), 503);
}

ApiError FromStatus(const Status& status) {
  switch (status.code()) {
    case StatusCode::kBusy:
    case StatusCode::kFenced:
    case StatusCode::kUnavailable: return ServiceUnavailableException(std::string(messages::kServiceUnavailable));
    case StatusCode::kNoSpace:
      // Retryable on purpose: SDKs back off and try again, and space may return.
      return ServiceUnavailableException(std::string(messages::kNoSpace));
    default: return InternalServerError();
  }
}

std::string_view ErrorFamilyPrefix(ErrorFamily family) {
  switch (family) {
    case ErrorFamily::kCoralService: return "com.amazon.coral.service#";
    case ErrorFamily::kCoralValidate: return "com.amazon.coral.validate#";
    case ErrorFamily::kCoralAvailability: return "com.amazon.coral.availability#";
    case ErrorFamily::kDynamoDb: return "com.amazonaws.dynamodb.v20120810#";
    case ErrorFamily::kUnprefixed: return "";
  }
  return "";
}

}  // namespace armature::model
