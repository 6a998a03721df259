#include "dax/node/parts/error_reply.h"

#include "dax/codec/error_codes.h"
#include "dax/translate/json_error.h"

namespace armature::dax {

void AppendApiError(const model::ApiError& error, std::string& out) { AppendErrorReply(out, error); }

void AppendRefusal(std::string_view why, std::string& out) {
  AppendApiError(model::ValidationException(std::string(why)), out);
}

void AppendSignatureFault(const std::optional<auth::AuthFault>& fault, bool may_sign_again, std::string& out) {
  // Another signature would not help him.
  if (fault && fault->kind == auth::AuthFaultKind::kThrottled) return AppendApiError(auth::ToApiError(*fault), out);
  const model::ApiError error =
      fault ? auth::ToApiError(*fault)
            : model::MissingAuthenticationTokenException("Request is missing Authentication Token");
  AppendError(out, may_sign_again ? std::span<const int>(kSignInAgainCodes) : std::span<const int>(kSignInRefusedCodes),
              {.name = error.name, .message = error.message, .request_id = {}, .http_status = error.http_status});
}

void AppendOverload(std::string& out) {
  constexpr int kServiceUnavailable = 503;
  AppendError(out, CodesOf("ThrottlingException"),
              {.name = "ThrottlingException",
               .message = "The node has no room for the request now",
               .request_id = {},
               .http_status = kServiceUnavailable});
}

void AppendThrottling(std::string& out) {
  AppendError(
      out, CodesOf("ThrottlingException"),
      {.name = "ThrottlingException", .message = "The table does not take all that is written", .request_id = {}});
}

void AppendListsFull(std::string& out) {
  AppendApiError(model::LimitExceededException("There are too many lists of attributes, or this one is too long"), out);
}

void AppendNoSuchTable(const BackendError& error, std::string& out) {
  AppendError(
      out, kNoSuchTableCodes,
      {.name = error.name, .message = error.message, .request_id = error.request_id, .http_status = error.http_status});
}

void AppendFailure(std::string& out) { AppendApiError(model::InternalServerError(), out); }

}  // namespace armature::dax
