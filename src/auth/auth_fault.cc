#include "auth/auth_fault.h"

#include <utility>

namespace armature::auth {

model::ApiError ToApiError(AuthFault fault) {
  model::ApiError error;
  error.family = fault.kind == AuthFaultKind::kThrottled ? model::ErrorFamily::kCoralAvailability
                                                         : model::ErrorFamily::kCoralService;
  error.http_status = 400;
  error.message = std::move(fault.message);
  switch (fault.kind) {
    case AuthFaultKind::kMissingToken: error.name = "MissingAuthenticationTokenException"; break;
    case AuthFaultKind::kIncompleteSignature: error.name = "IncompleteSignatureException"; break;
    case AuthFaultKind::kInvalidSignature: error.name = "InvalidSignatureException"; break;
    case AuthFaultKind::kUnrecognizedClient: error.name = "UnrecognizedClientException"; break;
    case AuthFaultKind::kExpiredToken: error.name = "ExpiredTokenException"; break;
    case AuthFaultKind::kThrottled: error.name = "ThrottlingException"; break;
  }
  return error;
}

QueryFault QueryFaultOf(AuthFaultKind kind) {
  switch (kind) {
    case AuthFaultKind::kMissingToken: return {"MissingAuthenticationToken", 403};
    case AuthFaultKind::kIncompleteSignature: return {"IncompleteSignature", 400};
    case AuthFaultKind::kInvalidSignature: return {"SignatureDoesNotMatch", 403};
    case AuthFaultKind::kUnrecognizedClient: return {"InvalidClientTokenId", 403};
    case AuthFaultKind::kExpiredToken: return {"ExpiredToken", 403};
    case AuthFaultKind::kThrottled: return {"Throttling", 400};
  }
  return {"SignatureDoesNotMatch", 403};
}

}  // namespace armature::auth
