// ApiError: a failure as the client sees it.
//
// Wire type, HTTP status and message, made by the factories below (or those next to a feature), rendered by wire/.
// The texts come from messages.h. A value type; used by expr/, table/, wire/, auth/ and api/. Internal failures stay
// Status until the top of api/ turns them into InternalServerError.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace armature::model {

// The prefix of an error's __type, see DynamoDB's error families.
enum class ErrorFamily {
  kCoralService,       // com.amazon.coral.service: protocol and authentication
  kCoralValidate,      // com.amazon.coral.validate: ValidationException
  kCoralAvailability,  // com.amazon.coral.availability: ThrottlingException
  kDynamoDb,           // com.amazonaws.dynamodb.v20120810: modelled exceptions
  kUnprefixed,         // modelled exceptions of services whose names stand alone
};

struct ApiError {
  ErrorFamily family = ErrorFamily::kDynamoDb;
  std::string name;
  int http_status = 400;
  std::string message;
  bool has_message = true;         // UnknownOperationException and unparsable JSON carry none
  bool capital_message = false;    // "Message" instead of "message"
  std::string extra_json_members;  // e.g. `"Item":{…}`, already JSON, without the leading comma
};

template <class T>
using ApiResult = Result<T, ApiError>;

[[gnu::cold]] ApiError ValidationException(std::string message);
// Without a message: JSON that does not parse. With one: a member of the wrong JSON type.
[[gnu::cold]] ApiError SerializationException();
[[gnu::cold]] ApiError SerializationException(std::string message);
[[gnu::cold]] ApiError UnknownOperationException();
[[gnu::cold]] ApiError ResourceNotFoundException(std::string message);
[[gnu::cold]] ApiError ResourceInUseException(std::string message);
[[gnu::cold]] ApiError LimitExceededException(std::string message);
[[gnu::cold]] ApiError PolicyNotFoundException(std::string message);
[[gnu::cold]] ApiError ConditionalCheckFailedException();
[[gnu::cold]] ApiError TransactionConflictException();
[[gnu::cold]] ApiError ItemCollectionSizeLimitExceededException(std::string message);
[[gnu::cold]] ApiError ProvisionedThroughputExceededException(std::string message);
[[gnu::cold]] ApiError ThrottlingException(std::string message);
[[gnu::cold]] ApiError MissingAuthenticationTokenException(std::string message);
[[gnu::cold]] ApiError IncompleteSignatureException(std::string message);
[[gnu::cold]] ApiError InvalidSignatureException(std::string message);
[[gnu::cold]] ApiError AccessDeniedException(std::string message);
[[gnu::cold]] ApiError InternalServerError();
[[gnu::cold]] ApiError ServiceUnavailableException(std::string message);
// What a Status from storage becomes on the wire. The text of the Status is for the log, not for the client.
[[gnu::cold]] ApiError FromStatus(const Status& status);

std::string_view ErrorFamilyPrefix(ErrorFamily family);

}  // namespace armature::model
