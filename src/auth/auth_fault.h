// AuthFault: why a request's signature is not believed, in a form from which every protocol makes its own error.
//
// DynamoDB's JSON face says 400 and "…Exception"; the Query protocol of IAM and STS has codes and statuses of its own.
// The text is the same for both, AWS's. Pure values; made by auth/, told by front/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/api_error.h"

namespace armature::auth {

enum class AuthFaultKind : uint8_t {
  kMissingToken,         // no signature at all
  kIncompleteSignature,  // one that cannot be read
  kInvalidSignature,     // expired, not yet current, of another scope, or not what the secret gives
  kUnrecognizedClient,   // a key, or a session token, that is nobody's
  kExpiredToken,         // temporary credentials past their end
  kThrottled,            // too many failures lately, or requests, or connections
};

struct AuthFault {
  AuthFaultKind kind;
  std::string message;
};

template <class T>
using AuthResult = Result<T, AuthFault>;

// As DynamoDB tells it.
[[gnu::cold]] model::ApiError ToApiError(AuthFault fault);

// As IAM and STS tell it: "SignatureDoesNotMatch" and 403.
struct QueryFault {
  std::string_view code;
  int http_status;
};
[[gnu::cold]] QueryFault QueryFaultOf(AuthFaultKind kind);

}  // namespace armature::auth
